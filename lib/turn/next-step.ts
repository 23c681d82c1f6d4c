/** What the engine does next, read from the state alone. */
import type { Machine } from "../machine/types.js";
import { isFinished } from "../session/outcome.js";
import type { SessionState } from "../session/state.js";

export type NextStep = "model" | "automated" | "handoff" | "settle" | "end" | "tools";

/** Pure. `settle` routes a failure or reports the step limit; `tools`: calls of the open batch have no answer yet. */
export function nextStep(machine: Machine, state: SessionState, recursionLimit: number): NextStep {
  const { fields } = state;
  if (isFinished(fields.status ?? "running")) return "end";
  if (fields.failure !== undefined) return "settle";
  if (fields.replyOwed) return overLimit(state, recursionLimit) ? "settle" : "handoff";
  if (fields.park && fields.parkPhase === "suspended") return "end";
  if (overLimit(state, recursionLimit)) return "settle";
  if (state.batch) return "tools";
  if (fields.park) return "handoff";
  const current = machine.states.get(fields.position ?? "");
  if (current?.automated && fields.ranVisit !== fields.visit) return "automated";
  return "model";
}

/** the next step would exceed the leg's limit. */
export function overLimit(state: SessionState, recursionLimit: number): boolean {
  return (state.fields.stepsUsed ?? 0) >= recursionLimit;
}
