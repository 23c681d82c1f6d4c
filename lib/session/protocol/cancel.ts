/** Stopping an arrival (S-20). A request to stop is not an arrival itself. */
import type { Arrival } from "../arrival.js";
import type { SessionRecord } from "../record.js";
import type { Decision } from "./decision.js";
import { expiryAtRest } from "./expiry.js";
import { dueMark } from "./work.js";

/**
 * Tells the owner of the running turn, through the record, to stop; a turn whose owner is gone or pausing is due at
 * once, so that it is ended soon. With `arrivalId` only that arrival is meant, and a queued one is taken out of the
 * inbox as `superseded`.
 *
 * @returns false when nothing was there to stop
 */
export function decideCancel(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  request: { now: number; arrivalId?: string },
): Decision<boolean> {
  const { now, arrivalId } = request;
  if (record === null || record.deleting) return { result: false, writes: {} };
  const active = record.active?.arrival;
  if (active && (arrivalId === undefined || arrivalId === active.id)) return stop(record, inbox, now);
  const queued = inbox.find((arrival) => arrival.id === arrivalId);
  return queued ? supersede(record, inbox, queued, now) : { result: false, writes: {} };
}

function stop(record: SessionRecord, inbox: readonly Arrival[], now: number): Decision<boolean> {
  const changed = { cancelRequested: true, retryAt: null, updatedAt: now };
  return { result: true, writes: { record: { ...changed, dueAt: dueMark({ ...record, ...changed }, inbox) } } };
}

function supersede(record: SessionRecord, inbox: readonly Arrival[], queued: Arrival, now: number): Decision<boolean> {
  const rest = inbox.filter((arrival) => arrival.seq !== queued.seq);
  const changed = { updatedAt: now, expiresAt: expiryAtRest(record, rest, now) };
  return {
    result: true,
    writes: {
      record: { ...changed, dueAt: dueMark({ ...record, ...changed }, rest) },
      inboxRemoves: [queued.seq],
      receiptChanges: [{ arrivalId: queued.id, set: { status: "superseded" } }],
    },
  };
}
