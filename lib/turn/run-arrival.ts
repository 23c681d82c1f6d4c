/** One arrival's leg, from the lease to what it settles as (R-11, R-53, S-31…S-33, S-50). */
import { isGraphDrained, RunControl } from "@langchain/langgraph";
import type { Arrival, DeadLetter, StoredError } from "../session/arrival.js";
import {
  InvalidTurnFileError,
  isOfNewerVersion,
  isStoreFailure,
  LeaseLostError,
  ParkwayError,
  SessionWorkflowMismatchError,
} from "../session/errors.js";
import { applyPatches } from "../session/fold.js";
import { outcomeOf, storedOutcomeOf } from "../session/outcome.js";
import type { Settlement, Work } from "../session/ports.js";
import { DEAD_LETTER_TTL_MS, isHeldTooLong, MAX_ATTEMPTS, RETRY_MAX_MS } from "../session/protocol/index.js";
import { unsettledLetterId } from "../session/redrive.js";
import { closeRun } from "./automated/run-end.js";
import { cancelChildren } from "./delegation/cancel-children.js";
import { InvocationEndedError, ModelWaitError } from "./errors.js";
import { failurePatch } from "./failure.js";
import { compileTurnGraph, type TurnGraph } from "./graph.js";
import { lifecycleEvents } from "./lifecycle.js";
import { nextStep } from "./next-step.js";
import { openArrival } from "./opening.js";
import { ThreadSaver } from "./thread/saver.js";
import type { DriveGraph, LegEnd, LegOptions, Turn } from "./types.js";

export async function runArrival(turn: Turn, work: Work, options: LegOptions): Promise<LegEnd> {
  try {
    return await runLeg(turn, work, options);
  } finally {
    await turn.repl.close();
  }
}

async function runLeg(turn: Turn, work: Work, options: LegOptions): Promise<LegEnd> {
  const { writer, arrival } = turn;
  const resumed = writer.state.fields.arrivalId === arrival.id;
  const heldTooLong = !resumed && isHeldTooLong(arrival, turn.host.clock.now());
  // A wake-up whose delivery has not committed is tried for ever, with growing pauses (F-27).
  const poison = work.attempt > MAX_ATTEMPTS && (arrival.wakes === undefined || resumed);
  if (heldTooLong || poison) return giveUp(turn, work, { opened: resumed, heldTooLong });
  const graph = compileTurnGraph(new ThreadSaver(writer), turn.host.graph);
  try {
    if (!resumed) {
      turn.signal.throwIfAborted();
      // N-2: a session belongs to the workflow that opened it; another one's rules never apply to it.
      const { workflow } = writer;
      if (workflow !== arrival.workflow) {
        return refused(turn, work, new SessionWorkflowMismatchError(turn.sessionId, workflow, arrival.workflow));
      }
      const opened = await openArrival(turn, writer.state);
      if (opened.kind === "refuse") return refused(turn, work, opened.error);
      if (opened.kind === "hold") return opened;
      if (opened.kind === "moot") return settled(turn, { status: "settled", events: [] });
      turn.opening = opened.step;
    }
    const idle = resumed && nextStep(turn.machine, writer.state, turn.recursionLimit) === "end";
    if (!idle) await invoke(graph, turn, resumed);
  } catch (error) {
    await turn.children.stop();
    if (turn.signal.aborted && !(turn.signal.reason instanceof InvocationEndedError)) await cancelChildren(turn);
    return ended(graph, turn, error, options);
  }
  await turn.children.stop();
  return finished(turn);
}

/** LangGraph's own step bound is out of the way: ours is counted in the state, leg by leg. */
const NO_GRAPH_LIMIT = 1_000_000;

