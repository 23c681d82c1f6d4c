/** Opens a connection to one server: starts it or finds it, and initializes the session. */
import { resolve } from "node:path";
import type { Client, Transport } from "@modelcontextprotocol/client";
import { type RetryOptions, sanitizeErrorText } from "../models/index.js";
import type { Clock } from "../session/ports.js";
import { within } from "./deadline.js";
import { McpServerError } from "./errors.js";
import { expandValues } from "./expand.js";
import { requestScope, sseTransport, streamableTransport } from "./http.js";
import { stdioTransport } from "./stdio.js";
import type { LocalServer, RemoteServer } from "./types.js";

export interface ConnectionDeps {
  clock: Clock;
  /** What `${NAME}` stands for. */
  env: Readonly<Record<string, string | undefined>>;
  /** From where a local server's `cwd` is read. */
  rootDir: string;
  /** How this program names itself to servers. */
  client: { name: string; version: string };
  retry?: RetryOptions;
  /** In [0, 1). */
  random(): number;
  /** What a local server writes on stderr, a line at a time. */
  debug(server: string, line: string): void;
}

type Sdk = typeof import("@modelcontextprotocol/client");

/** An initialized session with a server. */
export interface Live {
  sdk: Sdk;
  client: Client;
  isOpen(): boolean;
  /** The server knows this session by an id. */
  hasSession(): boolean;
  /** Why it is not open any more, for people; null where that is not known. */
  ended(): string | null;
  /** Tells the server, and ends its process. Never throws. */
  close(): Promise<void>;
}

/** The SDK's own timers stay out of the way; ours end everything. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** How long a server is given to hear that a session is over. */
const GOODBYE_MS = 1_000;

/** @returns the session, and what must be cut out of every text that is shown. @throws whatever went wrong */
export async function openConnection(
  server: LocalServer | RemoteServer,
  deps: ConnectionDeps,
  { secrets, signal }: { secrets: Set<string>; signal: AbortSignal },
): Promise<Live> {
  const sdk = await import("@modelcontextprotocol/client");
  const { values, secrets: found } = expandValues(
    server.name,
    server.kind === "local" ? server.environment : server.headers,
    deps.env,
  );
  for (const secret of found) secrets.add(secret);
  if (server.kind === "local")
    return initialized(sdk, server, deps, { transport: local(sdk, server, deps, values, secrets), signal });

  checkHeaders(server.name, values);
  const address = { url: server.url, headers: values };
  try {
    return await initialized(sdk, server, deps, { transport: streamableTransport(sdk, address, deps), signal });
  } catch (error) {
    if (!isAskedForOlder(sdk, error)) throw error;
    return initialized(sdk, server, deps, { transport: sseTransport(sdk, address, deps), signal });
  }
}

function local(
  sdk: Sdk,
  { name, command, args, cwd = "." }: LocalServer,
  { rootDir, debug }: ConnectionDeps,
  environment: Record<string, string>,
  secrets: ReadonlySet<string>,
) {
  const onLine = (line: string) => debug(name, sanitizeErrorText(line, [...secrets]));
  return stdioTransport(sdk, { command, args, environment, cwd: resolve(rootDir, cwd), onLine });
}

/** What an invalid header makes `fetch` throw quotes its value. */
function checkHeaders(server: string, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      throw new McpServerError(server, `has a header that HTTP cannot carry: ${JSON.stringify(name)}`);
    }
  }
}

/** 4xx, other than for want of credentials, is how a server of the older transport answers a POST. */
function isAskedForOlder(sdk: Sdk, error: unknown): boolean {
  if (!(error instanceof sdk.SdkHttpError)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

async function initialized(
  sdk: Sdk,
  server: LocalServer | RemoteServer,
  { clock, client: self }: ConnectionDeps,
  { transport, signal }: { transport: Transport & { ended?(): string | null }; signal: AbortSignal },
): Promise<Live> {
  const client = new sdk.Client(self, { capabilities: {} });
  const phase = <T>(what: string, work: (signal: AbortSignal) => Promise<T>) => {
    const { timeoutMs } = server;
    const late = () => new McpServerError(server.name, `did not answer within ${timeoutMs} ms (${what})`);
    return within({ clock, ms: timeoutMs, signal, late }, (either) =>
      requestScope.run({ signal: either, deadlineAt: clock.now() + timeoutMs, repeatable: true }, () => work(either)),
    );
  };
  let isOpen = true;
  let lostBy: string | null = null;
  client.onclose = () => {
    isOpen = false;
  };
  const close = async () => {
    if (isOpen && isStreamable(transport)) await inTime(transport.terminateSession());
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    await phase("connecting", () => transport.start());
    // It has started, in a phase of its own; the client would start it again.
    transport.start = async () => {};
    await phase("initializing", (either) => client.connect(transport, { signal: either, timeout: NO_TIMEOUT_MS }));
  } catch (error) {
    const ended = transport.ended?.() ?? null;
    await close();
    throw ended === null ? error : new McpServerError(server.name, `could not be connected to: ${ended}`);
  }
  // The older transport reconnects by itself, but to a session that the server does not know.
  if (transport instanceof sdk.SSEClientTransport) {
    client.onerror = (error) => {
      if (!(error instanceof sdk.SseError)) return;
      lostBy = "its stream ended";
      void client.close();
    };
  }
  return {
    sdk,
    client,
    isOpen: () => isOpen,
    hasSession: () => isStreamable(transport) && transport.sessionId !== undefined,
    ended: () => transport.ended?.() ?? lostBy,
    close,
  };
}

function isStreamable(transport: Transport): transport is Transport & { terminateSession(): Promise<void> } {
  return "terminateSession" in transport;
}

/** Waits for a farewell in real time, and not for long. */
async function inTime(goodbye: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, GOODBYE_MS);
  });
  await Promise.race([goodbye.catch(() => {}), late]);
  clearTimeout(timer);
}
