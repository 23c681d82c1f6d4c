/** How an automated state's run has ended, before it is decided what follows. */
import { delegationTrail } from "../../session/delegations.js";
import type { SessionPatch, SessionState, TrailStep, Used } from "../../session/state.js";
import { InvocationEndedError } from "../errors.js";
import { closeLoop } from "../grader/thread.js";
import { highestDispatch } from "../journal.js";
import type { ReachedLimit } from "../meter.js";
import type { CallResult } from "../runnable-call.js";
import type { SessionWriter } from "../session-writer.js";
import type { Effects } from "./controls.js";

export interface RunEnd {
  effects: Effects;
  /** Why the run failed, as the end of a sentence about the state; null for a clean finish. */
  problem: string | null;
  /** Steps it took. */
  steps: number;
  /** Those of a grader's model. */
  modelCalls?: number;
  /** Epoch milliseconds. */
  startedAt: number;
  /** What its calls have brought to the trail. */
  trail: TrailStep[];
  /** What it has used, children included. */
  used: Used;
  /** A limit of A-7 has stopped it before a model call. */
  limit?: ReachedLimit;
}

/**
 * What a run leaves to the commit that ends it, or the turn with it: what its model has cost, and the delegation numbers
 * that it gave out, which outlive its entries in the journal. A grader's loop goes with that commit (F-45).
 */
export function closeRun(writer: SessionWriter, state: SessionState): SessionPatch {
  const dispatched = highestDispatch(writer);
  return {
    ...closeLoop(writer, state),
    ...(dispatched > (state.fields.dispatchCount ?? 0) ? { set: { dispatchCount: dispatched } } : {}),
  };
}

/**
 * What stops the calls that are still under way when a run is over. Where the stores failed or the session was lost, the
 * next invocation goes on with them: nothing of them is cancelled (S-43, S-94).
 */
export function stopOf(writer: SessionWriter, text: string): Error {
  return writer.isLost ? new InvocationEndedError() : new Error(text);
}

/** a child's end stands in its caller's trail; a failed one is recorded nowhere else. */
export function trailOfCalls(results: readonly CallResult[]): TrailStep[] {
  return results.flatMap(({ trail = [], delegated }) => [...trail, ...(delegated ? delegationTrail(delegated) : [])]);
}
