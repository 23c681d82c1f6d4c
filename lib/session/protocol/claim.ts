/** Taking the right to work on a session (chapter S, 24). */
import type { Arrival } from "../arrival.js";
import type { ClaimResult, Work } from "../ports.js";
import type { ActiveArrival, SessionRecord } from "../record.js";
import { type Decision, isChild, isLeaseAlive, type ReceiptChange } from "./decision.js";
import { WAKE_RETRY_MAX_MS } from "./limits.js";
import { retryDelayMs } from "./retry.js";
import { dueMark, isUndeliveredWake, nextWork } from "./work.js";

/** A claim's result without the thread, which the adapter adds. */
export type ClaimDecision = Exclude<ClaimResult, { kind: "claimed" }> | Omit<Claimed, "thread">;
type Claimed = Extract<ClaimResult, { kind: "claimed" }>;

/** S-22: takes the lease when it is free or expired and there is work, and begins that work. */
export function decideClaim(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  request: { owner: string; now: number; leaseMs: number },
): Decision<ClaimDecision> {
  const { owner, now, leaseMs } = request;
  if (record === null) return { result: { kind: "idle" }, writes: {} };
  // S-28: nobody but its root's owner runs a child.
  if (record.deleting || isChild(record.sessionId)) return stayIdle(record, inbox, {});
  if (isLeaseAlive(record, now)) {
    return { result: { kind: "busy", until: record.lease?.expiresAt ?? now }, writes: {} };
  }
  const lapsed = lapsedWake(record);
  const before = { ...record, ...lapsed };
  const work = nextWork(before, inbox, now);
  if (work === null) return stayIdle(before, inbox, lapsed);

  const fence = before.fence + 1;
  const begun = beginning(before, work);
  const changed = {
    ...lapsed,
    ...begun.record,
    fence,
    lease: { owner, expiresAt: now + leaseMs },
    updatedAt: now,
    dueAt: now + leaseMs,
  };
  const lease = { sessionId: before.sessionId, owner, fence };
  return {
    result: { kind: "claimed", lease, record: { ...before, ...changed }, work },
    writes: { record: changed, receiptChanges: begun.receiptChanges },
  };
}

/** The fields and the receipt that make `work` the arrival under way. */
export function beginning(
  record: SessionRecord,
  work: Work,
): {
  record: Pick<SessionRecord, "active" | "retryAt"> & { hops?: number | null };
  receiptChanges: ReceiptChange[];
} {
  const { arrival, attempt } = work;
  const goesOn = record.active !== null;
  const hops = arrival.hops ?? null;
  return {
    record: {
      active: { arrival: withoutInput(arrival), attempts: attempt },
      retryAt: null,
      ...(hops === (record.hops ?? null) ? {} : { hops }),
    },
    receiptChanges: goesOn || arrival.seq === 0 ? [] : [{ arrivalId: arrival.id, set: { status: "running" } }],
  };
}

function withoutInput(arrival: Arrival): ActiveArrival {
  if (arrival.seq === 0) return arrival;
  const { input: _, ...kept } = arrival;
  return kept;
}

/**
 * A wake-up whose owner vanished before the delivery committed: a failed attempt with its pause (F-27). It is given up
 * here, and made anew from the park, so that an event accepted meanwhile comes first (S-62).
 */
function lapsedWake(record: SessionRecord): Partial<SessionRecord> {
  const { active, lease } = record;
  if (active === null || lease === null || active.attempts === 0) return {};
  if (!isUndeliveredWake(record, active.arrival)) return {};
  return { active: null, lease: null, cancelRequested: false, ...failedWake(record, lease.expiresAt) };
}

/** The fields that count a failed wake-up and set the time of the next. */
export function failedWake(record: SessionRecord, now: number): Pick<SessionRecord, "wakeFailures" | "wakeRetryAt"> {
  const wakeFailures = record.wakeFailures + 1;
  return { wakeFailures, wakeRetryAt: now + retryDelayMs(wakeFailures, 1, { maxMs: WAKE_RETRY_MAX_MS }) };
}

function stayIdle(
  record: SessionRecord,
  inbox: readonly Arrival[],
  lapsed: Partial<SessionRecord>,
): Decision<ClaimDecision> {
  const dueAt = dueMark(record, inbox);
  const result = { kind: "idle" as const, ...(dueAt === null ? {} : { dueAt }) };
  return { result, writes: Object.keys(lapsed).length > 0 ? { record: { ...lapsed, dueAt } } : {} };
}
