/** One server as its tools' callers see it: connected when it is needed, and again when it was lost (A-57, A-60, A-64, F-71). */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { sanitizeErrorText } from "../models/index.js";
import { unlessAborted, within } from "./deadline.js";
import { McpServerError } from "./errors.js";
import { LOST, requestScope, WaitTooLong } from "./http.js";
import { type ConnectionDeps, type Live, NO_TIMEOUT_MS, openConnection } from "./open.js";
import type { LocalServer, McpToolDefinition, RemoteServer } from "./types.js";

export interface Connection {
  /** Connects and asks for every tool. @throws {McpServerError} */
  list(signal: AbortSignal): Promise<{ tools: McpToolDefinition[]; isWhole: boolean }>;
  /** @throws {McpServerError} where the server did not answer; what a tool says of its own failure is a result */
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
  isConnected(): boolean;
  /** Text of the server's without the values of headers and environment (A-56). */
  redacted(text: string): string;
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Whether the call may be made again where it is not known that it was not carried out (H-131). */
  repeatable: boolean;
}

/** Pages of `tools/list` that are read (A-57). */
const MAX_PAGES = 100;
/**
 * After a longer silence the function may have been frozen: a local server with it, a remote one's session and sockets gone
 * meanwhile (A-64). A ping may be repeated where a call may not.
 */
const IDLE_MS = 30_000;
const PING_MS = 5_000;
/** Shorter values are words like `1` or `on`, which stand in any text. */
const SECRET_CHARS = 4;

export function createConnection(server: LocalServer | RemoteServer, deps: ConnectionDeps): Connection {
  const { clock } = deps;
  const closing = new AbortController();
  const secrets = new Set<string>();
  let live: Live | null = null;
  let opening: Promise<Live> | null = null;
  let usedAt = 0;

  const redacted = (text: string) =>
    [...secrets]
      .filter((secret) => secret.length >= SECRET_CHARS)
      .reduce((all, one) => all.replaceAll(one, "[removed]"), text);
  const shown = (text: string) => sanitizeErrorText(redacted(text));

  async function request<T>(
    { what, signal, repeatable }: { what: string; signal: AbortSignal; repeatable: boolean },
    work: (options: { signal: AbortSignal; timeout: number }) => Promise<T>,
  ): Promise<T> {
    const ms = server.timeoutMs;
    const late = () => new McpServerError(server.name, `did not answer within ${ms} ms (${what})`);
    try {
      return await within({ clock, ms, signal, late }, (either) =>
        requestScope.run({ signal: either, deadlineAt: clock.now() + ms, repeatable }, () =>
          work({ signal: either, timeout: NO_TIMEOUT_MS }),
        ),
      );
    } finally {
      usedAt = clock.now();
    }
  }

  /** Those who need the server at once share the attempt; the next ones make their own. */
  function open(): Promise<Live> {
    opening ??= openConnection(server, deps, { secrets, signal: closing.signal })
      .then((opened) => {
        live = opened;
        usedAt = clock.now();
        return opened;
      })
      .finally(() => {
        opening = null;
      });
    return opening;
  }

  /** Forgets a session, unless another caller has done so and there is a new one. */
  async function drop(lost: Live): Promise<void> {
    if (live === lost) live = null;
    await lost.close();
  }

  async function ready(signal: AbortSignal): Promise<Live> {
    closing.signal.throwIfAborted();
    const present = live;
    if (present?.isOpen()) {
      if (clock.now() - usedAt <= IDLE_MS || (await answers(present, signal))) return present;
      await drop(present);
    }
    return unlessAborted(signal, open());
  }

  async function answers(present: Live, signal: AbortSignal): Promise<boolean> {
    const ms = Math.min(PING_MS, server.timeoutMs);
    const late = () => new McpServerError(server.name, "did not answer a ping");
    try {
      await within({ clock, ms, signal, late }, (either) =>
        requestScope.run({ signal: either, deadlineAt: clock.now() + ms, repeatable: true }, () =>
          present.client.ping({ signal: either, timeout: NO_TIMEOUT_MS }),
        ),
      );
      return true;
    } catch (error) {
      signal.throwIfAborted();
      // A server that knows no ping has answered all the same.
      return error instanceof present.sdk.ProtocolError && error.data !== LOST;
    }
  }

  /** Any failure as one of ours, without secrets; an abort by the caller stays what it is. */
  function told(error: unknown, signal: AbortSignal, present: Live | null): unknown {
    if (signal.aborted) return signal.reason;
    if (closing.signal.aborted) return closing.signal.reason;
    if (error instanceof McpServerError) return error;
    // Without its cause, which may quote what was sent.
    return new McpServerError(server.name, shown(reasonOf(error, present)));
  }

  return {
    redacted,
    isConnected: () => live?.isOpen() === true,

    async list(signal) {
      let present: Live | null = null;
      try {
        const session = await ready(signal);
        present = session;
        if (!session.client.getServerCapabilities()?.tools) return { tools: [], isWhole: true };
        return await request({ what: "listing its tools", signal, repeatable: true }, (options) =>
          allTools(session, options),
        );
      } catch (error) {
        if (present) await drop(present);
        throw told(error, signal, present);
      }
    },

    async call(tool, args, { signal, repeatable }) {
      let present: Live | null = null;
      const once = async (): Promise<CallToolResult> => {
        const session = await ready(signal);
        present = session;
        return request({ what: `calling ${tool}`, signal, repeatable }, (options) =>
          session.client.request({ method: "tools/call", params: { name: tool, arguments: args } }, options),
        );
      };
      try {
        try {
          return await once();
        } catch (error) {
          const lost = present as Live | null;
          // The server has no such session any more, so it has done nothing (A-63, F-71).
          if (!lost || !isUnknownSession(error, lost) || signal.aborted) throw error;
          present = null;
          await drop(lost);
          return await once();
        }
      } catch (error) {
        throw told(error, signal, present);
      }
    },

    async close() {
      closing.abort(new McpServerError(server.name, "is not connected to any more: the agent was closed"));
      await opening?.catch(() => {});
      const last = live;
      live = null;
      await last?.close();
    },
  };
}

