/** How an automated state's run has ended, before it is decided what follows. */
import { delegationTrail } from "../../session/delegations.js";
import type { SessionPatch, TrailStep } from "../../session/state.js";
import type { CallResult } from "../execute-call.js";
import type { Effects } from "./controls.js";

export interface RunEnd {
  effects: Effects;
  /** Why the run failed, as the end of a sentence about the state; null for a clean finish. */
  problem: string | null;
  /** Steps it took. */
  steps: number;
  /** Epoch milliseconds. */
  startedAt: number;
  /** What it cost and what its calls brought about, committed before what the controls have written. */
  patch: SessionPatch;
}

/** a child's end stands in its caller's trail; a failed one is recorded nowhere else. */
export function trailOfCalls(results: readonly CallResult[]): TrailStep[] {
  return results.flatMap(({ trail = [], delegated }) => [...trail, ...(delegated ? delegationTrail(delegated) : [])]);
}
