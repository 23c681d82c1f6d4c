/**
 * Lambda on this machine: the bundled asset of a function in processes of its own, cold and warm, with time-out, concurrency
 * and asynchronous invocation. Node starts each process; nothing of the repository is loaded into it.
 */
import { randomUUID } from "node:crypto";
import { ACCOUNT, REGION } from "../arns.js";
import type { BenchClock } from "../bench-clock.js";
import { type FunctionError, type FunctionProcess, startRuntimeApi } from "./runtime-api.js";

/** Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation". */
const RETRY_AFTER_MS = [60_000, 120_000];
const THROTTLED_AGAIN_MS = 1_000;

export interface FunctionDefinition {
  name: string;
  /** Holds `index.mjs`; nothing above it is looked at. */
  assetDir: string;
  /** `index.handler`. */
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** Processes at one time; as many as are asked for unless given. */
  reservedConcurrency?: number;
  /** What becomes of asynchronous invocations that fail: retried twice unless said otherwise. */
  asynchronous?: { retries?: number; onFailure?: (failure: AsyncFailure) => void };
}

export interface AsyncFailure {
  functionName: string;
  event: unknown;
  attempts: number;
  error: FunctionError;
}

export interface Invocation {
  requestId: string;
  /** What the handler returned. */
  payload?: unknown;
  error?: FunctionError;
  isCold: boolean;
  /** Wall time, the start of a new process included. */
  durationMs: number;
}

export interface LambdaHost {
  define(definition: FunctionDefinition): void;
  definition(name: string): FunctionDefinition;
  /** Waits for the answer. @throws {ThrottledError} where the function has all the processes it may have */
  invoke(name: string, event: unknown): Promise<Invocation>;
  /** Asynchronous invocation: runs, again after a failure, and goes to `onFailure` in the end. */
  send(name: string, event: unknown): void;
  /** Once nothing runs and nothing waits to run now. Repetitions that wait for their time are not waited for. */
  settled(): Promise<void>;
  /** Repetitions of asynchronous invocations that wait for their time. */
  retriesPending(): number;
  /** Ends the process and what runs in it, at once. */
  kill(processId: string): void;
  /** Ends a function's processes, so that the next invocation is cold and knows a new definition. */
  restart(name: string): Promise<void>;
  /** Processes alive, by function. */
  processes(name: string): readonly { id: string; isBusy: boolean }[];
  /** Lines written by functions, newest last. */
  output: { functionName: string; line: string }[];
  stop(): Promise<void>;
}

export class ThrottledError extends Error {
  override readonly name = "TooManyRequestsException";
}

interface Worker {
  process: FunctionProcess;
  isBusy: boolean;
}

