/** The time of one case (C-46, W-44). */
import type { Clock } from "../session/ports.js";
import { CaseTimeoutError } from "./errors.js";

export const DEFAULT_CASE_TIMEOUT_MS = 120_000;
/** How long work that was told to stop may take to do so, before the case ends without it. */
const STOPPING_MS = 2_000;

export interface Deadline {
  /** Aborts when the time is over, or when the caller's signal does. */
  signal: AbortSignal;
  /**
   * Does one piece of the case's work. Work that is under way when the time is over is waited for, shortly.
   *
   * @throws what the work throws; the signal's reason once it has aborted, whatever became of the work
   */
  within<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** The case has ended. */
  release(): void;
}

export function startDeadline(options: { timeoutMs: number; clock: Clock; signal?: AbortSignal }): Deadline {
  const { timeoutMs, clock } = options;
  const ended = new AbortController();
  const late = new AbortController();
  void clock.sleep(timeoutMs, ended.signal).then(() => {
    if (!ended.signal.aborted) late.abort(new CaseTimeoutError(timeoutMs));
  });
  const signal = options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal;
  return {
    signal,
    async within(work) {
      signal.throwIfAborted();
      const running = work(signal);
      const settled = running.then(
        () => {},
        () => {},
      );
      await Promise.race([settled, aborted(signal, ended.signal).then(() => clock.sleep(STOPPING_MS, ended.signal))]);
      signal.throwIfAborted();
      return running;
    },
    release: () => ended.abort(),
  };
}

/** Settles with either signal, and leaves no listener behind once the case has ended. */
function aborted(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any([signal, ended]);
    if (either.aborted) resolve();
    else either.addEventListener("abort", () => resolve(), { once: true });
  });
}
