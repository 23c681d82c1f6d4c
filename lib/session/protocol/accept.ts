/** Accepting an arrival (chapter S, 22). */
import type { Arrival, Receipt } from "../arrival.js";
import { IdempotencyConflictError, InboxFullError, SessionBusyError } from "../errors.js";
import type { AcceptRequest, AcceptResult } from "../ports.js";
import { newRecord, type SessionRecord } from "../record.js";
import type { Decision } from "./decision.js";
import { isExpired } from "./expiry.js";
import { INBOX_LIMIT } from "./limits.js";

/**
 * S-1, S-3, S-4, S-12, S-86, S-96: takes the arrival in, or answers a repetition with the first one's receipt.
 *
 * @param receipt - the receipt stored under the arrival's id, expired or not
 * @param inboxCount - how many arrivals the session's inbox holds
 * @throws {IdempotencyConflictError} the key came with another input before, and its source vouches for its keys
 * @throws {SessionBusyError} the session is being deleted, or has expired (S-82)
 * @throws {InboxFullError} too many arrivals wait
 */
export function decideAccept(
  record: SessionRecord | null,
  receipt: Receipt | null,
  inboxCount: number,
  request: AcceptRequest,
): Decision<AcceptResult> {
  const { acceptedAt: now, sessionId, id } = request.arrival;
  if (receipt !== null && !isReceiptExpired(receipt, now)) {
    if (request.checkFingerprint && receipt.fingerprint !== request.fingerprint) throw new IdempotencyConflictError(id);
    return { result: { kind: "repeated", receipt }, writes: {} };
  }
  if (record?.deleting) throw new SessionBusyError(sessionId, "is being deleted");
  if (record && isExpired(record, now)) throw new SessionBusyError(sessionId, "has expired and is to be deleted first");
  if (inboxCount >= INBOX_LIMIT) throw new InboxFullError(sessionId, INBOX_LIMIT);

  const seq = (record?.acceptedSeq ?? 0) + 1;
  const arrival: Arrival = { ...request.arrival, seq };
  const accepted: Receipt = {
    arrivalId: id,
    sessionId,
    workflow: request.arrival.workflow,
    kind: request.arrival.input.kind,
    seq,
    fingerprint: request.fingerprint,
    status: "queued",
    acceptedAt: now,
    expiresAt: request.receiptExpiresAt,
  };
  const restarted = record && typeof record.expiresAt === "number" ? { expiresAt: null } : {};
  const changed = { acceptedSeq: seq, updatedAt: now, dueAt: record ? dueWith(record, now) : now, ...restarted };
  return {
    result: { kind: "accepted", receipt: accepted },
    writes: {
      record: record ? changed : { ...newRecord(sessionId, arrival.workflow, now), ...changed },
      inboxPuts: [arrival],
      receiptPut: accepted,
      ...(arrival.redrives === undefined ? {} : { redriven: { letterId: arrival.redrives, arrivalId: id } }),
    },
  };
}

/**
 * S-82, F-55: past its expiry a receipt counts as absent. That of an arrival which has not settled yet does not expire:
 * its key seen again is still the same arrival (S-2, S-3).
 */
export function isReceiptExpired(receipt: Receipt, now: number): boolean {
  return receipt.expiresAt <= now && receipt.status !== "queued" && receipt.status !== "running";
}

/** The due mark with one more arrival: due at once, unless an owner or the arrival under way comes before it. */
function dueWith(record: SessionRecord, now: number): number {
  const isFree = record.lease === null && record.active === null;
  return isFree ? Math.min(record.dueAt ?? now, now) : (record.dueAt ?? now);
}
