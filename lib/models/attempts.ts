/** Attempts at one request until one is delivered, its failure is final, or nothing is left to try (A-46…A-52). */
import { ModelCallError, ModelWaitTooLongError } from "./errors.js";
import { isRetriedStatus, type RetryOptions, retryAfterMs, retryDelayMs, retryScope, type Sleep } from "./retry.js";
import { sanitizeErrorText } from "./sanitize.js";

export interface AttemptOptions {
  retry?: RetryOptions;
  sleep: Sleep;
  /** In [0, 1); spreads the waits. */
  random(): number;
}

/** An attempt that delivered nothing. */
export interface FailedRequest<T> {
  /** HTTP status of the answer; absent when there was none. */
  status?: number;
  /** What was thrown where nothing was answered. */
  error?: unknown;
  /** Default: by status, and true where there is none. */
  retryable?: boolean;
  retryAfter?: string | null;
  /** What the failure says. */
  text(): Promise<string>;
  /** Lets go of an answer nobody reads. */
  discard?(): Promise<unknown> | undefined;
  /** The failure as the caller is to see it: an answer that says so, or a throw. */
  surface(): T;
}

export type Attempt<T> = { delivered: T } | { failed: FailedRequest<T> };

/** No invocation is handed over for longer than this (A-52); then the provider's error surfaces. */
const LONGEST_HANDOVER_MS = 3_600_000;

/**
 * @throws the signal's reason on abort, before anything else is judged
 * @throws {ModelWaitTooLongError} when the next attempt is another invocation's
 */
export async function withAttempts<T>(
  attemptOnce: () => Promise<Attempt<T>>,
  options: AttemptOptions,
  signal?: AbortSignal,
): Promise<T> {
  const { retries = 2, baseMs = 500, onError } = options.retry ?? {};
  for (let attempt = retryScope.getStore()?.attempt ?? 0; ; attempt++) {
    const outcome = await attemptOnce();
    signal?.throwIfAborted();
    if ("delivered" in outcome) return outcome.delivered;
    const { failed } = outcome;
    const { status, error } = failed;
    const retryable = failed.retryable ?? (status === undefined || isRetriedStatus(status));
    const verdict =
      onError?.(status === undefined ? { error, attempt, retryable } : { status, attempt, retryable }) ??
      (retryable ? "retry" : "fail");
    if (verdict === "fail" || attempt >= retries) return failed.surface();

    const retryAfter = retryable ? failed.retryAfter : null;
    const waitMs = retryDelayMs(attempt, { baseMs, retryAfter, random: options.random() });
    if (waitMs > (retryScope.getStore()?.maxWaitMs?.() ?? Number.POSITIVE_INFINITY)) {
      if (waitMs > LONGEST_HANDOVER_MS) throw await waitRefused(failed, waitMs);
      throw new ModelWaitTooLongError(waitMs, attempt + 1, status);
    }
    await failed.discard?.();
    await options.sleep(waitMs, signal);
  }
}

async function waitRefused(failed: FailedRequest<unknown>, waitMs: number): Promise<ModelCallError> {
  const { status } = failed;
  return new ModelCallError(
    `The model call failed${status ? ` with ${status}` : ""}, and the provider asks to wait ${waitMs / 1000} s: ` +
      sanitizeErrorText(await failed.text()),
    { status, retryAfterMs: retryAfterMs(failed.retryAfter) ?? undefined },
  );
}
