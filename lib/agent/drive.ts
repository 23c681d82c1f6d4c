/** Accepting an input and seeing it through: the caller's side of the inbox (S-1, S-9, S-101). */
import { randomUUID } from "node:crypto";
import type { Arrival, ArrivalInput, ArrivalSource, Receipt } from "../session/arrival.js";
import { isStoreFailure, ParkwayError } from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { arrivalIdFor, fingerprintOf, RECEIPT_TTL_MS } from "../session/index.js";
import { type Outcome, shownVariables } from "../session/outcome.js";
import { reviveError } from "../session/revive-error.js";
import { loadState } from "../turn/load-state.js";
import { plainJson } from "../turn/thread/plain-json.js";
import type { Host, LegOptions } from "../turn/types.js";
import { type WorkReport, workSession } from "../turn/worker.js";

export interface Accepting {
  sessionId: string;
  workflow: string;
  input: ArrivalInput;
  source: ArrivalSource;
  /** The caller's idempotency key; without one, every call is an arrival of its own (S-5). */
  key?: string;
}

/** @throws {UnstorableStateError} for an input that is no plain JSON, before anything is stored */
export async function acceptArrival(host: Host, accepting: Accepting): Promise<Receipt> {
  const { sessionId, workflow, source } = accepting;
  // What cannot be stored is refused here, and every store is given the same plain JSON (S-8).
  const input = JSON.parse(plainJson(accepting.input, "input")) as ArrivalInput;
  const now = host.clock.now();
  const arrival: Omit<Arrival, "seq"> = {
    id: arrivalIdFor({ scope: "", source, key: accepting.key ?? randomUUID() }),
    sessionId,
    source,
    workflow,
    input,
    acceptedAt: now,
  };
  const accepted = await host.store.accept({
    arrival,
    fingerprint: fingerprintOf(input),
    checkFingerprint: source !== "webhook" && source !== "bus",
    receiptExpiresAt: now + RECEIPT_TTL_MS,
  });
  // It is accepted now, whatever becomes of the doorbell: an error here would have the caller send it again (S-13).
  await host.doorbell.ring(sessionId).catch(() => undefined);
  return accepted.receipt;
}

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
    if (receipt && receipt.status !== "queued" && receipt.status !== "running") return outcomeFrom(host, receipt);
    host.closing.throwIfAborted();
    if (report.left !== "handed-over") await host.clock.sleep(POLL_MS, options.signal);
    if (options.signal?.aborted) {
      await host.store.cancel(sessionId, host.clock.now(), { arrivalId });
      throw options.signal.reason;
    }
  }
}

/** The outcome of an arrival that another worker settled, with the session's history as it is now. */
async function outcomeFrom(host: Host, receipt: Receipt): Promise<Outcome> {
  if (receipt.error) throw reviveError(receipt.error);
  if (!receipt.outcome) throw new ParkwayError(`The input ended as ${receipt.status}.`);
  const state = (await loadState(host.store, receipt.sessionId))?.state ?? emptyState();
  return { ...receipt.outcome, auditTrail: state.trail, variables: shownVariables(state), messages: state.messages };
}
