/** The HTTP layer under a model's client: `fetch` that follows the retry rules of A-46…A-52. */
import { type Attempt, type AttemptOptions, withAttempts } from "./attempts.js";

export interface HttpOptions extends AttemptOptions {
  fetch?: typeof fetch;
}

/**
 * A `fetch` that repeats failed requests. An answer counts as delivered once its body is here or, in a stream, its first
 * content; what fails later is final.
 */
export function retryingFetch(options: HttpOptions): typeof fetch {
  const send = options.fetch ?? fetch;
  return (url, init) => withAttempts(() => attemptOnce(send, url, init), options, init?.signal ?? undefined);
}

async function attemptOnce(send: typeof fetch, ...request: Parameters<typeof fetch>): Promise<Attempt<Response>> {
  try {
    const response = await send(...request);
    if (!response.ok) return { failed: refused(response) };
    if (response.body === null) return { delivered: response };
    const streamed = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const body = streamed ? await fromFirstContent(response.body) : await response.arrayBuffer();
    const headers = new Headers(response.headers);
    // The body is decoded by now, and of another length.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return { delivered: new Response(body, { status: response.status, statusText: response.statusText, headers }) };
  } catch (error) {
    const surface = () => {
      throw error;
    };
    return { failed: { error, text: async () => String(error), surface } };
  }
}

/** The client makes its own error of an answer that says no. */
function refused(response: Response) {
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    text: () => response.text().catch(() => ""),
    discard: () => response.body?.cancel(),
    surface: () => response,
  };
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
