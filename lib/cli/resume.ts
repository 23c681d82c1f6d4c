/** `parkway decide`, `reply` and `deliver`: what a parked session is told (C-69). */
import { UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { checkedSessionId, textOption, variablesOption } from "./options.js";
import { runTurn } from "./turn.js";
import type { CliAgent, CommandContext } from "./types.js";
import { workflowOf } from "./workflows.js";

export async function decide(context: CommandContext): Promise<number> {
  const { sessionId, workflow } = await subjectOf(context);
  const target = textOption(context, "to")!;
  const comment = textOption(context, "comment");
  const given = textOption(context, "park");
  return runTurn(context, workflow, async (agent) => ({
    sessionId,
    start: async (config) => {
      const park = given ?? (await presentPark(agent, sessionId));
      return agent.workflow.decide(sessionId, { target, comment, park }, config);
    },
  }));
}

export async function reply(context: CommandContext): Promise<number> {
  const message = context.args.slice(1).join(" ").trim();
  if (message === "") throw new UsageError("the message is empty", context.command);
  const { sessionId, workflow } = await subjectOf(context);
  return runTurn(context, workflow, async (agent) => ({
    sessionId,
    start: (config) => agent.workflow.reply(sessionId, message, config),
  }));
}

export async function deliver(context: CommandContext): Promise<number> {
  const variables = variablesOption(context);
  const delivery = {
    trigger: { id: textOption(context, "trigger")! },
    variables,
    message: textOption(context, "message"),
  };
  const { sessionId, workflow } = await subjectOf(context);
  return runTurn(context, workflow, async (agent) => ({
    sessionId,
    start: (config) => agent.workflow.deliver(sessionId, delivery, config),
  }));
}

async function subjectOf(context: CommandContext): Promise<{ sessionId: string; workflow: string }> {
  const sessionId = checkedSessionId(context.args[0]!, context.command);
  const workflow = await workflowOf(context, { named: textOption(context, "workflow"), sessionId });
  printHeader(context, workflow, "without-model");
  return { sessionId, workflow };
}

/** The park a decision without `--park` is for: the one that is found, so that a newer one refuses it (H-62). */
async function presentPark(agent: CliAgent, sessionId: string): Promise<string | undefined> {
  const pending = (await agent.sessions.get(sessionId))?.pending;
  return pending?.channel === "decision" ? pending.parkId : undefined;
}
