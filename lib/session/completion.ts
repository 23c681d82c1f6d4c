/** How work ends by itself: the agent's last word, or a terminal code state's clean finish (R-50…R-52). */
import type { Machine } from "../machine/types.js";
import { signatureValueIssues } from "../spec/index.js";
import { attemptOf, runOf, stopReason } from "./attempts.js";
import { endSet, type Step } from "./moves.js";
import { completionNoteText, runtimeNote } from "./notes.js";
import type { SessionState } from "./state.js";
import { returnsOwed, valuesOf } from "./variables.js";

/**
 * Holds the session to the returns of the trigger that opened the turn, once, and completes or rejects it.
 *
 * @param isChild - names that are not set are told to the caller and reject nothing
 * @param fileIssue - what is wrong with a file return's file (W-128), already looked up by the caller
 */
export function completeTurn(
  machine: Machine,
  state: SessionState,
  options: { now: number; isChild: boolean; fileIssue?: string },
): Step {
  const position = state.fields.position ?? "";
  const shortfall = returnsShortfall(machine, state, options);
  const set =
    shortfall === null ? endSet("completed") : { ...endSet("rejected"), rejected: shortfall, shortfall: true };
  return { patches: [{ set }], events: [{ type: "state-leave", state: position, next: position }] };
}

function returnsShortfall(
  machine: Machine,
  state: SessionState,
  options: { now: number; isChild: boolean; fileIssue?: string },
): string | null {
  const entries = returnsOwed(machine, state);
  if (entries.length === 0) return null;
  const issues = signatureValueIssues(entries, valuesOf(state.variables), { now: options.now });
  const missing = issues.filter(({ kind }) => kind === "missing" && !options.isChild).map((issue) => issue.name);
  const invalid = issues.filter((issue) => issue.kind === "invalid").map((issue) => issue.message);
  if (options.fileIssue) invalid.push(options.fileIssue);
  if (missing.length === 0 && invalid.length === 0) return null;
  const parts: string[] = [];
  if (missing.length > 0) {
    parts.push(
      `The work ended in ${state.fields.position} without ${missing.join(", ")}, ` +
        `which the trigger ${state.fields.turnTrigger} has to return.`,
    );
  }
  return [...parts, ...invalid].join(" ");
}

/**
 * A completion check has failed: the agent is sent back with a note, or the run ends as failed where no attempt is
 * left.
 *
 * @param check.mayRetry - there is an agent in the state to send back to
 */
export function failCheck(
  state: SessionState,
  check: { reason: string; maxAttempts: number; mayRetry: boolean },
): Step {
  const { reason, maxAttempts, mayRetry } = check;
  const position = state.fields.position ?? "";
  const attempt = attemptOf(state.fields);
  const told = { type: "completion-failed" as const, state: position, attempt, maxAttempts, reason };
  const run = { start: runOf(state.fields).start, failed: attempt, reason };
  if (mayRetry && attempt < maxAttempts) {
    const messages = runtimeNote(state.messages.length, "completion", completionNoteText(reason));
    return { patches: [{ set: { run }, messages }], events: [told] };
  }
  const exit = {
    code: "completion",
    reason: `not verified after ${attempt} attempts: ${reason}`,
    state: position,
  };
  return {
    patches: [{ set: { ...endSet("failed"), exit, limit: "completion", run } }],
    events: [told, { type: "state-leave", state: position, next: position }],
  };
}

/** a limit of the host's stops the work before a further model call; `on_error` is not consulted. */
export function stopAtLimit(
  { fields }: SessionState,
  { limit, code, reason }: { limit: string; code: string; reason: string },
): Step {
  const position = fields.position ?? "";
  const exit = { code, reason: stopReason(fields, reason), state: position };
  return {
    patches: [{ set: { ...endSet("failed"), exit, limit } }],
    events: [{ type: "state-leave", state: position, next: position }],
  };
}
