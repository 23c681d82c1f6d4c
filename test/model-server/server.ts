/**
 * An OpenAI-compatible chat-completions endpoint on the loopback, for tests and demos: streamed and whole answers, and the
 * faults that real endpoints have. It keeps every request it got.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type ModelScript, replyChooser, type ScriptMessage, type ScriptView } from "../../lib/models/index.js";
import { streamedAnswer, wholeAnswer } from "./answer.js";
import { fromScript, type ServerReply } from "./reply.js";

export interface RecordedRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: ChatRequest;
}

export interface ChatRequest {
  model: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  messages: { role: string; content: unknown; tool_calls?: WireCall[]; tool_call_id?: string; name?: string }[];
  tools?: { type: string; function: { name: string; description?: string; parameters?: unknown } }[];
  [field: string]: unknown;
}

interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}

/** Exactly one of `replies` (used in order), `handler` and `script` decides what is answered. */
export interface ModelServerOptions {
  replies?: readonly ServerReply[];
  handler?(request: RecordedRequest, ordinal: number): ServerReply | Promise<ServerReply>;
  script?: ModelScript;
  /** Answers 400 to a request that asks for usage in the stream. */
  refuseStreamOptions?: boolean;
  /** Default: a free one. */
  port?: number;
  /** Whether the process may end while the server runs. */
  unref?: boolean;
}

export interface ModelServer {
  /** To be used as `ARCHMAX_API_BASE_URL`. */
  url: string;
  requests: RecordedRequest[];
  close(): Promise<void>;
}

/** Starts the server on 127.0.0.1. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const decide = decider(options);
  let ordinal = 0;
  const server = createServer(async (incoming, outgoing) => {
    try {
      const request = await read(incoming);
      requests.push(request);
      if (!request.path.endsWith("/chat/completions")) return json(outgoing, 404, { error: { message: "not found" } });
      if (options.refuseStreamOptions && request.body.stream_options) {
        return json(outgoing, 400, { error: { message: "Unrecognized request argument supplied: stream_options" } });
      }
      ordinal += 1;
      await answer(outgoing, request.body, await decide(request, ordinal), ordinal);
    } catch (error) {
      if (!outgoing.headersSent) json(outgoing, 400, { error: { message: (error as Error).message } });
      else outgoing.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(options.port ?? 0, "127.0.0.1", listening));
  if (options.unref) server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function decider(
  options: ModelServerOptions,
): (request: RecordedRequest, ordinal: number) => ServerReply | Promise<ServerReply> {
  if (options.handler) return options.handler;
  if (options.script) {
    const choose = replyChooser(options.script);
    return (request) => fromScript(choose(viewOf(request.body)));
  }
  return (_, ordinal) => {
    const reply = options.replies?.[ordinal - 1];
    if (reply === undefined) throw new Error(`The model server has no reply left for request ${ordinal}.`);
    return reply;
  };
}

async function answer(outgoing: ServerResponse, body: ChatRequest, reply: ServerReply, ordinal: number): Promise<void> {
  if (reply.delayMs) await wait(reply.delayMs);
  if (reply.drop === "at-once") return void outgoing.destroy();
  if (reply.status !== undefined && reply.status !== 200) {
    return json(outgoing, reply.status, { error: reply.error ?? { message: `status ${reply.status}` } }, reply.headers);
  }
  if (reply.raw) return void outgoing.writeHead(200, { "content-type": reply.raw.type }).end(reply.raw.body);
  if (body.stream) await stream(outgoing, body, reply, ordinal);
  else if (reply.drop !== undefined) await brokenBody(outgoing, wholeAnswer(reply, body.model, ordinal));
  else json(outgoing, 200, wholeAnswer(reply, body.model, ordinal), reply.headers);
}

async function stream(outgoing: ServerResponse, body: ChatRequest, reply: ServerReply, ordinal: number): Promise<void> {
  outgoing.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  const events = streamedAnswer(reply, body.model, ordinal, body.stream_options?.include_usage === true);
  const middle = Math.ceil(events.length / 2);
  const kept = { "at-once": 0, "before-content": 1, "mid-answer": middle, none: events.length };
  for (const [index, event] of events.slice(0, kept[reply.drop ?? "none"]).entries()) {
    if (index === middle && reply.pauseMs) await wait(reply.pauseMs);
    await write(outgoing, `data: ${JSON.stringify(event)}\n\n`);
  }
  if (reply.drop !== undefined) outgoing.destroy();
  else outgoing.end("data: [DONE]\n\n");
}

async function brokenBody(outgoing: ServerResponse, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  await write(outgoing, text.slice(0, text.length / 2));
  outgoing.destroy();
}

/** Resolves when the piece has left this process, so that a dropped connection has sent what came before. */
function write(outgoing: ServerResponse, text: string): Promise<void> {
  return new Promise((sent, failed) => outgoing.write(text, (error) => (error ? failed(error) : sent())));
}

function json(outgoing: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function read(incoming: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString("utf8") || "{}") as ChatRequest;
  return { path: incoming.url ?? "", headers: incoming.headers, body };
}

/** Every request is the agent's: the protocol names no role of ours. */
/** What a request shows to a script. */
export function viewOf(body: ChatRequest): ScriptView {
  const isSystem = (role: string) => role === "system" || role === "developer";
  return {
    role: "agent",
    system: body.messages
      .filter(({ role }) => isSystem(role))
      .map(({ content }) => textOf(content))
      .join("\n\n"),
    messages: body.messages
      .filter(({ role }) => !isSystem(role))
      .map((message) => ({
        role: message.role as ScriptMessage["role"],
        text: textOf(message.content),
        calls: message.tool_calls?.map((call) => call.function.name),
        tool: message.name,
      })),
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("") : "";
}