async function invoke(graph: TurnGraph, turn: Turn, resumed: boolean): Promise<void> {
  const control = new RunControl();
  turn.onStep = () => {
    // What is written down as begun is run, though the time ran out in between.
    const { hasCommitted, begun } = turn.writer;
    if (begun.size > 0) return;
    if (hasCommitted && turn.isEnding()) control.requestDrain("deadline");
    // To have a child wait is no step, and a turn that did nothing else has nothing to do here (S-56).
    else if (turn.childGoesOnAt !== undefined) control.requestDrain("a child waits");
  };
  // What the steps came to is in the store; nobody reads it here.
  const drive: DriveGraph =
    turn.options.drive ?? ((driven, input, config) => driven.invoke(input, { ...config, streamMode: [] }));
  await drive(graph, resumed ? null : ({ session: [] } as never), {
    configurable: { ...givenConfigurable(turn.options), thread_id: turn.sessionId, turn },
    durability: "sync",
    recursionLimit: NO_GRAPH_LIMIT,
    control,
  });
}

/** H-57: what names a thread or a place in one stays the session's; a turn goes on from its newest checkpoint. */
function givenConfigurable({ configurable = {} }: LegOptions): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(configurable).filter(([name]) => !/^(__pregel_|checkpoint_|thread_ts$)/.test(name)),
  );
}

function finished(turn: Turn): LegEnd {
  const outcome = outcomeOf(turn.writer.state);
  const disabled = outcome.kind === "rejected" && turn.machine.disabled;
  const deadLetter = disabled ? deadLetterOf(turn, 1, `workflow-disabled: ${outcome.rejected}`) : undefined;
  return {
    ...settled(turn, {
      status: "settled",
      outcome: storedOutcomeOf(turn.writer.state),
      events: lifecycleEvents(turn),
      ...(deadLetter ? { deadLetter } : {}),
    }),
    outcome,
  };
}

/** R-12, S-18: the session stays what it was; a firing's sender reads no answer, so its input is kept. */
function refused(turn: Turn, work: Work, error: ParkwayError): LegEnd {
  const deadLetter = deadLetterOf(turn, work.attempt, error.message);
  return {
    ...settled(turn, {
      status: "refused",
      error: storedError(error),
      events: [],
      ...(deadLetter ? { deadLetter } : {}),
    }),
    error,
  };
}

function settled(
  turn: Turn,
  part: Omit<Settlement, "arrivalId" | "now" | "commit">,
): Extract<LegEnd, { kind: "settle" }> {
  const settlement: Settlement = {
    ...part,
    arrivalId: turn.arrival.id,
    commit: turn.writer.take(),
    now: turn.host.clock.now(),
  };
  return { kind: "settle", settlement };
}

/** What was thrown decides: the invocation ends, the session was lost, the stores failed, or the turn failed (R-53, S-90, S-94). */
async function ended(graph: TurnGraph, turn: Turn, error: unknown, options: LegOptions): Promise<LegEnd> {
  const { writer } = turn;
  const unstarted = writer.journalWithdraw();
  if (isGraphDrained(error) || error instanceof InvocationEndedError) return handedOver(turn, error);
  try {
    writer.assertOwned();
  } catch (lost) {
    if (lost instanceof LeaseLostError) throw lost;
    // A child's state; the session's own is read before its turn begins.
    if (isOfNewerVersion(lost)) return { kind: "delay", unstarted, until: turn.host.clock.now() + RETRY_MAX_MS };
    return isStoreFailure(lost) ? { kind: "delay", unstarted } : { kind: "release", failed: messageOf(lost) };
  }
  if (error instanceof InvalidTurnFileError) return refused(turn, { arrival: turn.arrival, attempt: 1 }, error);
  const thrown = error instanceof Error ? error : new Error(messageOf(error));
  if (writer.state.fields.arrivalId !== turn.arrival.id) {
    return turn.signal.aborted ? withdrawn(turn, thrown) : { kind: "release", failed: thrown.message };
  }
  await failTurn(graph, turn, error, options);
  return {
    ...settled(turn, {
      status: "error",
      error: storedError(thrown),
      outcome: storedOutcomeOf(writer.state),
      events: lifecycleEvents(turn),
    }),
    outcome: outcomeOf(writer.state),
    error: thrown,
  };
}