/** @param environment - of every function, over what Lambda itself sets */
export async function startLambdaHost(options: {
  clock: BenchClock;
  environment?: Record<string, string>;
}): Promise<LambdaHost> {
  const { clock } = options;
  const api = await startRuntimeApi();
  const definitions = new Map<string, FunctionDefinition>();
  const workers = new Map<string, Worker[]>();
  const output: LambdaHost["output"] = [];
  const idlers: (() => void)[] = [];
  let active = 0;
  let retries = 0;
  let started = 0;
  let isStopped = false;

  clock.onAdvance(() => {
    for (const { process } of [...workers.values()].flat()) process.setOffset(clock.offsetMs());
  });

  function definition(name: string): FunctionDefinition {
    const found = definitions.get(name);
    if (!found) throw new Error(`No function ${name}; there are ${[...definitions.keys()].join(", ")}.`);
    return found;
  }

  function startWorker(made: FunctionDefinition): Worker {
    const id = `${made.name}.${++started}`;
    const process = api.start({
      id,
      assetDir: made.assetDir,
      env: { ...lambdaEnvironment(made, id, clock.offsetMs()), ...options.environment, ...made.environment },
      onOutput: (line) => output.push({ functionName: made.name, line }),
    });
    return { process, isBusy: false };
  }

  /** A process that waits, the one used last first; else a new one. */
  function workerFor(made: FunctionDefinition): { worker: Worker; isCold: boolean } {
    const alive = (workers.get(made.name) ?? []).filter(({ process }) => !process.isGone());
    workers.set(made.name, alive);
    const warm = alive.findLast(({ isBusy }) => !isBusy);
    if (warm) return { worker: warm, isCold: false };
    if (alive.length >= (made.reservedConcurrency ?? Number.POSITIVE_INFINITY)) {
      throw new ThrottledError("Rate Exceeded.");
    }
    const worker = startWorker(made);
    alive.push(worker);
    return { worker, isCold: true };
  }

  async function invoke(name: string, event: unknown): Promise<Invocation> {
    const made = definition(name);
    const { worker, isCold } = workerFor(made);
    const requestId = randomUUID();
    const startedAt = performance.now();
    worker.isBusy = true;
    active += 1;
    let hasTimedOut = false;
    let timer: NodeJS.Timeout | undefined;
    const begin = () => {
      timer = setTimeout(() => {
        hasTimedOut = true;
        worker.process.kill();
      }, made.timeoutMs);
      return { deadlineAt: clock.now() + made.timeoutMs, offsetMs: clock.offsetMs() };
    };
    try {
      const answer = await worker.process.run({
        requestId,
        event: JSON.stringify(event),
        begin,
        functionArn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
      });
      const base = { requestId, isCold, durationMs: performance.now() - startedAt };
      if (answer.kind === "response") return { ...base, payload: JSON.parse(answer.body) };
      if (answer.kind === "error") return { ...base, error: answer.error };
      const errorMessage = hasTimedOut
        ? `${requestId} Task timed out after ${(made.timeoutMs / 1_000).toFixed(2)} seconds`
        : `RequestId: ${requestId} Error: Runtime exited with error: ${answer.how}`;
      return { ...base, error: { errorType: hasTimedOut ? "Sandbox.Timedout" : "Runtime.ExitError", errorMessage } };
    } finally {
      clearTimeout(timer);
      worker.isBusy = false;
      finished();
    }
  }

  function finished(): void {
    active -= 1;
    // What follows from this end (a deletion, a repetition) begins first.
    setImmediate(() => {
      if (active === 0) for (const wake of idlers.splice(0)) wake();
    });
  }

  async function runAsync(name: string, event: unknown, attempt: number): Promise<void> {
    active += 1;
    try {
      const { error } = await invoke(name, event);
      if (!error || isStopped) return;
      const { retries: allowed = RETRY_AFTER_MS.length, onFailure } = definition(name).asynchronous ?? {};
      if (attempt > allowed) onFailure?.({ functionName: name, event, attempts: attempt, error });
      else later(RETRY_AFTER_MS[attempt - 1] ?? 0, () => runAsync(name, event, attempt + 1));
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error;
      later(THROTTLED_AGAIN_MS, () => runAsync(name, event, attempt));
    } finally {
      finished();
    }
  }

  function later(ms: number, run: () => Promise<void>): void {
    retries += 1;
    clock.at(clock.now() + ms, () => {
      retries -= 1;
      if (!isStopped) void run();
    });
  }

  return {
    define: (made) => void definitions.set(made.name, made),
    definition,
    invoke,
    send: (name, event) => void runAsync(name, event, 1),
    settled: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    retriesPending: () => retries,
    kill(processId) {
      for (const { process } of [...workers.values()].flat()) if (process.id === processId) process.kill();
    },
    async restart(name) {
      const alive = workers.get(name) ?? [];
      workers.set(name, []);
      for (const { process } of alive) process.kill();
    },
    processes: (name) =>
      (workers.get(name) ?? [])
        .filter(({ process }) => !process.isGone())
        .map(({ process, isBusy }) => ({ id: process.id, isBusy })),
    output,
    async stop() {
      isStopped = true;
      await api.stop();
    },
  };
}

/** Lambda developer guide, "Defined runtime environment variables". The credentials tell the bench who calls. */
function lambdaEnvironment(made: FunctionDefinition, processId: string, offsetMs: number): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: made.name,
    AWS_SECRET_ACCESS_KEY: "bench",
    AWS_SESSION_TOKEN: processId,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: made.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(made.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${made.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: processId,
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    _HANDLER: made.handler,
    BENCH_OFFSET_MS: String(offsetMs),
    TZ: ":UTC",
    PATH: "/usr/bin:/bin",
    LANG: "en_US.UTF-8",
  };
}
