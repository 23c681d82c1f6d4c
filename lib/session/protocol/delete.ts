/** Marking a session for deletion, and what its receipts keep afterwards (S-84…S-87). */
import type { Arrival, Receipt } from "../arrival.js";
import { SessionBusyError } from "../errors.js";
import type { SessionRecord } from "../record.js";
import { type Decision, isLeaseAlive } from "./decision.js";
import { DELETION_RETRY_MS } from "./limits.js";

/**
 * Raises the fence, so that a former owner writes nothing more, and refuses what waits, the arrival of a turn without an
 * owner included.
 *
 * @returns false when there is no such session; true again for one already marked
 * @throws {SessionBusyError} while a lease lives (S-85)
 */
export function decideBeginDelete(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  now: number,
): Decision<boolean> {
  if (record === null) return { result: false, writes: {} };
  if (record.deleting) return { result: true, writes: {} };
  if (isLeaseAlive(record, now)) throw new SessionBusyError(record.sessionId, "is in the middle of a turn");
  const error = new SessionBusyError(record.sessionId, "was deleted before this was taken up").toJSON();
  return {
    result: true,
    writes: {
      record: deletionMark(record, now),
      inboxRemoves: inbox.map((arrival) => arrival.seq),
      receiptChanges: inbox.map((arrival) => ({ arrivalId: arrival.id, set: { status: "refused", error } })),
    },
  };
}

/** The due mark brings somebody who carries the deletion through, should it be stopped. */
export function deletionMark(record: SessionRecord, now: number): Partial<SessionRecord> {
  return {
    deleting: true,
    fence: record.fence + 1,
    lease: null,
    active: null,
    retryAt: null,
    cancelRequested: false,
    dueAt: now + DELETION_RETRY_MS,
    updatedAt: now,
  };
}

/**
 * S-87: a receipt after its session's deletion: ids, fingerprint, status and the kind of outcome. The outcome keeps its
 * shape with an empty reply, so that readers need no second case.
 */
export function strippedReceipt(receipt: Receipt): Receipt {
  const { error: _error, outcome, ...kept } = receipt;
  if (outcome === undefined) return kept;
  const { kind, disposition, status } = outcome;
  return { ...kept, outcome: { kind, disposition, status, reply: "" } };
}
