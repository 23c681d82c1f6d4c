/** What a session's owner is to do next, and when something is due. */
import type { Arrival } from "../arrival.js";
import { CheckpointCorruptError } from "../errors.js";
import { wakeArrivalId } from "../fingerprint.js";
import type { Work } from "../ports.js";
import type { ActiveArrival, SessionRecord } from "../record.js";
import { isChild } from "./decision.js";
import { HELD_LIMIT_MS } from "./limits.js";

/**
 * The next work, or null when there is none at `now`:
 *
 * 1. the arrival under way, unless its retry is still to come (S-21, S-89);
 * 2. else the applicable inbox arrival with the lowest number (S-16);
 * 3. else the wake-up of an input park whose time has passed, unless its retry is still to come (S-59, S-62, S-63).
 *
 * @param inbox - the session's inbox in order; the arrival under way is among it until it has settled
 */
export function nextWork(record: SessionRecord, inbox: readonly Arrival[], now: number): Work | null {
  const { active, retryAt, wakeRetryAt } = record;
  if (active !== null) {
    return isPast(retryAt, now) ? { arrival: whole(active.arrival, inbox), attempt: active.attempts + 1 } : null;
  }
  const arrival = inbox.find((candidate) => isApplicable(record, candidate, now));
  if (arrival) return { arrival, attempt: 1 };
  const wake = dueWake(record, now);
  return wake && isPast(wakeRetryAt, now) ? { arrival: wake, attempt: record.wakeFailures + 1 } : null;
}

/**
 * When the session is due: the lease's expiry while there is a lease, else the earliest of waiting work, a retry, the
 * park's `resumeAt`, a held arrival's end and unpublished events; where there is none of these, the session's expiry. What
 * is due at once carries the time of the write that made it so. Null when nothing is, and for a child, which is run by its
 * root's owner alone (S-28, S-66).
 */
export function dueMark(record: SessionRecord, inbox: readonly Arrival[]): number | null {
  if (record.deleting) return record.dueAt;
  if (isChild(record.sessionId)) return null;
  if (record.lease !== null) return record.lease.expiresAt;
  const marks: number[] = [];
  if (record.unpublished > 0) marks.push(record.updatedAt);
  if (record.active !== null) {
    marks.push(record.retryAt ?? record.updatedAt);
    return Math.min(...marks);
  }
  for (const arrival of inbox) {
    marks.push(isHeld(record, arrival) ? arrival.acceptedAt + HELD_LIMIT_MS : record.updatedAt);
  }
  if (record.park?.channel === "input" && record.park.resumeAt !== undefined) {
    marks.push(Math.max(record.park.resumeAt, record.wakeRetryAt ?? 0));
  }
  return marks.length > 0 ? Math.min(...marks) : (record.expiresAt ?? null);
}

/** S-19: held for longer than it may be; the owner gives such an arrival up as a dead letter. */
export function isHeldTooLong(arrival: Arrival, now: number): boolean {
  return arrival.heldBy !== undefined && now >= arrival.acceptedAt + HELD_LIMIT_MS;
}

/**
 * F-27: whether this is a wake-up whose delivery has not committed: the park it wakes is still there. It fails without
 * ever becoming a dead letter, and gives way to any other arrival (S-62).
 */
export function isUndeliveredWake(record: Pick<SessionRecord, "park">, arrival: ActiveArrival): boolean {
  return arrival.wakes !== undefined && record.park?.parkId === arrival.wakes;
}

/** The arrival under way with its input, from the inbox; a wake-up has its own. */
export function whole(active: ActiveArrival, inbox: readonly Arrival[]): Arrival {
  const found = active.seq === 0 ? active : inbox.find((arrival) => arrival.seq === active.seq);
  if (found?.input === undefined) {
    throw new CheckpointCorruptError(active.sessionId, `inbox/${active.seq}`, "the arrival under way is missing");
  }
  return { ...found, input: found.input };
}

/** Held arrivals are passed while the park that holds them lasts, until they have been held for too long. */
function isApplicable(record: SessionRecord, arrival: Arrival, now: number): boolean {
  return !isHeld(record, arrival) || isHeldTooLong(arrival, now);
}

function isHeld(record: SessionRecord, arrival: Arrival): boolean {
  return arrival.heldBy !== undefined && arrival.heldBy === record.park?.parkId;
}

function dueWake(record: SessionRecord, now: number): Arrival | null {
  const { park } = record;
  if (park?.channel !== "input" || park.resumeAt === undefined || park.resumeAt > now) return null;
  return {
    id: wakeArrivalId(record.sessionId, park.parkId),
    sessionId: record.sessionId,
    seq: 0,
    source: "wake",
    workflow: record.workflow,
    input: { kind: "delivery", trigger: "timer", variables: { now: new Date(now).toISOString() } },
    acceptedAt: now,
    wakes: park.parkId,
    ...(record.hops ? { hops: record.hops } : {}),
  };
}

function isPast(at: number | null, now: number): boolean {
  return at === null || at <= now;
}
