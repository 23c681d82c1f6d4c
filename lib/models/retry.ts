/** When a failed request is made again, and after which wait (A-46…A-52, F-67). */
import { AsyncLocalStorage } from "node:async_hooks";

/** A failed request, as `onError` is asked about it. */
export interface FailedAttempt {
  error?: unknown;
  status?: number;
  /** From 0. */
  attempt: number;
  /** What the rules say: network errors and 429, 500, 502, 503, 504. */
  retryable: boolean;
}

/** How often a failed request is made again, and after which wait. */
export interface RetryOptions {
  /** Further attempts after the first. Default 2. */
  retries?: number;
  /** Wait after the first failed attempt, in milliseconds; doubled after each. Default 500. */
  baseMs?: number;
  /** Decides each failed attempt, within `retries`. An abort is never asked about. */
  onError?(failure: FailedAttempt): "retry" | "fail";
}

/** The option `retry`. @throws {TypeError} naming what is wrong with it */
export function checkRetry(option: unknown): asserts option is RetryOptions | undefined {
  if (option === undefined) return;
  if (typeof option !== "object" || option === null || Array.isArray(option)) {
    throw new TypeError("`retry` must be an object: { retries?, baseMs?, onError? }.");
  }
  const { retries, baseMs, onError, ...others } = option as Record<string, unknown>;
  const unknown = Object.keys(others).map((key) => `"${key}"`);
  if (unknown.length > 0) throw new TypeError(`\`retry\` has no option ${unknown.join(", ")}.`);
  if (retries !== undefined && !(Number.isSafeInteger(retries) && Number(retries) >= 0)) {
    throw new TypeError("`retry.retries` must be a whole number from 0: further attempts after the first.");
  }
  if (baseMs !== undefined && !(Number.isFinite(baseMs) && Number(baseMs) >= 0)) {
    throw new TypeError("`retry.baseMs` must be a number of milliseconds from 0.");
  }
  if (onError !== undefined && typeof onError !== "function") {
    throw new TypeError('`retry.onError` must be a function that answers "retry" or "fail".');
  }
}

/** Resolves after `ms`, and rejects with the signal's reason as soon as it aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** What one model call brings along for its requests: attempts made in earlier invocations, and the longest wait. */
export interface RetryScope {
  attempt: number;
  /** Milliseconds a wait may last from now on; absent: any. */
  maxWaitMs?(): number;
}
export const retryScope = new AsyncLocalStorage<RetryScope>();

const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504]);

export function isRetriedStatus(status: number): boolean {
  return RETRIED_STATUSES.has(status);
}

/** The wait a `Retry-After` header asks for, in milliseconds; `null` when it says nothing this layer honours. */
export function retryAfterMs(value: string | null | undefined): number | null {
  const digits = value?.trim() ?? "";
  if (!/^[0-9]+$/.test(digits)) return null;
  const seconds = Number(digits);
  return seconds <= 2_147_483_647 ? seconds * 1000 : null;
}

/** The wait after failed attempt `attempt` (from 0). `random` is in [0, 1). */
export function retryDelayMs(
  attempt: number,
  options: { baseMs: number; retryAfter?: string | null; random: number },
): number {
  return retryAfterMs(options.retryAfter) ?? options.baseMs * 2 ** attempt + Math.floor(options.random * 100);
}

/** Node fires a timer of more than this many milliseconds at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits on the process's timers, in pieces where the wait is longer than a timer can be. */
export const sleepOnTimers: Sleep = async (ms, signal) => {
  const { setTimeout: wait } = await import("node:timers/promises");
  signal?.throwIfAborted();
  for (const piece of timerPieces(ms)) {
    try {
      await wait(piece, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
};

/** A wait as timers that can be set. */
export function timerPieces(ms: number): number[] {
  const pieces = new Array<number>(Math.floor(ms / LONGEST_TIMER_MS)).fill(LONGEST_TIMER_MS);
  return [...pieces, ms % LONGEST_TIMER_MS];
}
