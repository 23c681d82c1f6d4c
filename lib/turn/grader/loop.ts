/**
 * A grader's run (R-155…R-161): an isolated loop of its model, with a message list of its own. Each answer is written down
 * with what was decided with it before its calls are run, so a re-run goes on where the loop stood (S-49).
 */
import { modelCallsOf } from "../../session/attempts.js";
import { LeaseLostError } from "../../session/errors.js";
import { answerMessage } from "../../session/fold.js";
import type { StoredMessage } from "../../session/messages.js";
import type { CallAnswer, SessionState, Used } from "../../session/state.js";
import { addUsed } from "../../session/usage.js";
import { offloadLargeResult } from "../../tools/index.js";
import { RunControls, UNDECIDED } from "../automated/controls.js";
import { type RunEnd, stopOf, trailOfCalls } from "../automated/run-end.js";
import { performCall } from "../call.js";
import { InvocationEndedError, ModelTimeoutError, ModelWaitError, StepLimitError } from "../errors.js";
import { readEntry } from "../journal.js";
import { type ReachedLimit, usedBy } from "../meter.js";
import { isThrownByHook } from "../model-hooks.js";
import type { CallResult } from "../runnable-call.js";
import { MAX_TIMER_MS } from "../step-limit.js";
import type { Turn } from "../types.js";
import { askGrader } from "./ask.js";
import { decideBatch, shownAnswer } from "./batch.js";
import { type DecidedBatch, type LoopItem, loopCallKey, loopKey, openLoop } from "./thread.js";

/** Throws only what ends the turn or the invocation; what goes wrong with the grader itself is the end's `problem`. */
export async function runGrader(turn: Turn, state: SessionState): Promise<RunEnd> {
  const run = new GraderRun(turn, state);
  try {
    const problem = await run.loop();
    return { ...run.end(), problem };
  } catch (error) {
    if (error instanceof LimitReached) return { ...run.end(), problem: null, limit: error.limit };
    run.tellIfFailed(error);
    throw error;
  } finally {
    run.close();
  }
}

/** Ends the run, and the session with it. */
class LimitReached extends Error {
  constructor(readonly limit: ReachedLimit) {
    super(limit.reason);
  }
}

class GraderRun {
  private readonly controls: RunControls;
  private readonly messages: StoredMessage[] = [];
  /** Of its calls that are answered, by key in the order in which they were made; null until then. */
  private readonly results = new Map<string, CallResult | null>();
  private readonly earlier: readonly LoopItem[];
  private readonly startedAt: number;
  private readonly began = performance.now();
  private readonly spentBefore: number;
  /** The run itself, then every model call and every batch of calls. */
  private steps = 1;
  private modelCalls = 0;
  /** By the model's answers. */
  private used: Used = { tokens: 0, toolCalls: 0 };
  private isTold: boolean;
  private isLate = false;
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly stopped: Promise<void>;

  constructor(
    private readonly turn: Turn,
    private readonly state: SessionState,
  ) {
    this.controls = new RunControls(turn, state, "grader");
    this.earlier = openLoop(turn.writer, state);
    this.isTold = this.earlier.length > 0;
    this.startedAt = this.earlier[0]?.at ?? turn.host.clock.now();
    this.spentBefore = this.earlier.at(-1)?.spentMs ?? 0;
    const signal = AbortSignal.any([turn.signal, this.over.signal]);
    this.stopped = new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const leftMs = this.leftMs();
    if (leftMs !== undefined) this.timer = setTimeout(() => this.timeOut(), Math.min(leftMs, MAX_TIMER_MS));
  }

  /** @returns why the run failed, or null when a decision was accepted and its batch is answered */
  async loop(): Promise<string | null> {
    const { maxTurns } = this.budget();
    for (let n = 1; ; n += 1) {
      this.assertGoingOn();
      if (this.isLate) return this.lateness();
      if (maxTurns !== undefined && n > maxTurns) return `its budget of ${maxTurns} model calls is spent.`;
      this.takeStep();
      const known = this.earlier[n - 1];
      const item = known ?? (await this.ask(n));
      this.modelCalls = n;
      this.controls.modelCalls = modelCallsOf(this.state) + n;
      const problem = await this.act(n, item, { isNew: known === undefined });
      if (problem !== null || this.controls.decision !== null) return problem;
    }
  }

  end(): Omit<RunEnd, "problem"> {
    const answered = [...this.results.values()].filter((result) => result !== null);
    const { controls: effects, steps, modelCalls, startedAt } = this;
    const used = answered.reduce((sum, result) => (result.used ? addUsed(sum, result.used) : sum), this.used);
    return { effects, steps, modelCalls, startedAt, trail: trailOfCalls(answered), used };
  }

  /** The run is over: calls under way are told to stop, and no further one starts. */
  close(): void {
    clearTimeout(this.timer);
    this.over.abort(stopOf(this.turn.writer, "The grader's run is over."));
  }

  /** What was told to have begun is told to have ended, when the turn fails in the middle of it. */
  tellIfFailed(error: unknown): void {
    const { turn, state, startedAt } = this;
    const isFailing =
      error instanceof StepLimitError ||
      isThrownByHook(error) ||
      (turn.signal.aborted && !isEndOfInvocation(turn.signal.reason));
    if (!this.isTold || !isFailing) return;
    turn.emit({
      type: "grader-result",
      state: state.fields.position ?? "",
      status: "error",
      durationMs: turn.host.clock.now() - startedAt,
      reason: messageOf(error),
    });
  }