/** For at once, unless there is nothing to do before a model may be asked again (S-50). */
function handedOver(turn: Turn, error: unknown): LegEnd {
  const until = error instanceof ModelWaitError ? error.until : turn.childGoesOnAt;
  // Whoever closes, or runs out of time in the middle of a step, leaves something to go on with.
  const isForNow = until === undefined || until <= turn.host.clock.now();
  return isForNow || turn.signal.aborted ? { kind: "release" } : { kind: "release", until };
}

/** S-20: stopped before it began, so the session, a park included, stays what it was. */
function withdrawn(turn: Turn, error: Error): LegEnd {
  const now = turn.host.clock.now();
  const settlement: Settlement = {
    arrivalId: turn.arrival.id,
    status: "superseded",
    error: storedError(error),
    events: [],
    now,
  };
  return { kind: "settle", settlement, error };
}

function isCancelled(options: LegOptions): boolean {
  return options.signal?.aborted === true;
}

/** the failure is one more step of the thread, on top of what was committed. */
async function failTurn(graph: TurnGraph, turn: Turn, error: unknown, options: LegOptions): Promise<void> {
  const { writer } = turn;
  const state = applyPatches(writer.state, writer.pendingPatches());
  const failed = failurePatch(state, { error, cancelled: isCancelled(options) || turn.signal.aborted });
  // An automated state may have been in the middle of its run.
  const closed = closeRun(writer, state);
  const patch = { ...failed, ...closed, set: { ...failed.set, ...closed.set } };
  writer.stepEnd = "settle";
  await graph.updateState({ configurable: { thread_id: turn.sessionId } }, { session: [patch] } as never, "settle");
}

/** A child that takes the process down as it is read must not keep the session for ever. */
const CANCEL_ATTEMPTS = 3;

/**
 * S-91: after too many attempts the input is kept as a dead letter and the session is free again. Children in the middle of
 * their work end before it: nobody would go on with them.
 */
async function giveUp(
  turn: Turn,
  work: Work,
  { opened, heldTooLong }: { opened: boolean; heldTooLong: boolean },
): Promise<LegEnd> {
  const reason = heldTooLong
    ? "The firing was held for too long while the session waited for a person."
    : `The arrival was given up after ${work.attempt - 1} attempts.`;
  const deadLetter = deadLetterOf(turn, work.attempt - 1, reason, { always: true })!;
  const error = new ParkwayError(`${reason} It is kept as dead letter ${deadLetter.id}.`);
  if (opened) {
    // The children's ends are no progress of the turn, which would begin to count its attempts anew.
    turn.writer.hasCommitted = true;
    const isStuck = work.attempt > MAX_ATTEMPTS + CANCEL_ATTEMPTS;
    if (!isStuck) await cancelChildren(turn, AbortSignal.abort(error));
    try {
      turn.writer.assertOwned();
    } catch (lost) {
      if (lost instanceof LeaseLostError) throw lost;
      return { kind: "delay", unstarted: [] };
    }
    await failTurn(compileTurnGraph(new ThreadSaver(turn.writer)), turn, error, {});
  }
  return {
    ...settled(turn, {
      status: "dead",
      error: storedError(error),
      events: lifecycleEvents(turn, { deadLetter }),
      deadLetter,
    }),
    error,
  };
}

function deadLetterOf(
  turn: Turn,
  attempts: number,
  reason: string,
  options?: { always: true },
): DeadLetter | undefined {
  const { arrival, host } = turn;
  if (!options?.always && !["webhook", "bus", "redrive"].includes(arrival.source)) return undefined;
  return deadLetterFor(arrival, { attempts, reason, at: host.clock.now() });
}

export function deadLetterFor(arrival: Arrival, told: { attempts: number; reason: string; at: number }): DeadLetter {
  return { id: unsettledLetterId(arrival.id), arrival, ...told, expiresAt: told.at + DEAD_LETTER_TTL_MS };
}

export function storedError(error: Error): StoredError {
  if (error instanceof ParkwayError) return error.toJSON();
  return { name: error.name, message: error.message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
