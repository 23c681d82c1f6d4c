/**
 * When sessions expire (S-81, S-82). A record carries `expiresAt` only while nothing is left to do in its session: no
 * owner, nothing under way, nothing waiting, no time to wake at. So whatever is accepted takes the mark off, and
 * whoever ends the last of it sets it anew.
 */
import type { Arrival } from "../arrival.js";
import { isFinished } from "../outcome.js";
import type { SessionRecord } from "../record.js";
import type { Decision } from "./decision.js";
import { deletionMark } from "./delete.js";
import type { Retention } from "./limits.js";
import { DELETION_RETRY_MS } from "./limits.js";

/** How long a session of this status is kept at rest; null for ever. One that has not run is not open (S-14). */
export function keepMsFor(status: SessionRecord["status"], retention: Retention = {}): number | null {
  const isOpen = status !== null && !isFinished(status);
  return (isOpen ? retention.openMs : retention.finishedMs) ?? null;
}

/** The `expiresAt` of a session that comes to rest at `now`. */
export function expiryAtRest(record: SessionRecord, inbox: readonly Arrival[], now: number): number | null {
  const { keepMs, lease, active, park } = record;
  const isAtRest = lease === null && active === null && inbox.length === 0;
  const isWoken = park?.channel === "input" && park.resumeAt !== undefined;
  return isAtRest && !isWoken && typeof keepMs === "number" ? now + keepMs : null;
}

/** S-82: past its time a session counts as absent, though its deletion is still to come. */
export function isExpired(record: Pick<SessionRecord, "expiresAt">, now: number): boolean {
  return typeof record.expiresAt === "number" && record.expiresAt <= now;
}

/**
 * S-83: marks an expired session as being deleted, its children with it, once its events are out; and takes over a deletion that was not
 * carried through. True for one caller at a time, who is to carry it through.
 */
export function decideExpire(record: SessionRecord | null, now: number): Decision<boolean> {
  if (record?.deleting && record.dueAt !== null && record.dueAt <= now) {
    return { result: true, writes: { record: { dueAt: now + DELETION_RETRY_MS } } };
  }
  if (record === null || record.deleting || !isExpired(record, now) || record.unpublished > 0) {
    return { result: false, writes: {} };
  }
  // No due mark would ever find the children again.
  return { result: true, writes: { record: { ...deletionMark(record, now), takesChildren: true } } };
}
