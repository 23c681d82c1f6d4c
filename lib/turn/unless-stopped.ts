/**
 * Waits for a host's code no longer than `signal` allows: code that never returns cannot hold a turn that was stopped. What
 * it comes to later is looked at by nobody.
 *
 * @throws the signal's reason, also where it has aborted before; else what the work throws
 */
export async function unlessStopped<T>(
  { signal }: { readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work(), stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
