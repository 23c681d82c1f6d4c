/** What the engine does next, read from the state alone. */
import type { Machine } from "../machine/types.js";
import { isRuntimeNote } from "../session/messages.js";
import { isFinished } from "../session/outcome.js";
import type { SessionState } from "../session/state.js";

export type NextStep =
  | "model"
  | "automated"
  | "handoff"
  | "present"
  | "delegated"
  | "verify"
  | "settle"
  | "end"
  | "tools";

/**
 * Pure. `settle` routes a failure or reports the step limit; `tools`: calls of the open batch have no answer yet;
 * `present` makes the first parked child's question the session's own; `delegated` runs that child on; `verify` asks whether
 * finished work is complete, which is no step that counts.
 */
export function nextStep(machine: Machine, state: SessionState, recursionLimit: number): NextStep {
  const { fields } = state;
  if (isFinished(fields.status ?? "running")) return "end";
  if (fields.failure !== undefined) return "settle";
  if (fields.run?.due) return "verify";
  if (fields.childInput) return "delegated";
  if (fields.replyOwed) return overLimit(state, recursionLimit) ? "settle" : "handoff";
  if (fields.park && fields.parkPhase === "suspended") return "end";
  if (fields.park && !owesHandoff(state)) return "handoff";
  if (overLimit(state, recursionLimit)) return "settle";
  if (state.batch) return "tools";
  if (fields.park) return "handoff";
  const current = machine.states.get(fields.position ?? "");
  const isPending = (fields.pendingDelegations?.length ?? 0) > 0;
  // A run that may end the work waits: a parked child ends before its caller does.
  const isDue = current?.automated && fields.ranVisit !== fields.visit;
  if (isDue && !(isPending && current.terminal)) return "automated";
  return isPending ? "present" : "model";
}

/**
 * whether a park is to be told with a reply-only call: a human park always; a wait only when nothing was said since
 * the last message or note. Without a call, suspending is no step.
 */
export function owesHandoff(state: SessionState): boolean {
  if (state.fields.park?.channel !== "input") return true;
  const opener = state.messages.findLastIndex((message) => message.role === "user" || isRuntimeNote(message));
  return !state.messages
    .slice(opener + 1)
    .some((message) => message.role === "assistant" && !isRuntimeNote(message) && message.content.trim() !== "");
}

/** the next step would exceed the leg's limit. */
export function overLimit(state: SessionState, recursionLimit: number): boolean {
  return (state.fields.stepsUsed ?? 0) >= recursionLimit;
}
