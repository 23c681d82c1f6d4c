/** How messages reach a remote server: streamable HTTP, or the older SSE transport (A-46, A-63). */
import { AsyncLocalStorage } from "node:async_hooks";
import type {
  FetchLike,
  JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { type Attempt, isRetriedStatus, type RetryOptions, withAttempts } from "../models/index.js";
import type { Clock } from "../session/ports.js";

/** What a request is made for; the transports know only messages. */
export interface RequestScope {
  signal: AbortSignal;
  /** Epoch milliseconds: no attempt is waited for that would come later. */
  deadlineAt: number;
  /** Whether a request that may have been carried out may be sent again (S-41, H-131). */
  repeatable: boolean;
}
export const requestScope = new AsyncLocalStorage<RequestScope>();

export interface HttpOptions {
  retry?: RetryOptions;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
}

type Sdk = {
  StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  SSEClientTransport: typeof SSEClientTransport;
};
interface Address {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

/** The `data` of the answer that stands for one that will not come. */
export const LOST = "connection-lost";

export function streamableTransport(
  sdk: Sdk,
  { url, headers }: Address,
  options: HttpOptions,
): StreamableHTTPClientTransport {
  class StreamableTransport extends sdk.StreamableHTTPClientTransport {
    /** The SDK waits for the answer of a stream that broke until the request's time is over. */
    override send(message: JSONRPCMessage, given?: TransportSendOptions): Promise<void> {
      if (!("method" in message) || !("id" in message)) return super.send(message, given);
      const { id } = message;
      const onRequestStreamEnd = () =>
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: "The stream ended.", data: LOST } });
      return super.send(message, { ...given, requestSignal: requestScope.getStore()?.signal, onRequestStreamEnd });
    }
  }
  return new StreamableTransport(url, { requestInit: { headers: { ...headers } }, fetch: retrying(options) });
}

export function sseTransport(sdk: Sdk, { url, headers }: Address, options: HttpOptions) {
  return new sdk.SSEClientTransport(url, {
    requestInit: { headers: { ...headers } },
    fetch: retrying(options),
    eventSourceInit: { fetch: (address, init) => fetch(address, init as RequestInit) },
  });
}

/**
 * A `fetch` under the retry rules of A-46…A-51. The standing stream of what a server says by itself is not asked for:
 * nothing would read it (A-65), and it would keep a connection open between turns.
 */
function retrying(options: HttpOptions): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET" } = init;
    if (method === "GET" && !new Headers(init.headers).has("last-event-id")) return new Response(null, { status: 405 });
    if (method !== "POST") return fetch(url, init);
    const scope = requestScope.getStore();
    let status: number | undefined;
    const attempt = async (): Promise<Attempt<Response>> => {
      const outcome = await attemptOnce(url, init, scope?.repeatable ?? true);
      status = "failed" in outcome ? outcome.failed.status : undefined;
      return outcome;
    };
    const sleep = async (ms: number, signal?: AbortSignal) => {
      if (scope && options.clock.now() + ms > scope.deadlineAt) throw new WaitTooLong(ms, status);
      await options.clock.sleep(ms, signal);
      signal?.throwIfAborted();
    };
    return withAttempts(attempt, { retry: options.retry, random: options.random, sleep }, init.signal ?? undefined);
  };
}

/** The server asks for a longer wait than the call has time. */
export class WaitTooLong extends Error {
  constructor(waitMs: number, status: number | undefined) {
    super(
      `${status === undefined ? "could not be reached" : `answered ${status}`}; the next attempt is due in ${waitMs / 1000} s`,
    );
  }
}

async function attemptOnce(url: string | URL, init: RequestInit, repeatable: boolean): Promise<Attempt<Response>> {
  try {
    const response = await fetch(url, init);
    if (response.ok || !isRetriedStatus(response.status)) return { delivered: response };
    return {
      failed: {
        status: response.status,
        retryable: repeatable || REFUSED.has(response.status),
        retryAfter: response.headers.get("retry-after"),
        text: () => response.text().catch(() => ""),
        discard: () => response.body?.cancel(),
        surface: () => response,
      },
    };
  } catch (error) {
    const surface = () => {
      throw error;
    };
    const retryable = repeatable || neverArrived(error);
    return { failed: { error, retryable, text: async () => String(error), surface } };
  }
}

/** Too many requests, and unavailable: the server says that it did nothing. */
const REFUSED = new Set([429, 503]);
/** No connection was made. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function neverArrived(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return NOT_CONNECTED.has((cause as { code?: string } | undefined)?.code ?? "");
}
