/** The Lambda Runtime API, and processes that take their invocations from it: started, frozen in between, killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const BOOTSTRAP = join(import.meta.dirname, "bootstrap.mjs");

export interface FunctionError {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

export type Answer =
  | { kind: "response"; body: string }
  | { kind: "error"; error: FunctionError }
  /** The process ended before it answered. */
  | { kind: "gone"; how: string };

export interface ProcessInvocation {
  requestId: string;
  /** JSON. */
  event: string;
  /** Called when the process takes the event: its time runs from then, not from the start of the process. */
  begin(): { deadlineAt: number; offsetMs: number };
  functionArn: string;
}

/** One process of a function, which runs one invocation at a time and stands still in between (F-76). */
export interface FunctionProcess {
  readonly id: string;
  readonly pid: number;
  isGone(): boolean;
  run(invocation: ProcessInvocation): Promise<Answer>;
  kill(): void;
  /** Moves its time while it runs something. */
  setOffset(ms: number): void;
}

export interface RuntimeApi {
  /** @param onOutput - what the process writes, line by line */
  start(options: {
    id: string;
    assetDir: string;
    env: Record<string, string>;
    onOutput(line: string): void;
  }): FunctionProcess;
  stop(): Promise<void>;
}

interface Running {
  invocation: ProcessInvocation;
  isSent: boolean;
  done(answer: Answer): void;
}

interface Slot {
  child: ChildProcess;
  isGone: boolean;
  running: Running | null;
  /** The process asks for an invocation and waits. */
  next: ServerResponse | null;
  /** The process has answered, and was stopped before it was told so. */
  frozen: ServerResponse | null;
}

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const slots = new Map<string, Slot>();
  const server = createServer((request, response) => void serve(request, response));
  // Nothing here is cut off for being slow: a process that stands still sends nothing.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const killAll = () => {
    for (const { child } of slots.values()) child.kill("SIGKILL");
  };
  process.on("exit", killAll);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = "", , , ...what] = String(request.url).split("/");
    const slot = slots.get(id);
    const body = await textOf(request).catch(() => null);
    if (!slot || body === null) return void response.writeHead(404).end();
    const path = what.join("/");
    if (path === "invocation/next") {
      slot.next = response;
      return pass(slot);
    }
    const { running } = slot;
    if (path === "init/error") {
      response.writeHead(202).end();
      slot.running = null;
      return running?.done({ kind: "error", error: JSON.parse(body) });
    }
    const isAnswer = running && path.startsWith(`invocation/${running.invocation.requestId}/`);
    if (!isAnswer) return void response.writeHead(400).end();
    slot.running = null;
    slot.frozen = response;
    slot.child.kill("SIGSTOP");
    running.done(path.endsWith("/response") ? { kind: "response", body } : { kind: "error", error: JSON.parse(body) });
  }

  /** Hands the invocation to a process that waits for one. */
  function pass({ next, running }: Slot): void {
    if (!next || !running || running.isSent) return;
    running.isSent = true;
    const { requestId, event, functionArn } = running.invocation;
    const { deadlineAt, offsetMs } = running.invocation.begin();
    next.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": requestId,
      "lambda-runtime-deadline-ms": String(deadlineAt),
      "lambda-runtime-invoked-function-arn": functionArn,
      "bench-offset-ms": String(offsetMs),
    });
    next.end(event);
  }

  return {
    start({ id, assetDir, env, onOutput }) {
      const child = spawn(process.execPath, ["--enable-source-maps", BOOTSTRAP], {
        cwd: assetDir,
        env: { ...env, AWS_LAMBDA_RUNTIME_API: `${address}/${id}`, LAMBDA_TASK_ROOT: assetDir },
        stdio: ["pipe", "pipe", "pipe"],
      });
      const slot: Slot = { child, isGone: false, running: null, next: null, frozen: null };
      slots.set(id, slot);
      // A process that was killed reads nothing more.
      child.stdin.on("error", () => {});
      for (const stream of [child.stdout, child.stderr]) readLines(stream, onOutput);
      let how = "not started";
      child.once("exit", (code, signal) => {
        how = signal === null ? `exit status ${code}` : `signal: ${signal === "SIGKILL" ? "killed" : signal}`;
        slot.isGone = true;
        slots.delete(id);
        slot.running?.done({ kind: "gone", how });
        slot.running = null;
      });
      return {
        id,
        pid: Number(child.pid),
        isGone: () => slot.isGone,
        run: (invocation) =>
          new Promise((done) => {
            if (slot.isGone) return done({ kind: "gone", how });
            slot.running = { invocation, isSent: false, done };
            if (slot.frozen) {
              child.kill("SIGCONT");
              slot.frozen.writeHead(202).end();
              slot.frozen = null;
              slot.next = null;
            } else pass(slot);
          }),
        kill: () => void child.kill("SIGKILL"),
        setOffset: (ms) => void (slot.running?.isSent && child.stdin.write(`${ms}\n`)),
      };
    },
    stop: async () => {
      killAll();
      process.off("exit", killAll);
      server.closeAllConnections();
      await new Promise<void>((stopped) => server.close(() => stopped()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = "";
  stream?.on("data", (chunk: Buffer) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}
