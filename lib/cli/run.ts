/** `parkway run`: one turn (C-64). */
import { EmptyMessageError, WorkflowDisabledError } from "../session/errors.js";
import { UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { checkedSessionId, filesOption, textOption, variablesOption } from "./options.js";
import { runTurn } from "./turn.js";
import type { CommandContext } from "./types.js";
import { splitWorkflow } from "./workflows.js";

export async function run(context: CommandContext): Promise<number> {
  const [workflow, words] = splitWorkflow(context.root, context.args, context.command);
  const message = words.join(" ").trim() || undefined;
  const trigger = textOption(context, "trigger");
  const variables = variablesOption(context);
  const files = filesOption(context);
  const given = textOption(context, "session");
  if (given !== undefined) checkedSessionId(given, context.command);
  const firing = { trigger, variables, sessionId: given, sessionPath: textOption(context, "sessionPath") };

  printHeader(context, workflow, "with-model");
  try {
    return await runTurn(context, workflow, async (agent) => {
      const { sessionId, disposition } = await agent.workflow.resolveSession(firing);
      if (agent.workflow.machine.disabled && disposition === "turn") throw new WorkflowDisabledError(workflow);
      context.terminal.err(`${context.terminal.style.dim("session")}    ${sessionId}`);
      return {
        sessionId,
        start: (config) =>
          agent.workflow.send(
            sessionId,
            { message, ...(trigger !== undefined ? { trigger: { id: trigger } } : {}), variables, files },
            config,
          ),
      };
    });
  } catch (error) {
    if (error instanceof EmptyMessageError) throw new UsageError("the prompt is missing", context.command);
    throw error;
  }
}
