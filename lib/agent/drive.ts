/** Seeing an accepted input through: the caller's side of the inbox (S-1, S-101). */
import { isFinal, outcomeOfReceipt } from "../intake/index.js";
import type { Receipt } from "../session/arrival.js";
import { isStoreFailure, ParkwayError } from "../session/errors.js";
import type { Outcome } from "../session/outcome.js";
import { reviveError } from "../session/revive-error.js";
import type { Host, LegOptions } from "../turn/types.js";
import { type WorkReport, workSession } from "../turn/worker.js";

/** How often a waiter looks at a receipt while another worker runs the session. */
const POLL_MS = 100;

/**
 * Failures of the store that a waiter looks past: its input is accepted and will be worked on, so an error would only
 * have the caller send it a second time (S-94).
 */
const STORE_FAILURES = 5;

/**
 * Works on the session until the arrival has settled, here or in another process.
 *
 * @throws the error the arrival was refused with, or the one its turn threw; the signal's reason, when it aborts while
 * another worker has the session: a queued arrival is taken back then, a running one told to stop (S-20)
 */
export async function seeThrough(host: Host, accepted: Receipt, options: LegOptions): Promise<Outcome> {
  const { arrivalId, sessionId } = accepted;
  let failures = 0;
  while (true) {
    const report = await workSession(host, sessionId, { ...options, only: arrivalId }).catch((error): WorkReport => {
      failures += 1;
      if (!isStoreFailure(error) || failures > STORE_FAILURES) throw error;
      return { settled: [], left: "delayed" };
    });
    const settled = report.settled.find((candidate) => candidate.arrivalId === arrivalId);
    if (settled?.error) throw settled.error;
    if (settled?.outcome) return settled.outcome;
    const receipt = await host.store.receipt(arrivalId, host.clock.now());
    if (receipt && isFinal(receipt)) return outcomeFrom(host, receipt);
    host.closing.throwIfAborted();
    if (report.left !== "handed-over" || report.dueAt !== undefined) await host.clock.sleep(POLL_MS, options.signal);
    if (options.signal?.aborted) {
      await host.store.cancel(sessionId, host.clock.now(), { arrivalId });
      throw options.signal.reason;
    }
  }
}

/** The outcome of an arrival that another worker settled. */
async function outcomeFrom(host: Host, receipt: Receipt): Promise<Outcome> {
  if (receipt.error) throw reviveError(receipt.error);
  const outcome = await outcomeOfReceipt(host, receipt);
  if (outcome === null) throw new ParkwayError(`The input ended as ${receipt.status}.`);
  return outcome;
}
