/** Lifecycle events that are out (S-97…S-99). */
import type { Arrival } from "../arrival.js";
import type { SessionRecord } from "../record.js";
import type { Decision } from "./decision.js";
import { dueMark } from "./work.js";

/**
 * Takes published events off the record's count; the due mark follows.
 *
 * @param removed - how many of the session's unpublished events the adapter removes in the same section
 */
export function decidePublished(
  record: SessionRecord | null,
  inbox: readonly Arrival[],
  removed: number,
): Decision<void> {
  if (record === null || removed === 0) return { result: undefined, writes: {} };
  const changed = { unpublished: Math.max(0, record.unpublished - removed) };
  return {
    result: undefined,
    writes: { record: { ...changed, dueAt: dueMark({ ...record, ...changed }, inbox) } },
  };
}
