/** Marking a session for deletion, and what its receipts keep afterwards (S-84…S-88). */

import { isChildSessionOf, parentSessionIdOf } from "../../spec/index.js";
import type { Arrival, Receipt } from "../arrival.js";
import { SessionBusyError } from "../errors.js";
import type { DeletionRequest } from "../ports.js";
import type { SessionRecord } from "../record.js";
import { type Decision, isChild, isLeaseAlive } from "./decision.js";
import { DELETION_RETRY_MS } from "./limits.js";

/** Whose record, beside the session's own, says whether the session may be deleted; null for nobody's (S-88). */
export function deletionGuard(sessionId: string, how: DeletionRequest = {}): string | null {
  if (!isChild(sessionId)) return null;
  return how.withParent ? parentSessionIdOf(sessionId) : sessionId.slice(0, sessionId.indexOf("~"));
}

/**
 * Raises the fence, so that a former owner writes nothing more, and refuses what waits, the arrival of a turn without an
 * owner included.
 *
 * @param guard - the record of the `deletionGuard`, in the same section
 * @returns false when there is no such session; true again for one already marked
 * @throws {SessionBusyError} while a lease lives (S-85); for a child while its root works or presents it (S-88)
 */
export function decideBeginDelete(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  now: number,
  { how = {}, guard = null }: { how?: DeletionRequest; guard?: SessionRecord | null } = {},
): Decision<boolean> {
  if (record === null) return { result: false, writes: {} };
  if (how.withParent && !goesWithChildren(guard)) return { result: false, writes: {} };
  const along = how.children && !record.takesChildren ? { takesChildren: true } : {};
  if (record.deleting) {
    return { result: true, writes: Object.keys(along).length > 0 ? { record: along } : {} };
  }
  if (isLeaseAlive(record, now)) throw new SessionBusyError(record.sessionId, "is in the middle of a turn");
  if (!how.withParent && guard) requireUnneeded(record, guard, now);
  const error = new SessionBusyError(record.sessionId, "was deleted before this was taken up").toJSON();
  return {
    result: true,
    writes: {
      record: { ...deletionMark(record, now), ...along },
      inboxRemoves: inbox.map((arrival) => arrival.seq),
      receiptChanges: inbox.map((arrival) => ({ arrivalId: arrival.id, set: { status: "refused", error } })),
    },
  };
}

/** Whether the session is being deleted, and its children with it. */
export function goesWithChildren(record: SessionRecord | null): boolean {
  return record?.deleting === true && record.takesChildren === true;
}

/** S-88: a child that its root is at work on, or waits for. What an earlier session of the root's id left is nobody's. */
function requireUnneeded({ sessionId, rootCreatedAt }: SessionRecord, root: SessionRecord, now: number): void {
  if (root.deleting || root.createdAt !== rootCreatedAt) return;
  if (root.active !== null || isLeaseAlive(root, now)) {
    throw new SessionBusyError(sessionId, `belongs to "${root.sessionId}", which is in the middle of a turn`);
  }
  const presented = root.park?.delegation;
  if (presented !== undefined && (presented === sessionId || isChildSessionOf(presented, sessionId))) {
    throw new SessionBusyError(sessionId, `belongs to "${root.sessionId}", which waits for an answer to it`);
  }
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
