/** What an owner does with its lease short of settling: renew, commit a step, hand over (S-23, S-50, S-89). */
import type { Arrival } from "../arrival.js";
import type { Commit, Lease } from "../ports.js";
import type { RecordPatch, SessionRecord } from "../record.js";
import { failedWake } from "./claim.js";
import { type Decision, isChild, requireLease, type Writes } from "./decision.js";
import { RENEWALS } from "./limits.js";
import { retryDelayMs } from "./retry.js";
import { dueMark, isUndeliveredWake } from "./work.js";

export function decideRenew(
  record: SessionRecord | null,
  lease: Lease,
  request: { now: number; leaseMs: number },
): Decision<{ cancelled: boolean }> {
  const before = requireLease(record, lease);
  const writes = isChild(lease.sessionId) ? {} : { record: renewed(lease, request) };
  return { result: { cancelled: before.cancelRequested }, writes };
}

/** Whether somebody asked for the turn to be stopped, as far as its owner may know (S-20, S-23). */
export function decideIsCancelled(record: SessionRecord | null, lease: Lease): boolean {
  return requireLease(record, lease).cancelRequested;
}

/** One step: its items, the record's new fields, a lease that is fresh enough, and, where it is progress, no failed attempts any more. */
export function decideCommit(
  record: SessionRecord | null,
  lease: Lease,
  commit: Commit,
  request: { now: number; leaseMs: number },
): Decision<{ cancelled: boolean }> {
  const before = requireLease(record, lease);
  if (isChild(lease.sessionId)) return committedChild(before, commit, request);
  const step = committed(before, commit);
  return {
    result: { cancelled: before.cancelRequested },
    writes: {
      ...step,
      record: {
        ...step.record,
        ...(isFreshEnough(before, request) ? {} : { ...renewed(lease, request), updatedAt: request.now }),
      },
    },
  };
}

/** S-28: a child has no lease to renew and no attempts to forget; it only moves up in lists, as seldom as a root does. */
function committedChild(
  before: SessionRecord,
  commit: Commit,
  { now, leaseMs }: { now: number; leaseMs: number },
): Decision<{ cancelled: boolean }> {
  const fields: RecordPatch = commit.record ?? {};
  const hasTurned = fields.status !== undefined && fields.status !== before.status;
  const isStale = now - before.updatedAt >= leaseMs / RENEWALS;
  return {
    result: { cancelled: false },
    writes: {
      puts: commit.puts,
      removes: commit.removes,
      record: { ...fields, ...(hasTurned || isStale ? { updatedAt: now } : {}) },
    },
  };
}

/**
 * Gives the lease back with the work unfinished. A failure (`failed`) waits before it is tried again; so does a hand-over
 * without a committed step, which counts as one (S-56), unless all it did was to wait for `retryAt` (S-50, S-94). An
 * undelivered wake-up is given up, for it is made anew from its park (S-62, F-27).
 */
export function decideRelease(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  lease: Lease,
  request: { now: number; retryAt?: number; failed?: string; commit?: Commit },
): Decision<void> {
  const { now, failed, retryAt } = request;
  const held = requireLease(record, lease);
  const step: Writes = request.commit ? committed(held, request.commit) : {};
  const before: SessionRecord = { ...held, ...step.record };
  const attempts = before.active?.attempts ?? 0;
  const waitedOnly = failed === undefined && retryAt !== undefined;
  const isFailure = failed !== undefined || (attempts > 0 && !waitedOnly);

  const changed: Partial<SessionRecord> = { ...step.record, lease: null, updatedAt: now };
  if (failed !== undefined) changed.lastFailure = failed;
  if (before.active !== null && attempts > 0 && isUndeliveredWake(before, before.active.arrival)) {
    const failure = isFailure ? failedWake(before, now) : {};
    Object.assign(changed, { active: null, cancelRequested: false, ...failure });
    if (retryAt !== undefined) changed.wakeRetryAt = retryAt;
  } else {
    if (waitedOnly && before.active !== null && attempts > 0) {
      changed.active = { ...before.active, attempts: attempts - 1 };
    }
    changed.retryAt = retryAt ?? (isFailure ? now + retryDelayMs(Math.max(1, attempts), 1) : null);
    // S-50: a cancellation does not wait for the time of the next attempt.
    if (before.cancelRequested) changed.retryAt = null;
  }
  return {
    result: undefined,
    writes: { ...step, record: { ...changed, dueAt: dueMark({ ...before, ...changed }, inbox) } },
  };
}

/** A step's writes, without the lease. */
export function committed(record: SessionRecord, commit: Commit): Writes & { record: Partial<SessionRecord> } {
  const fields: RecordPatch = commit.record ?? {};
  const progress = commit.beginsOnly ? {} : forgivenFailures(record);
  return { puts: commit.puts, removes: commit.removes, record: { ...fields, ...progress } };
}

/** S-89, F-27: what progress sets back, where there is something to set back. */
function forgivenFailures({ active, wakeFailures, wakeRetryAt }: SessionRecord): Partial<SessionRecord> {
  const hasFailedToWake = wakeFailures !== 0 || wakeRetryAt !== null;
  return {
    ...(active !== null && active.attempts !== 0 ? { active: { ...active, attempts: 0 } } : {}),
    ...(hasFailedToWake ? { wakeFailures: 0, wakeRetryAt: null } : {}),
  };
}

/** Not a third of it is over: a renewal would only move the session in the indexes (S-24). */
function isFreshEnough({ lease }: SessionRecord, { now, leaseMs }: { now: number; leaseMs: number }): boolean {
  return lease !== null && lease.expiresAt - now > leaseMs - leaseMs / RENEWALS;
}

function renewed(lease: Lease, request: { now: number; leaseMs: number }): Pick<SessionRecord, "lease" | "dueAt"> {
  const expiresAt = request.now + request.leaseMs;
  return { lease: { owner: lease.owner, expiresAt }, dueAt: expiresAt };
}
