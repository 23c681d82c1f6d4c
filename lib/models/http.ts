/** The HTTP layer under a model's client: `fetch` that follows the retry rules of A-46…A-52. */
import { ModelCallError, ModelWaitTooLongError } from "./errors.js";
import { isRetriedStatus, type RetryOptions, retryAfterMs, retryDelayMs, retryScope, type Sleep } from "./retry.js";
import { sanitizeErrorText } from "./sanitize.js";

export interface HttpOptions {
  retry?: RetryOptions;
  fetch?: typeof fetch;
  sleep: Sleep;
  /** In [0, 1); spreads the waits. */
  random(): number;
}

/** No invocation is handed over for longer than this (A-52); then the provider's error surfaces. */
const LONGEST_HANDOVER_MS = 3_600_000;

type Attempt = { response: Response } | { error: unknown };

/**
 * A `fetch` that repeats failed requests. An answer counts as delivered once its body is here or, in a stream, its first
 * content; what fails later is final (A-47).
 */
export function retryingFetch(options: HttpOptions): typeof fetch {
  const send = options.fetch ?? fetch;
  const { retries = 2, baseMs = 500, onError } = options.retry ?? {};
  return async (url, init) => {
    const signal = init?.signal ?? undefined;
    for (let attempt = retryScope.getStore()?.attempt ?? 0; ; attempt++) {
      const outcome = await attemptOnce(send, url, init);
      signal?.throwIfAborted();
      if ("response" in outcome && outcome.response.ok) return outcome.response;
      const status = "response" in outcome ? outcome.response.status : undefined;
      const retryable = status === undefined || isRetriedStatus(status);
      const failure =
        "error" in outcome ? { error: outcome.error, attempt, retryable } : { status, attempt, retryable };
      const verdict = onError?.(failure) ?? (retryable ? "retry" : "fail");
      if (verdict === "fail" || attempt >= retries) return settle(outcome);

      const retryAfter = "response" in outcome && retryable ? outcome.response.headers.get("retry-after") : null;
      const waitMs = retryDelayMs(attempt, { baseMs, retryAfter, random: options.random() });
      if (waitMs > (retryScope.getStore()?.maxWaitMs?.() ?? Number.POSITIVE_INFINITY)) {
        if (waitMs > LONGEST_HANDOVER_MS) throw await waitRefused(outcome, waitMs);
        throw new ModelWaitTooLongError(waitMs, attempt + 1, status);
      }
      if ("response" in outcome) await outcome.response.body?.cancel();
      await options.sleep(waitMs, signal);
    }
  };
}

async function attemptOnce(send: typeof fetch, ...request: Parameters<typeof fetch>): Promise<Attempt> {
  try {
    const response = await send(...request);
    if (!response.ok || response.body === null) return { response };
    const streamed = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const body = streamed ? await fromFirstContent(response.body) : await response.arrayBuffer();
    const headers = new Headers(response.headers);
    // The body is decoded by now, and of another length.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return { response: new Response(body, { status: response.status, statusText: response.statusText, headers }) };
  } catch (error) {
    return { error };
  }
}

function settle(outcome: Attempt): Response {
  if ("response" in outcome) return outcome.response;
  throw outcome.error;
}

async function waitRefused(outcome: Attempt, waitMs: number): Promise<ModelCallError> {
  const status = "response" in outcome ? outcome.response.status : undefined;
  const text = "response" in outcome ? await outcome.response.text().catch(() => "") : String(outcome.error);
  return new ModelCallError(
    `The model call failed${status ? ` with ${status}` : ""}, and the provider asks to wait ${waitMs / 1000} s: ` +
      sanitizeErrorText(text),
    {
      status,
      retryAfterMs:
        "response" in outcome ? (retryAfterMs(outcome.response.headers.get("retry-after")) ?? undefined) : undefined,
    },
  );
}

/** Text, a tool's name or arguments, the reason of the end, or the end itself. */
const CONTENT = /"(?:content|reasoning_content|name|arguments|finish_reason)"\s*:\s*"[^"]|\[DONE\]|"error"\s*:/;

/** The stream once its first content is here, from its beginning. Rejects when it breaks before. */
async function fromFirstContent(body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const held: Uint8Array[] = [];
  let text = "";
  while (!CONTENT.test(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    held.push(value);
    text += decoder.decode(value, { stream: true });
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = held.shift();
      if (first !== undefined) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
