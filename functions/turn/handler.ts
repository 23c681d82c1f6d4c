/** Turns of the sessions that a batch of doorbells names. */
import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Clock } from "../../lib/session/ports.js";
import { sessionOfRing } from "../../lib/stores/sqs/index.js";
import { errorFields, type Log } from "../shared/log.js";

/** What the engine's worker says when it leaves a session. */
export interface TurnReport {
  settled: readonly { arrivalId: string; error?: Error }[];
  left: string;
}

export interface TurnWorker {
  /** @throws when the stores fail; never for what a turn does */
  work(sessionId: string, options: { drainAt: number; abortAt: number }): Promise<TurnReport>;
}

export interface TurnDeps {
  /** @param invocationLimitMs - what of an invocation one step may take; that of the first one counts */
  worker(invocationLimitMs: number): Promise<TurnWorker>;
  clock: Clock;
  log: Log;
}

/** Time kept for the step that is under way when no further one may start. */
const DRAIN_MS = 60_000;
/** Time kept for giving the session back after calls were aborted. */
const ABORT_MS = 10_000;
/** A short function keeps a part of its time instead, so that some step can start. */
const DRAIN_SHARE = 0.4;
const ABORT_SHARE = 0.1;

/**
 * A record is acknowledged whatever its turn came to: what is left to do stands in the session's due mark (S-13), and a
 * turn that failed by its own logic is not to be run again (F-72). Only a store that failed has its record delivered again.
 */
export function createTurnHandler({ worker, clock, log }: TurnDeps) {
  async function fails(record: SQSRecord, { limitMs, ...limits }: Limits): Promise<boolean> {
    const sessionId = sessionOfRing(record.body);
    if (sessionId === null) {
      log.warn("A message names no session.", { messageId: record.messageId });
      return false;
    }
    try {
      const report = await (await worker(limitMs)).work(sessionId, limits);
      for (const { arrivalId, error } of report.settled) {
        if (error) log.warn("A turn failed.", { sessionId, arrivalId, ...errorFields(error) });
      }
      log.info("The session was worked on.", { sessionId, left: report.left, settled: report.settled.length });
      return false;
    } catch (error) {
      log.error("The session could not be worked on.", { sessionId, ...errorFields(error) });
      return true;
    }
  }

  return async ({ Records: records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const limits = limitsOf(clock.now(), context.getRemainingTimeInMillis());
    const results = await Promise.all(records.map((record) => fails(record, limits)));
    const failed = records.filter((_, index) => results[index]);
    const batchItemFailures: SQSBatchItemFailure[] = failed.map(({ messageId }) => ({ itemIdentifier: messageId }));
    return { batchItemFailures };
  };
}

interface Limits {
  /** Epoch milliseconds (S-50, S-54). */
  drainAt: number;
  abortAt: number;
  /** The invocation's time without its reserve (S-53). */
  limitMs: number;
}

function limitsOf(now: number, remainingMs: number): Limits {
  const deadline = now + remainingMs;
  const limitMs = remainingMs - Math.min(DRAIN_MS, remainingMs * DRAIN_SHARE);
  return {
    limitMs,
    drainAt: now + limitMs,
    abortAt: deadline - Math.min(ABORT_MS, remainingMs * ABORT_SHARE),
  };
}
