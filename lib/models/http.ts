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
    const isStream = response.headers.get("content-type")?.includes(STREAM) ?? false;
    const body = isStream ? await fromFirstContent(response.body) : await response.text();
    const streamAsked = asksForStream(request[1]?.body, isStream);
    const streamed = isStream || (streamAsked && EVENTS.test(String(body)));
    if (!streamed || !streamAsked) await requireCompletion(body, streamAsked);
    const headers = new Headers(response.headers);
    // The body is decoded by now, and of another length.
    headers.delete("content-encoding");
    headers.delete("content-length");
    // The client reads an answer by any other name as text.
    headers.set("content-type", streamed ? STREAM : "application/json");
    return { delivered: new Response(body, { status: response.status, statusText: response.statusText, headers }) };
  } catch (error) {
    const surface = () => {
      throw error;
    };
    const final = error instanceof NoCompletionError && { retryable: false };
    return { failed: { error, text: async () => String(error), surface, ...final } };
  }
}

const STREAM = "text/event-stream";
/** What a stream of events begins with, where an endpoint calls it by another name. */
const EVENTS = /^\s*(?:(?:data|event|id|retry)?:)/;

/** A page, another service, or a form that was not asked for: the client would take it for a model that says nothing. */
class NoCompletionError extends Error {
  override readonly name = "NoCompletionError";
}

/** A long request takes a while to read, so it is read only where the words alone do not tell. */
function asksForStream(body: RequestInit["body"], isStream: boolean): boolean {
  if (typeof body !== "string" || !/"stream":\s*true/.test(body)) return false;
  return isStream || (JSON.parse(body) as { stream?: unknown }).stream === true;
}

/** @throws {NoCompletionError} for a body that is no chat completion of the form that was asked for */
async function requireCompletion(body: string | ReadableStream<Uint8Array>, streamAsked: boolean): Promise<void> {
  if (typeof body !== "string") {
    await body.cancel();
    throw new NoCompletionError("the endpoint answered with a stream, and none was asked for");
  }
  if (!isCompletion(body)) {
    const said = body.trim().replace(/\s+/g, " ").slice(0, SHOWN);
    throw new NoCompletionError(
      `the endpoint's answer is no chat completion; is ARCHMAX_API_BASE_URL right? It answered ${said || "nothing"}`,
    );
  }
  if (streamAsked)
    throw new NoCompletionError("the endpoint does not stream as it was asked to; set ARCHMAX_STREAMING=off");
}

/** Of an answer that is none, enough to see whose it is. */
const SHOWN = 120;

function isCompletion(body: string): boolean {
  try {
    return Array.isArray((JSON.parse(body) as { choices?: unknown } | null)?.choices);
  } catch {
    return false;
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

/** What the last event of an answer has, and none before it. */
const END = /"finish_reason"\s*:\s*"[^"]|\[DONE\]|"error"\s*:/;
/** More than the longest of these, so that one that is cut in two by the transport is seen. */
const TAIL = 64;

/**
 * The stream once its first content is here, from its beginning. Rejects when it breaks before; one that ends in the
 * middle of its answer breaks, however quietly the connection was closed.
 */
async function fromFirstContent(body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const held: Uint8Array[] = [];
  let text = "";
  while (!CONTENT.test(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended before its answer began");
    held.push(value);
    text += decoder.decode(value, { stream: true });
  }
  let ended = END.test(text);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = held.shift();
      if (first !== undefined) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (!done) {
        text = text.slice(-TAIL) + decoder.decode(value, { stream: true });
        ended ||= END.test(text);
        controller.enqueue(value);
      } else if (ended) controller.close();
      else controller.error(new Error("the stream ended in the middle of its answer"));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
