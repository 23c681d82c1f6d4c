/** One piece of work in a worker: what it prints and calls passed on, ended when it is late, stuck or stopped. */
import { AsyncResource } from "node:async_hooks";
import { importReason } from "./prepare.js";
import type { FromWorker, ReplAfter, ToWorker, WorkerOutcome } from "./protocol.js";
import type { SandboxFailure, ScriptCallResult, ScriptRun } from "./types.js";
import { type PooledWorker, postToWorker, type WorkerPool } from "./worker-pool.js";

/** How long after its deadline a worker may still report by itself before it is ended. */
const GRACE_MS = 250;
/** What a busy machine may take to make an engine; it is no part of the script's time. */
const START_MS = 10_000;
const MAX_TIMER_MS = 2_147_483_647;
/** A longer answer would not fit in a guest's memory next to what the script does with it. */
const MAX_ANSWER_CHARS = 8_000_000;

/** What the runs of one sandbox share. */
export interface Workshop {
  pool: WorkerPool;
  isClosed: boolean;
  /** Ends each run under way. */
  running: Set<() => void>;
}

/** A script that has been prepared, with the JSON its engine is given. */
export interface Work extends ScriptRun {
  type: "run" | "evaluate";
  config: string;
  onLine(line: string): void;
}

export type Failure = { status: "error"; kind: SandboxFailure; reason: string };
export type Result = Extract<WorkerOutcome, { status: "ok" }> | Failure;

export interface Driven {
  result: Result;
  /** The worker can be used again. */
  isWorkerIdle: boolean;
  /** Of an evaluation that the worker itself has ended. */
  repl?: ReplAfter;
}

let lastRun = 0;

/** Why nothing may run any more, or null. */
export function stoppedBy({ isClosed }: Workshop, signal: AbortSignal | undefined): Failure | null {
  if (isClosed) return failure("aborted", "The sandbox was closed.");
  return signal?.aborted ? failure("aborted", "The run was stopped.") : null;
}

/** A worker for a run that nothing has stopped meanwhile. */
export async function takeWorker(
  workshop: Workshop,
  signal: AbortSignal | undefined,
): Promise<{ ok: true; worker: PooledWorker } | { ok: false; failure: Failure }> {
  const { pool } = workshop;
  const early = stoppedBy(workshop, signal);
  if (early) return { ok: false, failure: early };
  let worker: PooledWorker;
  try {
    worker = await pool.take();
  } catch (error) {
    return { ok: false, failure: failure("engine", `The sandbox could not start a worker: ${messageOf(error)}`) };
  }
  const stopped = stoppedBy(workshop, signal);
  if (!stopped) return { ok: true, worker };
  if (workshop.isClosed) void pool.discard(worker);
  else pool.give(worker);
  return { ok: false, failure: stopped };
}

/** Never rejects. The worker's listener is this work's until then. */
export function drive(workshop: Workshop, worker: PooledWorker, work: Work): Promise<Driven> {
  const { running } = workshop;
  return new Promise((resolve) => {
    lastRun += 1;
    const run = lastRun;

    const end = (driven: Driven) => {
      clearTimeout(timer);
      running.delete(onStop);
      work.signal?.removeEventListener("abort", onStop);
      worker.listener = null;
      resolve(driven);
    };
    const lose = (result: Failure) => end({ result, isWorkerIdle: false });
    const onStop = () => lose(stoppedBy(workshop, work.signal) ?? failure("aborted", "The run was stopped."));
    // Only a worker stuck inside a slow built-in gets here; it does not look at its own deadline.
    const onStuck = () => lose(described({ status: "error", kind: "timeout" }, work));
    const stuckAfter = (ms: number) => setTimeout(onStuck, Math.min(ms, MAX_TIMER_MS));
    let timer = stuckAfter(START_MS + work.limits.timeoutMs);

    let callCount = 0;
    const onMessage = (message: FromWorker) => {
      if (message.type === "ready" || message.run !== run) return;
      if (message.type === "done") {
        const { outcome, repl } = message;
        const result = outcome.status === "ok" ? outcome : described(outcome, work);
        return end({ result, isWorkerIdle: !isEngineFailure(outcome), ...(repl ? { repl } : {}) });
      }
      if (message.type === "started") {
        clearTimeout(timer);
        timer = stuckAfter(work.limits.timeoutMs + GRACE_MS);
        return;
      }
      if (message.type === "line") {
        try {
          return work.onLine(message.line);
        } catch (error) {
          return lose(failure("engine", `A printed line could not be passed on: ${messageOf(error)}`));
        }
      }
      callCount += 1;
      const { call, tool } = message;
      void answerCall(work, tool, message.args, callCount).then((result) => {
        // The worker drops the answer when this run is no longer the one it works on.
        postToWorker(worker, { type: "answer", run, answer: JSON.stringify({ ...result, call, tool }) });
      });
    };

    running.add(onStop);
    work.signal?.addEventListener("abort", onStop);
    // A worker speaks in the async context of whoever started it, another turn's; what it asks for is asked for in this one.
    worker.listener = { onMessage: AsyncResource.bind(onMessage), onDeath: (error) => lose(workerFailure(error)) };
    postToWorker(worker, messageFor(work, run));
  });
}

function messageFor({ type, file, source, config, limits, startAt }: Work, run: number): ToWorker {
  return { type, run, file, source, config, ...limits, startAt };
}

async function answerCall(work: Work, tool: string, args: string, index: number): Promise<ScriptCallResult> {
  try {
    const result = await work.callTool(tool, JSON.parse(args) as Record<string, unknown>, index);
    if (!result.ok || result.text.length <= MAX_ANSWER_CHARS) return result;
    const message = `The answer of "${tool}" has ${result.text.length} characters; a script can take ${MAX_ANSWER_CHARS}.`;
    return { ok: false, message, tool };
  } catch (error) {
    return { ok: false, message: messageOf(error), tool };
  }
}

function described(
  { kind, reason }: Extract<WorkerOutcome, { status: "error" }>,
  { file, limits }: ScriptRun,
): Failure {
  if (kind === "import") return failure(kind, importReason(reason ?? "", file));
  if (reason !== undefined) return failure(kind, reason);
  if (kind === "timeout")
    return failure(kind, `The script did not finish within ${limits.timeoutMs} ms (settings.timeoutMs).`);
  return failure(kind, `The script needed more than ${limits.memoryLimitBytes} bytes (settings.memoryLimitBytes).`);
}

function isEngineFailure(outcome: WorkerOutcome): boolean {
  return outcome.status === "error" && outcome.kind === "engine";
}

function workerFailure(error: unknown): Failure {
  const isMemory = (error as { code?: unknown } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory) return failure("memory", "The script's worker ran out of memory.");
  return failure("engine", `The sandbox's worker failed: ${messageOf(error)}`);
}

export function failure(kind: SandboxFailure, reason: string): Failure {
  return { status: "error", kind, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
