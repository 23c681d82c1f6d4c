/** Claiming a child session (S-28): its caller's owner stores its own fence in the child's record. */
import { childSessionId, parentSessionIdOf } from "../../spec/index.js";
import { ChildLeftOverError, LeaseLostError, SessionBusyError } from "../errors.js";
import type { ChildRequest, Lease } from "../ports.js";
import { newRecord, type SessionRecord } from "../record.js";
import { type Decision, requireLease } from "./decision.js";

/**
 * Makes the child's record, or takes it over from whoever had it under a lower fence. The record has no lease, no due mark
 * and nothing under way: its writes stand under the fence alone, and no sweep and no doorbell comes to run it.
 *
 * @param caller - the caller's record: the root's, or that of a child which calls another
 * @param lease - the caller's
 * @throws {LeaseLostError} the caller's lease is not the present one, or the child's fence is higher
 * @throws {SessionBusyError} the child is being deleted
 * @throws {ChildLeftOverError} the record is the child of an earlier session under the root's id
 */
export function decideClaimChild(
  caller: SessionRecord | null,
  record: SessionRecord | null,
  lease: Lease,
  child: ChildRequest,
): Decision<{ lease: Lease; record: SessionRecord }> {
  const { sessionId, workflow, now, hops = null } = child;
  if (parentSessionIdOf(sessionId) !== lease.sessionId) {
    throw new Error(
      `"${sessionId}" is no child of "${lease.sessionId}", whose are like "${childSessionId(lease.sessionId, 1)}".`,
    );
  }
  const before = requireLease(caller, lease);
  const rootCreatedAt = before.rootCreatedAt ?? before.createdAt;
  const { owner, fence } = lease;
  const held: Lease = { sessionId, owner, fence };
  if (record === null) {
    const made = { ...newRecord(sessionId, workflow, now), fence, claimedBy: owner, rootCreatedAt, hops };
    return { result: { lease: held, record: made }, writes: { record: made } };
  }
  if (record.deleting) throw new SessionBusyError(sessionId, "is being deleted");
  if (record.rootCreatedAt !== rootCreatedAt) throw new ChildLeftOverError(sessionId);
  if (record.fence > fence) throw new LeaseLostError(sessionId, fence);
  const wanted = { fence, claimedBy: owner, hops };
  const isSame = record.fence === fence && record.claimedBy === owner && (record.hops ?? null) === hops;
  return {
    result: { lease: held, record: { ...record, ...wanted } },
    writes: isSame ? {} : { record: wanted },
  };
}