  /** The model's next answer. */
  private async ask(n: number): Promise<LoopItem> {
    const { turn, state } = this;
    this.drain();
    if (!this.isTold) turn.emit({ type: "grader-start", state: this.controls.slug });
    this.isTold = true;
    const reached = turn.meter.reached();
    if (reached) throw new LimitReached(reached);
    const leftMs = this.leftMs();
    const kept = () => ({ at: this.startedAt, spentMs: this.spentMs() });
    try {
      const answer = await askGrader(turn, state, {
        n,
        messages: this.messages,
        ...(leftMs !== undefined ? { timeoutMs: leftMs } : {}),
      });
      return { ...kept(), ...answer };
    } catch (error) {
      this.assertGoingOn();
      if (error instanceof ModelWaitError || isThrownByHook(error)) throw error;
      const isTimeout = error instanceof ModelTimeoutError;
      const isLate = this.isLate || (isTimeout && error.timeoutMs === leftMs);
      const failed = isLate ? this.lateness() : `its model failed: ${messageOf(error)}`;
      const usage = isTimeout ? error.usage.usage : undefined;
      return { ...kept(), message: null, ...(usage ? { usage } : {}), failed };
    }
  }

  /** Does what an answer asks for. @returns why the state has failed with it, or null */
  private async act(n: number, item: LoopItem, { isNew }: { isNew: boolean }): Promise<string | null> {
    const used = usedBy(item.usage, item.message?.tool_calls?.length ?? 0);
    this.turn.meter.count(used);
    this.used = addUsed(this.used, used);
    if (item.failed !== undefined) {
      if (isNew && item.usage) await this.keep(n, item);
      return item.failed;
    }
    const calls = item.message?.tool_calls ?? [];
    if (item.message !== null) this.messages.push(item.message);
    const mayAct = calls.length > 0 && !this.isAtLimit();
    const batch = item.batch ?? (mayAct ? await decideBatch(this.turn, this.controls, item) : undefined);
    if (isNew || (batch && !item.batch)) await this.keep(n, { ...item, ...(batch ? { batch } : {}) });
    if (item.message === null) return "its model said nothing and called nothing.";
    if (calls.length === 0) return `its model answered in text, ${UNDECIDED}`;
    this.takeStep();
    if (batch === undefined) throw new StepLimitError(this.turn.recursionLimit);
    if (item.batch) this.restore(item.batch);
    const answers = await this.answersOf(n, batch);
    if (answers === null) return this.lateness();
    this.messages.push(...answers.map(answerMessage));
    return batch.failure ?? null;
  }

  /** The answers to all calls of a message, which are sent in its order; null when the run's time passed before they were in. */
  private async answersOf(n: number, batch: DecidedBatch): Promise<CallAnswer[] | null> {
    const { turn, state } = this;
    const open = batch.tasks.filter(({ index }) => !readEntry(turn.writer, loopCallKey(state, n, index))?.answer);
    if (open.length > 0) this.drain();
    const running = Promise.allSettled(batch.tasks.map((task) => this.run(n, task)));
    await Promise.race([running, this.stopped]);
    this.assertGoingOn();
    if (this.isLate) return null;
    const ran = (await running).map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
    return [...batch.answers.map((answer) => shownAnswer(this.controls, answer)), ...ran];
  }

  private async run(n: number, { index, ...call }: DecidedBatch["tasks"][number]): Promise<CallAnswer> {
    const { turn, state } = this;
    const key = loopCallKey(state, n, index);
    this.results.set(key, null);
    const result = await performCall(turn, {
      ...call,
      state: this.controls.slug,
      key,
      origin: "grader",
      modelCalls: this.controls.modelCalls,
      evaluationAt: this.startedAt,
      runSignal: this.over.signal,
    });
    // The next invocation goes on with the call (S-55).
    if (result === null) throw new InvocationEndedError();
    this.results.set(key, result);
    const text = await offloadLargeResult(turn.workspace, { callId: call.callId, tool: call.tool, text: result.text });
    return { ...result, callId: call.callId, tool: call.tool, text };
  }

  private async keep(n: number, item: LoopItem): Promise<void> {
    const { turn, state } = this;
    const { dispatched } = item.batch ?? {};
    const value = JSON.stringify({ ...item, ...(dispatched !== undefined ? { dispatch: dispatched } : {}) });
    await turn.writer.journalPut([{ key: loopKey(state, n), value }], { beginsOnly: false });
  }

  private restore({ effects }: DecidedBatch): void {
    this.controls.written.push(...effects.written);
    this.controls.events.push(...effects.events);
    this.controls.decision = effects.decision;
  }

  /** S-50: what is written down is enough for the next invocation to go on. */
  private drain(): void {
    const { turn } = this;
    if (turn.isEnding() && turn.writer.hasCommitted) throw new InvocationEndedError();
  }

  private assertGoingOn(): void {
    this.turn.signal.throwIfAborted();
    this.turn.writer.assertOwned();
  }

  private takeStep(): void {
    if (this.isAtLimit()) throw new StepLimitError(this.turn.recursionLimit);
    this.steps += 1;
  }

  private isAtLimit(): boolean {
    return (this.state.fields.stepsUsed ?? 0) + this.steps >= this.turn.recursionLimit;
  }

  private budget(): { timeoutMs?: number; maxTurns?: number } {
    return this.turn.machine.states.get(this.controls.slug)?.spec.budget ?? {};
  }

  private spentMs(): number {
    return Math.round(this.spentBefore + performance.now() - this.began);
  }

  private leftMs(): number | undefined {
    const { timeoutMs } = this.budget();
    return timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - this.spentMs());
  }

  private timeOut(): void {
    this.isLate = true;
    this.over.abort(new Error("The grader's time is up."));
  }

  private lateness(): string {
    return `its run took longer than the ${this.budget().timeoutMs} ms it may take.`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Another invocation, or another owner, goes on with the run. */
function isEndOfInvocation(reason: unknown): boolean {
  return reason instanceof InvocationEndedError || reason instanceof LeaseLostError;
}
