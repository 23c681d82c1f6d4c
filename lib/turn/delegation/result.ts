/** What a child that has come to rest delivers to its caller (R-184… ). Pure. */
import type { Machine } from "../../machine/types.js";
import { isRuntimeNote } from "../../session/messages.js";
import { isParked } from "../../session/outcome.js";
import type { DelegationFailure, Park, SessionState, Used } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { MANUAL_TRIGGER, signatureValueIssues, workflowToolName } from "../../spec/index.js";
import type { SignatureEntry } from "../../spec/types.js";
import type { MockAnswer } from "../types.js";

export interface Completed {
  kind: "completed";
  message: string;
  /** Declared name to value, the unset ones null; null where the trigger declares none. */
  returns: Record<string, unknown> | null;
  unset: string[];
}
export interface Undelivered {
  kind: "failed";
  failure: DelegationFailure;
  reason: string;
}
/** `used`: what the child has used in its leg, of the limits of A-7. */
export type Delivered = (Completed | Undelivered | { kind: "parked"; park: Park }) & { used?: Used };

/** @param machine - the child's, as its turn ran under it */
export function deliveredBy(state: SessionState, machine: Machine): Delivered {
  const { status, park, exit, limit, rejected, shortfall } = state.fields;
  if (isParked(status) && park) return { kind: "parked", park };
  if (status === "completed") {
    return completed(returnsOf(machine), valuesOf(state.variables), closingMessage(state));
  }
  if (status === "rejected") {
    return failed(shortfall ? "invalid-return" : "rejected", rejected ?? "it was rejected.");
  }
  if (!exit) return failed("error", "it ended without saying why.");
  if (limit === "completion") return failed("completion", exit.reason);
  if (ENGINE_CODES.has(exit.code)) return failed("error", `${exit.code}: ${exit.reason}`);
  return failed("raised", `it raised ${exit.code} in state ${exit.state}: ${exit.reason}`);
}

/** The exit codes that no raise has given (appendix A). */
const ENGINE_CODES = new Set(["turn-error", "turn-cancelled", "recursion-limit", "limit-tokens", "limit-tool-calls"]);

/** What a test case declares in place of a child's run (C-22). */
export function deliveredByMock(mock: MockAnswer, machine: Machine, now: number): Delivered {
  if ("error" in mock) return failed("error", mock.error);
  const entries = returnsOf(machine);
  const values = "returns" in mock ? mock.returns : {};
  const invalid = signatureValueIssues(entries, values, { now }).filter(({ kind }) => kind === "invalid");
  if (invalid.length > 0) return failed("invalid-return", invalid.map(({ message }) => message).join(" "));
  return completed(entries, values, "text" in mock ? mock.text : mock.message);
}

function returnsOf(machine: Machine): readonly SignatureEntry[] {
  return machine.triggers.get(MANUAL_TRIGGER)?.signature.returns ?? [];
}

function completed(
  entries: readonly SignatureEntry[],
  values: Readonly<Record<string, unknown>>,
  message = "The workflow has finished and said nothing.",
): Completed {
  const unset = entries.filter(({ name }) => !Object.hasOwn(values, name)).map(({ name }) => name);
  const returns = Object.fromEntries(
    entries.map(({ name }) => [name, Object.hasOwn(values, name) ? values[name] : null]),
  );
  return { kind: "completed", message, returns: entries.length > 0 ? returns : null, unset };
}

export function failed(failure: DelegationFailure, reason: string): Undelivered {
  return { kind: "failed", failure, reason };
}

function closingMessage(state: SessionState): string | undefined {
  return state.messages.findLast(
    (message) => message.role === "assistant" && !isRuntimeNote(message) && message.content.trim() !== "",
  )?.content;
}

/** The answer to the call, or what the note says. */
export function textOf(workflow: string, delivered: Delivered): string {
  switch (delivered.kind) {
    case "completed":
      return completedText(delivered);
    case "failed":
      return `${workflowToolName(workflow)} failed (${delivered.failure}): ${delivered.reason}`;
    case "parked":
      return parkedText(workflow, delivered.park);
  }
}

function completedText({ message, returns, unset }: Completed): string {
  if (returns === null) return message;
  // No return can be called `note`.
  const note = unset.length > 0 ? { note: `The workflow did not set: ${unset.join(", ")}.` } : {};
  return JSON.stringify({ message, returns: { ...returns, ...note } });
}

function parkedText(workflow: string, park: Park): string {
  const awaited =
    park.channel === "decision"
      ? `a person's decision in its state ${park.state}`
      : `something to happen (${park.reason}) in its state ${park.state}`;
  return `The work of ${workflow} is parked: it waits for ${awaited}. Its result will arrive later by itself; do not call it again for the same work.`;
}
