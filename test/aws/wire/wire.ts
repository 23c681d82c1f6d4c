/**
 * The one wire between functions and services: a loopback proxy in front of every engine. It writes down each request, and
 * can end the calling process before the request is sent on, after it was applied, or lose the answer.
 */
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Call, callFrom, type RawRequest } from "./calls.js";
import { type FaultReply, plannedWireFaults, type WireFault } from "./faults.js";
import { indexLag } from "./index-lag.js";

const MAX_ANSWER_CHARS = 500;

export type KillMode = "before" | "after" | "answer lost";

export interface KillPoint {
  functionName: string;
  /** Which request of the function from here on, counted from 1. */
  at: number;
  mode: KillMode;
}

export interface WireCall extends Call {
  bytes: number;
  answerBytes: number;
  status: number;
  /** Of a refusal: what was answered. */
  answer?: string;
}

export interface Wire {
  /** The address of every service: the request's signature says which is meant. */
  endpoint: string;
  /** Every request that was passed on or refused as planned, in order of arrival. */
  calls: WireCall[];
  /** Told of each request before it is sent on; null tells nobody. */
  watch(listener: ((call: WireCall) => void) | null): void;
  /** Writes down a call that was made for a function by its platform. */
  record(call: Pick<Call, "functionName" | "service" | "operation" | "needs">): void;
  faults: { add(fault: WireFault): void; clear(): void };
  /** The next request of the function that is the nth ends it. @returns whether that has happened */
  arm(point: KillPoint): { hasFired(): boolean };
  disarm(): void;
  /** Index reads do not show what was written within this time; 0 shows all. */
  lagIndexes(ms: number): void;
  stop(): Promise<void>;
}

/**
 * @param options.engines - address of each service, by its name in a signature's scope
 * @param options.kill - ends a process
 * @param options.now - the time that answers bear: the SDK takes a difference to its own for a skewed clock, and repeats
 */
export async function startWire(options: {
  engines: Record<string, string>;
  kill(processId: string): void;
  now?(): number;
}): Promise<Wire> {
  const { engines, kill, now = Date.now } = options;
  const agent = new Agent({ keepAlive: true });
  const calls: WireCall[] = [];
  const faults = plannedWireFaults();
  const lag = indexLag();
  let watcher: ((call: WireCall) => void) | null = null;
  let armed: (KillPoint & { seen: number; hasFired: boolean }) | null = null;

  function modeOf(call: Call): KillMode | null {
    if (armed?.functionName !== call.functionName) return null;
    armed.seen += 1;
    if (armed.seen !== armed.at) return null;
    armed.hasFired = true;
    return armed.mode;
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = { ...(await rawFrom(incoming)), method: String(incoming.method), url: String(incoming.url) };
    const call = callFrom(raw);
    const entry: WireCall = { ...call, bytes: raw.body.length, answerBytes: 0, status: 0 };
    calls.push(entry);
    watcher?.(entry);
    const mode = modeOf(call);
    if (mode === "before") return kill(call.processId);
    const planned = faults.take(call);
    const answer = planned ? answerFrom(planned) : await forward(raw, call);
    entry.status = answer.status;
    entry.answerBytes = answer.body.length;
    if (answer.status >= 400) entry.answer = answer.body.toString().slice(0, MAX_ANSWER_CHARS);
    if (mode === "after") return kill(call.processId);
    if (mode === "answer lost") return void incoming.socket.destroy();
    response.writeHead(answer.status, { ...answer.headers, date: new Date(now()).toUTCString() }).end(answer.body);
  }

  async function forward(raw: RawRequest, call: Call): Promise<EngineAnswer> {
    const engine = engines[call.service];
    if (engine === undefined) throw new Error(`The bench has no ${call.service}.`);
    const answer = await send(engine, raw, agent);
    return answer.status === 200 ? { ...answer, body: lag.seen(call, answer.body) } : answer;
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      const body = JSON.stringify({ __type: "BenchFailure", message: String(error) });
      if (!response.destroyed) response.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(body);
    });
  });
  // Nothing here is cut off for being slow: a process that stands still sends nothing.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    record(call) {
      const entry = { processId: "", input: {}, bytes: 0, answerBytes: 0, status: 200, ...call };
      calls.push(entry);
      watcher?.(entry);
    },
    faults,
    arm(point) {
      const mine = { ...point, seen: 0, hasFired: false };
      armed = mine;
      return { hasFired: () => mine.hasFired };
    },
    watch(listener) {
      watcher = listener;
    },
    disarm() {
      armed = null;
    },
    lagIndexes: (ms) => lag.set(ms),
    async stop() {
      server.closeAllConnections();
      agent.destroy();
      await new Promise<void>((stopped) => server.close(() => stopped()));
    },
  };
}

interface EngineAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

function answerFrom({ status, contentType, body }: FaultReply): EngineAnswer {
  return { status, headers: { "content-type": contentType }, body: Buffer.from(body) };
}

async function rawFrom(incoming: IncomingMessage): Promise<Pick<RawRequest, "headers" | "body">> {
  return { headers: incoming.headers, body: await bytesOf(incoming) };
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(engine: string, { method, url, headers, body }: RawRequest, agent: Agent): Promise<EngineAnswer> {
  return new Promise((resolve, reject) => {
    const { expect: _, connection: __, ...kept } = headers;
    const request = httpRequest(new URL(url, engine), {
      method,
      agent,
      headers: { ...kept, host: new URL(engine).host },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      bytesOf(response).then((answered) => {
        // A changed length is the sender's own to tell; an answer to HEAD tells the object's.
        const { "transfer-encoding": _, "content-length": length, connection: __, ...rest } = response.headers;
        const told = method === "HEAD" && length !== undefined ? { ...rest, "content-length": length } : rest;
        resolve({ status: response.statusCode ?? 500, headers: told, body: answered });
      }, reject);
    });
    request.end(body);
  });
}
