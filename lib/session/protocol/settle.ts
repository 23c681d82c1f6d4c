/** Ending an arrival, or holding it, and going on to the next or letting the session rest (S-25, S-32). */
import type { Arrival } from "../arrival.js";
import type { Lease, Settlement, Work } from "../ports.js";
import type { ActiveArrival, SessionRecord } from "../record.js";
import { beginning, failedWake } from "./claim.js";
import { committed } from "./commit.js";
import { type Decision, type ReceiptChange, requireLease, type Writes } from "./decision.js";
import { expiryAtRest, keepMsFor } from "./expiry.js";
import type { Retention } from "./limits.js";
import { dueMark, isUndeliveredWake, nextWork, whole } from "./work.js";

/**
 * The arrival ends with its status, its last step's writes and its events; then the next work begins under the same
 * lease, or the lease is released. That is decided on the inbox as it is in this very transaction, so an arrival
 * accepted just before is never left without an owner or a due mark (S-25).
 */
export function decideSettle(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  lease: Lease,
  settlement: Settlement,
  request: { leaseMs: number; retention?: Retention },
): Decision<Work | null> {
  const before = requireLease(record, lease);
  const arrival = activeArrival(before, settlement.arrivalId);
  const step: Writes & { record: Partial<SessionRecord> } = settlement.commit
    ? committed(before, settlement.commit)
    : { record: {} };
  const ended: SessionRecord = {
    ...before,
    ...step.record,
    ...NOTHING_UNDER_WAY,
    lastFailure: null,
    unpublished: before.unpublished + settlement.events.length,
    updatedAt: settlement.now,
  };
  ended.keepMs = keepMsFor(ended.status, request.retention);
  // A wake-up that settled and left its park would be due again at once; it counts as failed, so that it pauses (F-27).
  if (isUndeliveredWake(ended, arrival)) Object.assign(ended, failedWake(ended, settlement.now));
  const rest = inbox.filter((other) => other.seq !== arrival.seq);
  const receipt: ReceiptChange = {
    arrivalId: arrival.id,
    set: {
      status: settlement.status,
      ...(settlement.outcome === undefined ? {} : { outcome: settlement.outcome }),
      ...(settlement.error === undefined ? {} : { error: settlement.error }),
    },
  };
  const goneOn = goOn(ended, rest, { lease, now: settlement.now, leaseMs: request.leaseMs });
  return {
    result: goneOn.result,
    writes: {
      puts: step.puts,
      removes: step.removes,
      record: {
        ...step.record,
        ...endedFields(ended),
        ...(ended.keepMs === (before.keepMs ?? null) ? {} : { keepMs: ended.keepMs }),
        ...goneOn.writes.record,
      },
      inboxRemoves: arrival.seq === 0 ? [] : [arrival.seq],
      receiptChanges: [...(arrival.seq === 0 ? [] : [receipt]), ...(goneOn.writes.receiptChanges ?? [])],
      events: settlement.events,
      ...(settlement.deadLetter === undefined ? {} : { deadLetter: settlement.deadLetter }),
    },
  };
}

/** S-19: puts the arrival back under the park that holds it; later arrivals pass it while that park lasts. */
export function decideHold(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  lease: Lease,
  request: { arrivalId: string; parkId: string; now: number; leaseMs: number },
): Decision<Work | null> {
  const before = requireLease(record, lease);
  const arrival = activeArrival(before, request.arrivalId);
  const held: Arrival = { ...whole(arrival, inbox), heldBy: request.parkId };
  const ended: SessionRecord = { ...before, ...NOTHING_UNDER_WAY, updatedAt: request.now };
  const rest = inbox.map((other) => (other.seq === held.seq ? held : other));
  const goneOn = goOn(ended, rest, { lease, now: request.now, leaseMs: request.leaseMs });
  return {
    result: goneOn.result,
    writes: {
      record: { ...NOTHING_UNDER_WAY, updatedAt: request.now, ...goneOn.writes.record },
      inboxPuts: [held],
      receiptChanges: [{ arrivalId: held.id, set: { status: "queued" } }, ...(goneOn.writes.receiptChanges ?? [])],
    },
  };
}

/** A request to stop is for one arrival and goes with it (S-20). */
const NOTHING_UNDER_WAY = { active: null, retryAt: null, cancelRequested: false } as const;

function endedFields(ended: SessionRecord): Partial<SessionRecord> {
  const { active, retryAt, cancelRequested, lastFailure, unpublished, updatedAt, wakeFailures, wakeRetryAt } = ended;
  return { active, retryAt, cancelRequested, lastFailure, unpublished, updatedAt, wakeFailures, wakeRetryAt };
}

/** S-25: the next work under the same lease, else its release with the due mark that fits. */
function goOn(
  record: SessionRecord,
  inbox: readonly Arrival[],
  request: { lease: Lease; now: number; leaseMs: number },
): Decision<Work | null> {
  // A wake-up is begun by whoever finds it due, never by the turn that parked: a model that waits for a past time again
  // and again comes to rest in between (F-24).
  const due = nextWork(record, inbox, request.now);
  const work = due?.arrival.wakes === undefined ? due : null;
  if (work === null) {
    const expiresAt = expiryAtRest({ ...record, lease: null }, inbox, request.now);
    const dueAt = dueMark({ ...record, lease: null, expiresAt }, inbox);
    return { result: null, writes: { record: { lease: null, dueAt, ...(expiresAt === null ? {} : { expiresAt }) } } };
  }
  const begun = beginning(record, work);
  const expiresAt = request.now + request.leaseMs;
  return {
    result: work,
    writes: {
      record: { ...begun.record, lease: { owner: request.lease.owner, expiresAt }, dueAt: expiresAt },
      receiptChanges: begun.receiptChanges,
    },
  };
}

function activeArrival(record: SessionRecord, arrivalId: string): ActiveArrival {
  const arrival = record.active?.arrival;
  if (arrival?.id !== arrivalId) {
    throw new Error(
      `Arrival ${arrivalId} is not under way in session "${record.sessionId}" (${arrival?.id ?? "nothing"} is); settle the work the claim gave.`,
    );
  }
  return arrival;
}
