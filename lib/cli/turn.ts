/** Runs one turn of a session and prints it: what `run`, `decide`, `reply` and `deliver` share. */

import { oneLineOf } from "../config/index.js";
import { formatUsage, hasUsage } from "../models/index.js";
import { renderEventLine } from "../session/event-line.js";
import type { EngineEvent, EventHandler } from "../session/events.js";
import type { Outcome } from "../session/outcome.js";
import type { Usage } from "../session/state.js";
import { EXIT, errorJson, isKnownError } from "./errors.js";
import { viewOutcome } from "./outcome-view.js";
import { createStateFlowRenderer } from "./state-flow.js";
import { icons } from "./style.js";
import type { CliAgent, CommandContext, PreparedTurn } from "./types.js";

/** Exit codes of a turn that threw (H-67). */
const THROWN = new Set(["turn-error", "turn-cancelled", "recursion-limit"]);
/** Codes of errors that refuse a call before its turn begins (H-129): the session is as it was. */
const REFUSALS = new Set([
  "session-id",
  "session-not-parked",
  "session-not-awaiting-input",
  "session-not-resumable",
  "invalid-decision-target",
  "stale-decision",
  "missing-delivery-trigger",
  "empty-message",
  "unknown-trigger",
  "unknown-session-trigger",
  "invalid-variable-name",
  "invalid-title",
  "invalid-session-path",
  "invalid-turn-file",
  "session-busy",
  "inbox-full",
]);

/**
 * Opens the agent, prepares one turn with it, runs it and prints its outcome.
 *
 * @returns the exit code
 */
export async function runTurn(
  context: CommandContext,
  workflow: string,
  prepare: (agent: CliAgent) => Promise<PreparedTurn>,
): Promise<number> {
  let agent: CliAgent | undefined;
  let turn: PreparedTurn | undefined;
  try {
    agent = await context.openAgent({ root: context.root, workflow, onEvent: eventPrinter(context) });
    turn = await prepare(agent);
    const outcome = await turn.start({ signal: context.signal });
    return printOutcome(context, outcome, { sessionId: turn.sessionId, workflow });
  } catch (error) {
    if (context.options.json) context.terminal.out(JSON.stringify(errorJson(error)));
    const thrown = turn && agent ? await thrownCode(agent, turn.sessionId, error, context.signal) : null;
    if (thrown === null) throw error;
    context.terminal.err(context.terminal.style.red(`${icons.fail} ${thrown}: ${oneLineOf(error)}`));
    return thrown === "turn-cancelled" ? EXIT.interrupted : EXIT.failure;
  } finally {
    await agent?.close();
  }
}

export function eventPrinter({ terminal, options }: CommandContext): EventHandler {
  const flow = createStateFlowRenderer({ style: terminal.style, write: terminal.err });
  if (!options.verbose) return flow;
  return (event: EngineEvent) => {
    terminal.err(terminal.style.dim(renderEventLine(event)));
    flow(event);
  };
}

function printOutcome(
  context: CommandContext,
  outcome: Outcome,
  { sessionId, workflow }: { sessionId: string; workflow: string },
): number {
  const { terminal, rootOption, endpoint } = context;
  const view = { sessionId, workflow, rootOption, endpoint, style: terminal.style };
  const { out, err, exit } = viewOutcome(outcome, view);
  for (const line of err) terminal.err(line);
  if (outcome.usage) printUsage(context, outcome.usage);
  if (context.options.json) terminal.out(JSON.stringify(outcome));
  else if (out !== null) terminal.out(out);
  return exit;
}

function printUsage({ terminal }: CommandContext, usage: Usage): void {
  if (hasUsage(usage)) terminal.err(`${terminal.style.dim("tokens")}     ${formatUsage(usage)}`);
}

/** The exit code word of a turn that threw; null when the call was refused before any turn began. */
async function thrownCode(
  agent: CliAgent,
  sessionId: string,
  error: unknown,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) return "turn-cancelled";
  if (isKnownError(error) && REFUSALS.has(error.code)) return null;
  const code = (await agent.sessions.get(sessionId).catch(() => null))?.exit?.code;
  return code !== undefined && THROWN.has(code) ? code : null;
}
