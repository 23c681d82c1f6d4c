/**
 * What a decision of the protocol is: the answer for the caller, and the writes that make it true. An adapter reads the
 * record, the one receipt and the inbox, asks the decision, and carries its writes out; reading, deciding and writing
 * are one atomic section (or conditional writes that fail as one when what was read has changed).
 */

import { parentSessionIdOf } from "../../spec/index.js";
import type { Arrival, DeadLetter, Receipt } from "../arrival.js";
import { LeaseLostError } from "../errors.js";
import type { LifecycleEvent } from "../lifecycle.js";
import type { Lease, ThreadItem } from "../ports.js";
import type { SessionRecord } from "../record.js";

export interface ReceiptChange {
  arrivalId: string;
  set: Partial<Pick<Receipt, "status" | "outcome" | "error">>;
}

export interface Writes {
  /** The record's changed fields; all of them where there was no record. */
  record?: Partial<SessionRecord>;
  inboxPuts?: readonly Arrival[];
  /** Sequence numbers. */
  inboxRemoves?: readonly number[];
  receiptPut?: Receipt;
  /** A receipt that is gone is not made again. */
  receiptChanges?: readonly ReceiptChange[];
  /** Thread items put (replacing one with the same key) and removed. Nothing else ever touches the thread. */
  puts?: readonly ThreadItem[];
  removes?: readonly string[];
  /** Lifecycle events to be published, in order. */
  events?: readonly LifecycleEvent[];
  deadLetter?: DeadLetter;
  /** S-96: the link of a dead letter to the arrival made from it. A letter that is gone is not made again. */
  redriven?: { letterId: string; arrivalId: string };
}

export interface Decision<Result> {
  result: Result;
  writes: Writes;
}

/** The record as it stands once the writes are done. */
export function recordAfter(record: SessionRecord | null, writes: Writes): SessionRecord | null {
  return writes.record ? ({ ...record, ...writes.record } as SessionRecord) : record;
}

/** Whether somebody may be working on the session as far as this clock knows (S-24). */
export function isLeaseAlive(record: SessionRecord, now: number): boolean {
  return record.lease !== null && record.lease.expiresAt > now;
}

/**
 * S-23: the record, when the lease is the present one. Its expiry does not matter: nobody has taken over while the fence
 * stands. The owner counts as well: a lease may be given out to several to be taken by the first who writes, and a session
 * made anew under an id counts its fences anew.
 */
export function requireLease(record: SessionRecord | null, lease: Lease): SessionRecord {
  if (record === null || !isHeld(record, lease)) throw new LeaseLostError(lease.sessionId, lease.fence);
  return record;
}

/** Whether the lease is the present one; of a child, the one that its caller's owner claimed last (S-28). */
export function isHeld(record: SessionRecord, lease: Lease): boolean {
  const owner = isChild(record.sessionId) ? record.claimedBy : record.lease?.owner;
  return owner === lease.owner && record.fence === lease.fence;
}

/** Whether the session is a child: run by its root's owner, and by nobody who finds it due (S-28, S-66). */
export function isChild(sessionId: string): boolean {
  return parentSessionIdOf(sessionId) !== null;
}
