/** The selections and orders of the session store port, for adapters that have no query language of their own. */
import type { DueEntry, SessionFilter } from "../session/ports.js";
import { isExpired } from "../session/protocol/index.js";
import type { SessionRecord } from "../session/record.js";

/** S-14: a session that has not run is in no list; neither is one that is being deleted. */
export function matchesFilter(record: SessionRecord, filter: SessionFilter): boolean {
  if (record.status === null || record.deleting) return false;
  if (filter.now !== undefined && isExpired(record, filter.now)) return false;
  if (filter.status !== undefined && record.status !== filter.status) return false;
  if (filter.workflow !== undefined && record.workflow !== filter.workflow) return false;
  if (filter.dueBefore === undefined) return true;
  const { park } = record;
  return park?.channel === "input" && park.resumeAt !== undefined && park.resumeAt <= filter.dueBefore;
}

export function latestFirst(a: SessionRecord, b: SessionRecord): number {
  return b.updatedAt - a.updatedAt || compareText(a.sessionId, b.sessionId);
}

export function compareDue(a: DueEntry, b: DueEntry): number {
  return a.dueAt - b.dueAt || compareText(a.sessionId, b.sessionId);
}

export function isAfterDue(entry: DueEntry, after: DueEntry | undefined): boolean {
  return after === undefined || compareDue(entry, after) > 0;
}

/** By code unit, as keys of thread items sort. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
