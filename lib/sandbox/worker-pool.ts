/** Worker threads with the engine compiled, kept warm between evaluations. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { PRELUDE } from "./prelude.js";
import type { CompiledEngine, FromWorker, ToWorker, WorkerStart } from "./protocol.js";

/** F-89: what the engine's deepest allowed recursion needs of native stack, with room to spare. */
const STACK_MB = 16;
/** Strings on their way in and out. Guest data is not in this heap; a worker that exceeds it is ended by Node. */
const HEAP_MB = 256;
/** Not built: the worker is TypeScript, the engine lies in its package. */
const IS_SOURCE = import.meta.url.endsWith(".ts");

/** A worker at the service of one evaluation after the other. */
export interface PooledWorker {
  readonly thread: Worker;
  /** Who hears of the worker; replaced for each evaluation. */
  listener: { onMessage(message: FromWorker): void; onDeath(error: unknown): void } | null;
}

export interface WorkerPool {
  /** A worker for one evaluation: a warm one, else a new one. Never waits for another evaluation to end. */
  take(): Promise<PooledWorker>;
  /** Takes back a worker that is idle again. */
  give(worker: PooledWorker): void;
  /** Leaves a worker with its taker, who has nothing for it to do until `wake`; nothing hears of it meanwhile. */
  rest(worker: PooledWorker): void;
  /** False when the worker has died at rest. */
  wake(worker: PooledWorker): boolean;
  /** Ends a worker whatever it is doing. */
  discard(worker: PooledWorker): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * At most `size` idle workers are kept; there is no bound on busy ones, because an evaluation that waits for a tool may
 * be waiting for another evaluation.
 */
export function createWorkerPool(size: number): WorkerPool {
  const all = new Set<PooledWorker>();
  let idle: PooledWorker[] = [];

  const forget = (worker: PooledWorker) => {
    all.delete(worker);
    idle = idle.filter((other) => other !== worker);
  };
  const discard = (worker: PooledWorker) => {
    worker.listener = null;
    forget(worker);
    return worker.thread.terminate();
  };

  return {
    async take() {
      const worker = idle.pop() ?? (await startWorker(forget));
      all.add(worker);
      worker.thread.ref();
      return worker;
    },
    give(worker) {
      worker.listener = null;
      if (!all.has(worker)) return;
      if (idle.length >= size) return void discard(worker);
      idle.push(worker);
      worker.thread.unref();
    },
    rest(worker) {
      worker.listener = null;
      worker.thread.unref();
    },
    wake(worker) {
      if (!all.has(worker)) return false;
      worker.thread.ref();
      return true;
    },
    discard,
    async close() {
      await Promise.all([...all].map(discard));
    },
  };
}

/** Resolves when the worker can take a run; rejects when it cannot start. */
async function startWorker(onGone: (worker: PooledWorker) => void): Promise<PooledWorker> {
  const workerData: WorkerStart = { wasm: await compiledEngine(), prelude: PRELUDE };
  const thread = new Worker(new URL(IS_SOURCE ? "./worker.ts" : "./worker.js", import.meta.url), {
    workerData,
    env: {},
    // The program's own flags (a test runner's, a loader's) have no business in the worker, except to read TypeScript.
    ...(IS_SOURCE && !process.features.typescript ? {} : { execArgv: [] }),
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
  });
  return new Promise((resolve, reject) => {
    const worker: PooledWorker = {
      thread,
      listener: { onMessage: (message) => message.type === "ready" && resolve(worker), onDeath: reject },
    };
    const onDeath = (error: unknown) => {
      onGone(worker);
      worker.listener?.onDeath(error);
      worker.listener = null;
    };
    thread.on("message", (message: FromWorker) => worker.listener?.onMessage(message));
    thread.on("error", onDeath);
    thread.on("exit", (code) => onDeath(new Error(`it ended with code ${code}`)));
  });
}

export function postToWorker(worker: PooledWorker, message: ToWorker): void {
  worker.thread.postMessage(message);
}

let engine: Promise<CompiledEngine> | null = null;

/** Compiled once per process; workers share the machine code. */
function compiledEngine(): Promise<CompiledEngine> {
  engine ??= compileEngine();
  engine.catch(() => {
    engine = null;
  });
  return engine;
}

type Compile = (bytes: Uint8Array) => Promise<CompiledEngine>;

async function compileEngine(): Promise<CompiledEngine> {
  // A build has the engine beside its chunks, and maybe no packages above it.
  const file = IS_SOURCE
    ? createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")
    : new URL("./emscripten-module.wasm", import.meta.url);
  const { compile } = (globalThis as unknown as { WebAssembly: { compile: Compile } }).WebAssembly;
  return compile(await readFile(file));
}
