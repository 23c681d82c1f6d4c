/** A permitted call as it is run, and what it comes to. */
import type { CallOrigin } from "../kernel/types.js";
import type { CallAnswer } from "../session/state.js";
import type { Decided } from "./journal.js";
import type { MockAnswer } from "./types.js";

export interface RunnableCall {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
  /** The state it is governed by, shown in its events. */
  state: string;
  /** Journal key. */
  key: string;
  origin: CallOrigin;
  /** Set for an automated state's and a script's calls: their answers are journaled, with the evaluation's first clock reading (S-47). */
  evaluationAt?: number;
  /** Aborts when the script's run is over; the turn's signal counts besides. */
  runSignal?: AbortSignal;
  /** A delegation tool's number among the session's, where it was given out before the call (S-43). */
  dispatch?: number;
  /** Answers in place of the handler (C-18, C-19). */
  mock?: MockAnswer;
  /** Of a grader's call: the leg's model calls with those of the run that makes it, which are not committed yet. */
  modelCalls?: number;
  /** Of a script's call: what the host was asked. */
  decided?: Decided;
  /** Of a script's call: what a hook has answered in place of the tool. */
  given?: string;
}

export type CallResult = Omit<CallAnswer, "callId" | "tool">;
