/** `parkway run`: one turn (C-64). */
import { EmptyMessageError, WorkflowDisabledError } from "../session/errors.js";
import { UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { checkedSessionId, filesOption, textOption, variablesOption } from "./options.js";
import { runTurn } from "./turn.js";
import type { CliAgent, CommandContext, Firing, PreparedTurn } from "./types.js";
import { splitWorkflow } from "./workflows.js";

export async function run(context: CommandContext): Promise<number> {
  const [workflow, words] = splitWorkflow(context, context.args);
  const message = words.join(" ").trim() || undefined;
  const trigger = textOption(context, "trigger");
  const variables = variablesOption(context);
  const files = filesOption(context);
  const given = textOption(context, "session");
  if (given !== undefined) checkedSessionId(given, context.command);
  const firing = {
    message,
    trigger,
    variables,
    files,
    sessionId: given,
    sessionPath: textOption(context, "sessionPath"),
  };

  printHeader(context, workflow, "with-model");
  try {
    return await runTurn(context, workflow, async (agent) => {
      const turn = await begin(agent, firing);
      context.terminal.err(`${context.terminal.style.dim("session")}    ${turn.sessionId}`);
      return turn;
    });
  } catch (error) {
    if (error instanceof EmptyMessageError) throw new UsageError("the prompt is missing", context.command);
    throw error;
  }
}

async function begin({ workflow }: CliAgent, firing: Firing): Promise<PreparedTurn> {
  if ("begin" in workflow) return workflow.begin(firing);
  const { message, files, ...naming } = firing;
  const { trigger, variables } = naming;
  const { sessionId, disposition } = await workflow.resolveSession(naming);
  if (workflow.machine.disabled && disposition === "turn") throw new WorkflowDisabledError(workflow.name);
  const input = { message, ...(trigger !== undefined ? { trigger: { id: trigger } } : {}), variables, files };
  return { sessionId, start: (config) => workflow.send(sessionId, input, config) };
}
