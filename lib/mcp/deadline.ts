/** Work that ends in time. */
import type { Clock } from "../session/ports.js";

export interface Deadline {
  clock: Clock;
  ms: number;
  /** Ends the work before its time is over. */
  signal?: AbortSignal;
  late(): Error;
}

/**
 * Runs `work` with a signal that aborts when its time is over, and waits for it no longer.
 *
 * @throws what `late` makes, or the given signal's reason
 */
export async function within<T>(
  { clock, ms, signal, late }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const settled = new AbortController();
  void clock.sleep(ms, settled.signal).then(() => {
    if (!settled.signal.aborted) over.abort(late());
  });
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    return await unlessAborted(either, work(either));
  } finally {
    settled.abort();
  }
}

/** @throws the signal's reason as soon as it aborts */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const done = () => signal.removeEventListener("abort", onAbort);
    work.then(resolve, reject).finally(done);
  });
}
