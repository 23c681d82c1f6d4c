/** A streamable HTTP server in this process, whose answers a test may replace and whose sessions it may drop. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { createToolServer, type ToolServerOptions } from "./tool-set.ts";

export interface SeenRequest {
  method: string;
  headers: IncomingMessage["headers"];
  /** The JSON-RPC method of its message. */
  asks: string | null;
  body: string;
}

export interface HttpServerOptions extends ToolServerOptions {
  /** Answers with one JSON body in place of a stream. */
  json?: boolean;
  /** Without sessions, as a server that keeps no state. */
  stateless?: boolean;
  /** Answers a request in place of the server where it returns true. */
  intercept?(request: SeenRequest, response: ServerResponse): boolean | Promise<boolean>;
}

export interface McpHttpServer {
  url: string;
  requests: SeenRequest[];
  /** Requests of one kind: a JSON-RPC method, or `DELETE`. */
  seen(what: string): SeenRequest[];
  /** Forgets every session. */
  dropSessions(): void;
  close(): Promise<void>;
}

export async function startMcpServer(options: HttpServerOptions = {}): Promise<McpHttpServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const requests: SeenRequest[] = [];

  async function transportFor(request: SeenRequest): Promise<WebStandardStreamableHTTPServerTransport | null> {
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string" && !options.stateless) return sessions.get(id) ?? null;
    const transport = new WebStandardStreamableHTTPServerTransport({
      ...(options.stateless ? {} : { sessionIdGenerator: randomUUID }),
      enableJsonResponse: options.json === true,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await createToolServer(options).connect(transport);
    return transport;
  }

  const http = createServer((incoming, response) => {
    void answer(incoming, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = "GET", headers } = incoming;
    const asks = body === "" ? null : ((JSON.parse(body) as { method?: string }).method ?? null);
    const request = { method, headers, asks, body };
    requests.push(request);
    if (await options.intercept?.(request, response)) return;
    const transport = await transportFor(request);
    if (!transport) return void response.writeHead(404).end('{"error":"no such session"}');
    const asked = new Request(url, {
      method,
      headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(body === "" ? {} : { body }),
    });
    const answered = await transport.handleRequest(asked);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body) Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
    else response.end();
  }

  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return {
    url,
    requests,
    seen: (what) => requests.filter(({ method, asks }) => method === what || asks === what),
    dropSessions: () => sessions.clear(),
    close: () =>
      new Promise((closed) => {
        http.close(() => closed());
        http.closeAllConnections();
      }),
  };
}
