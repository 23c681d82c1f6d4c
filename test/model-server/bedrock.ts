/**
 * Amazon Bedrock's Converse API on the loopback, over cleartext HTTP/2 as the service's client speaks it: whole answers,
 * streams in the event-stream framing, and the faults of either. It keeps every request it got.
 */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { EventStreamCodec } from "@smithy/core/event-streams";
import type { ServerCall } from "./reply.js";

export interface BedrockReply {
  text?: string;
  toolCalls?: readonly ServerCall[];
  /** `TokenUsage` as the API has it; absent: none is reported. */
  usage?: Record<string, number>;
  stopReason?: string;
  /** An answer other than 200, with the error's name and message. */
  status?: number;
  error?: { name: string; message: string };
  headers?: Record<string, string>;
  /** What becomes of a stream before its first content, or in the middle of it; a name stands for that exception. */
  breaks?: { at: "before-content" | "mid-answer"; by: "cut" | "silence" | { name: string; message: string } };
  /** Events sent between the start of the message and its content. */
  extra?: readonly Record<string, unknown>[];
}

export interface BedrockRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: BedrockBody;
}

/** What requests of these tests have; absent fields are absent. */
export interface BedrockBody {
  system: { text?: string; cachePoint?: unknown }[];
  messages: {
    role: string;
    content: {
      text?: string;
      toolUse?: { toolUseId: string; name: string; input: unknown };
      [kind: string]: unknown;
    }[];
  }[];
  toolConfig: { tools: { toolSpec: { name: string; description?: string; inputSchema: unknown } }[] };
  inferenceConfig?: unknown;
}

export interface BedrockServer {
  /** To be used as `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`. */
  url: string;
  requests: BedrockRequest[];
  close(): Promise<void>;
}

type Answering = readonly BedrockReply[] | ((request: BedrockRequest, ordinal: number) => BedrockReply);

/** Starts the server on 127.0.0.1. */
export async function startBedrockServer(answering: Answering): Promise<BedrockServer> {
  const requests: BedrockRequest[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", async (stream, headers) => {
    stream.on("error", () => {});
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    const request = {
      path: String(headers[":path"]),
      headers,
      body: JSON.parse(Buffer.concat(parts).toString("utf8")) as BedrockBody,
    };
    requests.push(request);
    const reply =
      typeof answering === "function" ? answering(request, requests.length) : answering[requests.length - 1];
    if (!reply) return refuse(stream, 400, { name: "ValidationException", message: "The server has no reply left." });
    if (reply.status !== undefined) return refuse(stream, reply.status, reply.error, reply.headers);
    if (request.path.endsWith("/converse")) whole(stream, reply);
    else streamed(stream, reply);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const session of sessions) session.destroy();
      }),
  };
}

function refuse(
  stream: ServerHttp2Stream,
  status: number,
  error = { name: "InternalServerException", message: `status ${status}` },
  headers: Record<string, string> = {},
): void {
  stream.respond({
    ":status": status,
    "content-type": "application/json",
    "x-amzn-errortype": `${error.name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    ...headers,
  });
  stream.end(JSON.stringify({ message: error.message }));
}

function whole(stream: ServerHttp2Stream, reply: BedrockReply): void {
  const content = [
    ...(reply.text !== undefined ? [{ text: reply.text }] : []),
    ...(reply.toolCalls ?? []).map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args ?? {} } })),
  ];
  stream.respond({ ":status": 200, "content-type": "application/json" });
  stream.end(
    JSON.stringify({
      output: { message: { role: "assistant", content } },
      stopReason: stopReasonOf(reply),
      ...(reply.usage && { usage: reply.usage }),
      metrics: { latencyMs: 1 },
    }),
  );
}

function streamed(stream: ServerHttp2Stream, reply: BedrockReply): void {
  const events = eventsOf(reply);
  const { breaks } = reply;
  const kept = breaks ? (breaks.at === "before-content" ? 1 : Math.ceil(events.length / 2)) : events.length;
  stream.respond({ ":status": 200, "content-type": "application/vnd.amazon.eventstream" });
  for (const [type, payload] of events.slice(0, kept)) stream.write(framed("event", type, payload));
  if (breaks === undefined) stream.end();
  else if (breaks.by === "cut") stream.close();
  else if (breaks.by !== "silence") {
    const { name, message } = breaks.by;
    stream.end(framed("exception", `${name[0]?.toLowerCase()}${name.slice(1)}`, { message }));
  }
}

/** Small enough that text and arguments come in several pieces. */
const FRAGMENT = 7;

function eventsOf(reply: BedrockReply): [string, unknown][] {
  const events: [string, unknown][] = [["messageStart", { role: "assistant" }]];
  for (const extra of reply.extra ?? []) events.push(...Object.entries(extra));
  let contentBlockIndex = 0;
  if (reply.text !== undefined) {
    for (const text of pieces(reply.text)) events.push(["contentBlockDelta", { contentBlockIndex, delta: { text } }]);
    events.push(["contentBlockStop", { contentBlockIndex }]);
    contentBlockIndex += 1;
  }
  for (const { id, name, args } of reply.toolCalls ?? []) {
    events.push(["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }]);
    for (const input of pieces(typeof args === "string" ? args : JSON.stringify(args ?? {})))
      events.push(["contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input } } }]);
    events.push(["contentBlockStop", { contentBlockIndex }]);
    contentBlockIndex += 1;
  }
  events.push(["messageStop", { stopReason: stopReasonOf(reply) }]);
  events.push(["metadata", { ...(reply.usage && { usage: reply.usage }), metrics: { latencyMs: 1 } }]);
  return events;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function framed(kind: "event" | "exception", type: string, payload: unknown): Uint8Array {
  const text = (value: string) => ({ type: "string" as const, value });
  return codec.encode({
    headers: {
      [`:${kind}-type`]: text(type),
      ":content-type": text("application/json"),
      ":message-type": text(kind),
    },
    body: Buffer.from(JSON.stringify(payload), "utf8"),
  });
}

function stopReasonOf(reply: BedrockReply): string {
  return reply.stopReason ?? ((reply.toolCalls ?? []).length > 0 ? "tool_use" : "end_turn");
}

function pieces(text: string): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / FRAGMENT) }, (_, index) =>
    points.slice(index * FRAGMENT, (index + 1) * FRAGMENT).join(""),
  );
}
