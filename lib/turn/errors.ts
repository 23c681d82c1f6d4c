/** How a turn ends that throws. */
import { ParkwayError } from "../session/errors.js";
import type { SessionPatch } from "../session/state.js";

/**
 * The turn took as many steps as it may, `recursionLimit`, without coming to rest (R-47, H-50); its work so far is
 * kept.
 */
export class StepLimitError extends ParkwayError {
  override readonly code = "recursion-limit";
  constructor(readonly limit: number) {
    super(`The turn took ${limit} steps without coming to rest, which is the limit; its work so far is kept.`);
  }
}

/** A completion verifier answered with something that says neither done nor not done. */
export class InvalidVerdictError extends ParkwayError {
  override readonly code = "invalid-verdict";
  constructor(readonly workflow: string) {
    super(`The completion verifier of "${workflow}" has to answer with an object whose \`ok\` is true or false.`);
  }
}

/** Somebody asked the running turn to stop (S-20, R-305). */
export class TurnCancelledError extends ParkwayError {
  override readonly code = "turn-cancelled";
  constructor() {
    super("The turn was cancelled; what it had committed is kept.");
  }
}

/** The invocation ends before the running step can: the step is taken up again in the next one (S-54). */
export class InvocationEndedError extends ParkwayError {
  override readonly code: string = "invocation-ended";
  override readonly retryable = true;
  constructor(message = "The invocation's time is up; the step goes on in the next one.") {
    super(message);
  }
}

/** The agent was closed in the middle of the work: whoever works on the session next goes on with it. */
export class AgentClosedError extends InvocationEndedError {
  override readonly code = "agent-closed";
  constructor() {
    super("The agent was closed. What it had accepted is kept, and goes on when the session is worked on again.");
  }
}

/** The next attempt at a model call may be made at `until`, which this invocation does not last for. */
export class ModelWaitError extends InvocationEndedError {
  override readonly code = "model-wait";
  /** @param until - epoch milliseconds */
  constructor(readonly until: number) {
    super("The model's provider asks to wait for longer than this invocation lasts; the call goes on in another one.");
  }
}

/** A model call took longer than its state's budget or an invocation allows (S-53); a failure of the state. */
export class ModelTimeoutError extends ParkwayError {
  override readonly code = "model-timeout";
  constructor(
    readonly timeoutMs: number,
    /** What the provider had reported of the call by then. */
    readonly usage: SessionPatch = {},
  ) {
    super(`A model call took longer than the ${timeoutMs} ms it may take.`);
  }
}

/** An agent's graph is there to be read and drawn; a turn needs its session's lease, which only the agent takes. */
export class GraphNotRunnableError extends ParkwayError {
  override readonly code = "graph-not-runnable";
  constructor() {
    super("The graph runs no turn by itself: use invoke, stream, streamEvents or the workflow's methods of the agent.");
  }
}

/** The agent's checkpointer reads; what it would write is written by turns, in one commit with the session's record. */
export class CheckpointerReadOnlyError extends ParkwayError {
  override readonly code = "checkpointer-read-only";
  constructor() {
    super("The agent's checkpointer only reads: checkpoints are written by turns, together with the session's record.");
  }
}
