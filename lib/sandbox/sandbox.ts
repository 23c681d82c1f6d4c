/** `createSandbox`: scripts in QuickJS, on worker threads that can be ended from outside (R-146… …R-264, F-88…F-92). */

import { drive, failure, takeWorker, type Workshop } from "./drive.js";
import { prepareScript } from "./prepare.js";
import type { GuestConfig } from "./protocol.js";
import { openRepl } from "./repl.js";
import { scriptToolNames } from "./tool-names.js";
import type { CodeStateResult, CodeStateRun, Sandbox } from "./types.js";
import { createWorkerPool } from "./worker-pool.js";

export interface SandboxOptions {
  /** Warm workers kept between evaluations; more are started while all are busy. Default 2. */
  poolSize?: number;
}

const DEFAULT_POOL_SIZE = 2;

/**
 * A sandbox for authored scripts. Workers start at the first evaluation and do not keep the process alive between
 * evaluations; `close` ends them, and evaluations under way with them (`aborted`).
 *
 * A run never rejects: whatever happens to the engine is a result with a kind and a reason, and the next run works.
 * `poolSize` does not bound how many runs go on at once, so a script may wait for another one.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const workshop: Workshop = {
    pool: createWorkerPool(options.poolSize ?? DEFAULT_POOL_SIZE),
    isClosed: false,
    running: new Set(),
  };
  return {
    async runCodeState(run) {
      const prepared = await prepareScript(run.source, run.file);
      if (!prepared.ok) return failure(prepared.kind, prepared.reason);
      return runPrepared(workshop, { ...run, source: prepared.source });
    },
    openRepl: () => openRepl(workshop),
    async close() {
      workshop.isClosed = true;
      for (const stop of workshop.running) stop();
      await workshop.pool.close();
    },
  };
}

async function runPrepared(workshop: Workshop, script: CodeStateRun): Promise<CodeStateResult> {
  const { pool } = workshop;
  const taken = await takeWorker(workshop, script.signal);
  if (!taken.ok) return taken.failure;
  const { worker } = taken;
  const config: GuestConfig = {
    file: script.file,
    ...script.input,
    tools: scriptToolNames(script.tools),
    seed: script.seed,
  };
  const work = { ...script, type: "run" as const, config: JSON.stringify(config) };
  const { result, isWorkerIdle } = await drive(workshop, worker, work);
  if (isWorkerIdle) pool.give(worker);
  else void pool.discard(worker);
  return result.status === "ok" ? { status: "ok" } : result;
}