async function allTools(
  { client }: Live,
  options: { signal: AbortSignal; timeout: number },
): Promise<{ tools: McpToolDefinition[]; isWhole: boolean }> {
  const tools: McpToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, options);
    tools.push(...(answer.tools as McpToolDefinition[]));
    cursor = answer.nextCursor;
    if (!cursor || seen.has(cursor)) return { tools, isWhole: true };
    seen.add(cursor);
  }
  return { tools, isWhole: false };
}

function isUnknownSession(error: unknown, { sdk, hasSession }: Live): boolean {
  return error instanceof sdk.SdkHttpError && error.status === 404 && hasSession();
}

/** The rest of a sentence that begins with the server's name. */
function reasonOf(error: unknown, present: Live | null): string {
  if (error instanceof WaitTooLong) return error.message;
  if (present === null) return `could not be connected to: ${messageOf(error)}`;
  const { sdk } = present;
  const isLost =
    (error instanceof sdk.ProtocolError && error.data === LOST) ||
    (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.ConnectionClosed) ||
    !present.isOpen();
  if (isLost) {
    const why = present.ended();
    return `was lost before it answered${why ? `, ${why}` : ""}; whether the call took effect is not known`;
  }
  if (error instanceof sdk.SdkHttpError) return `answered ${error.status}: ${error.message}`;
  if (error instanceof sdk.ProtocolError) return `refused: ${error.message}`;
  return `did not answer: ${messageOf(error)}`;
}

/** `fetch failed` says nothing; what it was caused by does. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : null;
  const code = (cause as { code?: string } | null)?.code;
  return cause ? `${error.message} (${code ?? cause.message})` : error.message;
}
