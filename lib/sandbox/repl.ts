/** `openRepl`: evaluations one after the other in one engine, which is replaced when one of them breaks it (R-253…R-260). */

import { type Driven, drive, failure, stoppedBy, takeWorker, type Workshop } from "./drive.js";
import { prepareEvaluation } from "./prepare.js";
import type { ReplConfig } from "./protocol.js";
import { scriptToolNames } from "./tool-names.js";
import type { Evaluation, EvaluationResult, Repl } from "./types.js";
import { type PooledWorker, postToWorker } from "./worker-pool.js";

export function openRepl(workshop: Workshop): Repl {
  const { pool } = workshop;
  const closed = new AbortController();
  /** The one with the REPL's engine; none before the first evaluation and after one that broke it. */
  let worker: PooledWorker | null = null;
  let holdsNames = false;
  let last: Promise<unknown> = Promise.resolve();

  const lose = () => {
    if (worker) void pool.discard(worker);
    worker = null;
    holdsNames = false;
  };

  const evaluate = async (evaluation: Evaluation): Promise<EvaluationResult> => {
    const run = { ...evaluation, signal: either(closed.signal, evaluation.signal) };
    if (worker && !pool.wake(worker)) lose();
    const fresh = worker === null;
    const nothing = { printed: "", fresh, holdsNames };
    const prepared = await prepareEvaluation(run.source, run.file);
    if (!prepared.ok) return { ...failure(prepared.kind, prepared.reason), ...nothing };
    const stopped = stoppedBy(workshop, run.signal);
    if (stopped) return { ...stopped, ...nothing };
    if (!worker) {
      const taken = await takeWorker(workshop, run.signal);
      if (!taken.ok) return { ...taken.failure, ...nothing };
      worker = taken.worker;
    }
    let driven = await driveIn(worker, run, prepared.source);
    // The engine could not be made ready, so nothing has run; the worker has dropped it.
    if (driven.repl?.engine === "unusable") driven = await driveIn(worker, run, prepared.source);
    return ended(driven, fresh);
  };

  const driveIn = async (used: PooledWorker, run: Evaluation, source: string) => {
    const { file, args, variables, seed, limits } = run;
    const { maxResultChars } = limits;
    const config: ReplConfig = { file, args, variables, tools: scriptToolNames(run.tools), seed, maxResultChars };
    let printed = "";
    const onLine = (piece: string) => {
      printed += piece;
    };
    const work = { ...run, type: "evaluate" as const, source, config: JSON.stringify(config), onLine };
    return { ...(await drive(workshop, used, work)), printed };
  };

  const ended = ({ result, isWorkerIdle, repl, printed }: Driven & { printed: string }, fresh: boolean) => {
    holdsNames = repl?.holdsNames ?? false;
    if (!worker || !isWorkerIdle) lose();
    else if (repl?.engine === "kept") pool.rest(worker);
    else {
      pool.give(worker);
      worker = null;
    }
    const after = { printed: marked(printed, repl?.lostPrinted ?? 0), fresh: repl?.fresh ?? fresh, holdsNames };
    if (result.status === "error") return { ...result, ...after };
    return { status: "ok" as const, text: marked(result.text ?? "", result.lost ?? 0), ...after };
  };

  return {
    evaluate(run) {
      const result = last.then(() => evaluate(run));
      last = result;
      return result;
    },
    async close() {
      closed.abort();
      await last;
      if (!worker) return;
      postToWorker(worker, { type: "forget" });
      pool.give(worker);
      worker = null;
    },
  };
}

function either(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given ? AbortSignal.any([own, given]) : own;
}

/** */
function marked(kept: string, lost: number): string {
  if (lost === 0) return kept;
  // Half a character would be no text.
  const isHalf = /[\ud800-\udbff]$/.test(kept);
  return `${isHalf ? kept.slice(0, -1) : kept}… (${isHalf ? lost + 1 : lost} more characters)`;
}
