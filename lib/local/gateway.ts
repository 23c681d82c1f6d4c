/** The HTTP gateway on one machine: a loopback server in front of the functions' own handlers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type GatewayEvent, type GatewayResult, gatewayHandler, type HttpHandler } from "../http/index.js";
import type { Clock } from "../session/ports.js";
import { PortInUseError } from "./errors.js";
import { gatewayEvent } from "./gateway-event.js";

/** Only this machine reaches it: there is no TLS, and keys stand in plain text. */
const LOOPBACK = "127.0.0.1";

/** Amazon API Gateway quotas: the payload of a request. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface GatewayOptions {
  /** Handlers by the first segment of the path. */
  routes: Readonly<Record<string, HttpHandler>>;
  /** 0 for any that is free. */
  port: number;
  clock: Pick<Clock, "now">;
  /** Told what a handler threw instead of answering. */
  failed(error: unknown): void;
}

export interface Gateway {
  port: number;
  /** Ends waits, lets what is under way answer, and takes nothing more. */
  close(): Promise<void>;
}

type Handler = ReturnType<typeof gatewayHandler>;

/** @throws {PortInUseError} */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const closing = new AbortController();
  const handlers = new Map(Object.entries(options.routes).map(([name, handler]) => [name, gatewayHandler(handler)]));
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      options.failed(error);
      send(response, plain(500, "Internal Server Error"));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin } = request.headers;
    if (!isOwnHost(host, portOf(server))) return send(response, plain(421, MISDIRECTED));
    if (!isOwnOrigin(origin, portOf(server))) return send(response, plain(403, "Forbidden"));
    const body = await bodyOf(request);
    if (body === null) return send(response, plain(413, "Request Entity Too Large"));
    const event = gatewayEvent(request, { body, at: options.clock.now() });
    const handler = handlerFor(handlers, event);
    if (!handler) return send(response, plain(404, "Not Found"));
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    const result = await handler(event, { signal });
    // A connection kept for more requests would hold the server open.
    if (closing.signal.aborted) response.shouldKeepAlive = false;
    send(response, result);
  }

  await listening(server, options.port);
  return {
    port: portOf(server),
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

const MISDIRECTED = "This address answers to 127.0.0.1 and localhost only.";

/**
 * A stranger's page whose name was made to lead here says its own name as the host; so it reaches nothing of what only
 * this machine can reach.
 */
export function isOwnHost(host: string | undefined, port: number): boolean {
  const [, name, given] = /^(127\.0\.0\.1|localhost|\[::1\])(?::(\d+))?$/i.exec(host ?? "") ?? [];
  return name !== undefined && Number(given ?? 80) === port;
}

/** A browser names the page that sends a request; a stranger's page is to fire no webhook here, one without a signature least. */
function isOwnOrigin(origin: string | undefined, port: number): boolean {
  return origin === undefined || (origin.startsWith("http://") && isOwnHost(origin.slice("http://".length), port));
}

function handlerFor(handlers: ReadonlyMap<string, Handler>, { rawPath = "" }: GatewayEvent): Handler | undefined {
  return handlers.get(rawPath.split("/")[1] ?? "");
}

/** Null where it is larger than the gateway takes; it is read to its end, or the sender would see no answer. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes <= MAX_BODY_BYTES) parts.push(part);
    else parts.length = 0;
  }
  return sizeBytes <= MAX_BODY_BYTES ? Buffer.concat(parts) : null;
}

/** As the gateway itself answers, for what no function sees. */
function plain(statusCode: number, message: string): GatewayResult {
  const headers = { "Content-Type": "application/json" };
  return { statusCode, headers, body: JSON.stringify({ message }), isBase64Encoded: false };
}

function send(response: ServerResponse, { statusCode, headers, body }: GatewayResult): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(statusCode, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new PortInUseError(port, { cause: error }) : error),
    );
    server.listen(port, LOOPBACK, resolve);
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
