/** `createSandbox`: code states in QuickJS, on worker threads that can be ended from outside (R-146…R-154, F-88…F-92). */

import { importReason, prepareScript } from "./prepare.js";
import type { FromWorker, GuestConfig, ToWorker, WorkerOutcome } from "./protocol.js";
import { scriptToolNames } from "./tool-names.js";
import type { CodeStateResult, CodeStateRun, Sandbox, SandboxFailure, ScriptCallResult } from "./types.js";
import { createWorkerPool, type PooledWorker, postToWorker, type WorkerPool } from "./worker-pool.js";

export interface SandboxOptions {
  /** Warm workers kept between evaluations; more are started while all are busy. Default 2. */
  poolSize?: number;
}

const DEFAULT_POOL_SIZE = 2;
/** How long after its deadline a worker may still report by itself before it is ended. */
const GRACE_MS = 250;
/** What a busy machine may take to make an engine; it is no part of the script's time. */
const START_MS = 10_000;
const MAX_TIMER_MS = 2_147_483_647;
/** A longer answer would not fit in a guest's memory next to what the script does with it. */
const MAX_ANSWER_CHARS = 8_000_000;

/**
 * A sandbox for authored scripts. Workers start at the first evaluation and do not keep the process alive between
 * evaluations; `close` ends them, and evaluations under way with them (`aborted`).
 *
 * A run never rejects: whatever happens to the engine is a result with a kind and a reason, and the next run works.
 * `poolSize` does not bound how many runs go on at once, so a script may wait for another one.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const house: House = {
    pool: createWorkerPool(options.poolSize ?? DEFAULT_POOL_SIZE),
    isClosed: false,
    running: new Set(),
  };
  return {
    async runCodeState(run) {
      const prepared = await prepareScript(run.source, run.file);
      if (!prepared.ok) return failure(prepared.kind, prepared.reason);
      return runPrepared(house, { ...run, source: prepared.source });
    },
    async close() {
      house.isClosed = true;
      for (const stop of house.running) stop();
      await house.pool.close();
    },
  };
}

interface House {
  pool: WorkerPool;
  isClosed: boolean;
  /** Ends each run under way. */
  running: Set<() => void>;
}

let lastRun = 0;

async function runPrepared(house: House, script: CodeStateRun): Promise<CodeStateResult> {
  const { pool, running } = house;
  const isStopped = () => house.isClosed || script.signal?.aborted === true;
  const stopped = () => failure("aborted", house.isClosed ? "The sandbox was closed." : "The run was stopped.");
  if (isStopped()) return stopped();
  let worker: PooledWorker;
  try {
    worker = await pool.take();
  } catch (error) {
    return failure("engine", `The sandbox could not start a worker: ${messageOf(error)}`);
  }
  if (isStopped()) {
    if (house.isClosed) void pool.discard(worker);
    else pool.give(worker);
    return stopped();
  }
  return new Promise((resolve) => {
    lastRun += 1;
    const run = lastRun;

    const end = (result: CodeStateResult, isWorkerIdle: boolean) => {
      clearTimeout(timer);
      running.delete(onStop);
      script.signal?.removeEventListener("abort", onStop);
      if (isWorkerIdle) pool.give(worker);
      else void pool.discard(worker);
      resolve(result);
    };
    const onStop = () => end(stopped(), false);
    // Only a worker stuck inside a slow built-in gets here; it does not look at its own deadline.
    const onStuck = () => end(resultOf({ status: "error", kind: "timeout" }, script), false);
    const stuckAfter = (ms: number) => setTimeout(onStuck, Math.min(ms, MAX_TIMER_MS));
    let timer = stuckAfter(START_MS + script.limits.timeoutMs);

    let callCount = 0;
    const onMessage = (message: FromWorker) => {
      if (message.type === "ready" || message.run !== run) return;
      if (message.type === "done") return end(resultOf(message.outcome, script), !isEngineFailure(message.outcome));
      if (message.type === "started") {
        clearTimeout(timer);
        timer = stuckAfter(script.limits.timeoutMs + GRACE_MS);
        return;
      }
      if (message.type === "line") {
        try {
          return script.onLine(message.line);
        } catch (error) {
          return end(failure("engine", `A printed line could not be passed on: ${messageOf(error)}`), false);
        }
      }
      callCount += 1;
      const { call, tool } = message;
      void answerCall(script, tool, message.args, callCount).then((result) => {
        // The worker drops the answer when this run is no longer the one it works on.
        postToWorker(worker, { type: "answer", run, answer: JSON.stringify({ ...result, call, tool }) });
      });
    };

    running.add(onStop);
    script.signal?.addEventListener("abort", onStop);
    worker.listener = { onMessage, onDeath: (error) => end(workerFailure(error), false) };
    postToWorker(worker, runMessage(script, run));
  });
}

function runMessage(script: CodeStateRun, run: number): ToWorker {
  const { file, source, startAt, seed, limits, input } = script;
  const config: GuestConfig = { file, ...input, tools: scriptToolNames(script.tools), seed };
  const { timeoutMs, memoryLimitBytes, maxPtcCalls } = limits;
  return {
    type: "run",
    run,
    file,
    source,
    config: JSON.stringify(config),
    timeoutMs,
    memoryLimitBytes,
    maxPtcCalls,
    startAt,
  };
}

async function answerCall(script: CodeStateRun, tool: string, args: string, index: number): Promise<ScriptCallResult> {
  try {
    const result = await script.callTool(tool, JSON.parse(args) as Record<string, unknown>, index);
    if (!result.ok || result.text.length <= MAX_ANSWER_CHARS) return result;
    const message = `The answer of "${tool}" has ${result.text.length} characters; a script can take ${MAX_ANSWER_CHARS}.`;
    return { ok: false, message, tool };
  } catch (error) {
    return { ok: false, message: messageOf(error), tool };
  }
}

function resultOf(outcome: WorkerOutcome, { file, limits }: CodeStateRun): CodeStateResult {
  if (outcome.status === "ok") return { status: "ok" };
  const { kind, reason } = outcome;
  if (kind === "import") return failure(kind, importReason(reason ?? "", file));
  if (reason !== undefined) return failure(kind, reason);
  if (kind === "timeout")
    return failure(kind, `The script did not finish within ${limits.timeoutMs} ms (settings.timeoutMs).`);
  return failure(kind, `The script needed more than ${limits.memoryLimitBytes} bytes (settings.memoryLimitBytes).`);
}

function isEngineFailure(outcome: WorkerOutcome): boolean {
  return outcome.status === "error" && outcome.kind === "engine";
}

function workerFailure(error: unknown): CodeStateResult {
  const isMemory = (error as { code?: unknown } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory) return failure("memory", "The script's worker ran out of memory.");
  return failure("engine", `The sandbox's worker failed: ${messageOf(error)}`);
}

function failure(kind: SandboxFailure, reason: string): CodeStateResult {
  return { status: "error", kind, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
