/** Lifecycle events as entries of a bus, and the calls that they are sent in (N-47, F-73). Pure. */
import type { LifecycleEvent } from "../../session/lifecycle.js";

/** EventBridge user guide, "Quotas": entries a call, and the bytes of a call, which must stay under this. */
const ENTRIES_PER_CALL = 10;
const BYTES_PER_CALL = 262_144;

/** F-74: above this nothing travels inline. */
const BYTES_PER_ENTRY = 200 * 1_024;

/** Of an entry above it, fields longer than this stay behind; ids, states and kinds are all shorter. */
const BYTES_PER_FIELD = 4 * 1_024;

/** "Calculating event entry size": what a time counts. */
const TIME_BYTES = 14;

const SOURCE = "parkway";

export interface BusEntry {
  eventId: string;
  entry: { EventBusName: string; Source: string; DetailType: string; Detail: string; Time: Date };
  sizeBytes: number;
}

/**
 * N-47: `source`, `detail-type` and a `detail` with the event's id, by which a consumer drops repetitions. Nothing in the
 * event's own detail can take the place of what names it. Where it is too large for the bus, its long texts are left out:
 * session and turn, which it names, have them (F-74).
 */
export function busEntry(event: LifecycleEvent, busName: string): BusEntry {
  const { id, type, sessionId, workflow, at, detail } = event;
  const named = { id, workflow, sessionId };
  const whole = entryOf({ ...named, ...detail, ...named });
  if (whole.sizeBytes <= BYTES_PER_ENTRY) return whole;
  const short = Object.entries(detail).filter(([, value]) => bytesOf(JSON.stringify(value) ?? "") <= BYTES_PER_FIELD);
  return entryOf({ ...named, ...Object.fromEntries(short), ...named });

  function entryOf(value: Record<string, unknown>): BusEntry {
    const Detail = JSON.stringify(value);
    const sizeBytes = TIME_BYTES + bytesOf(SOURCE + type + Detail);
    const entry = { EventBusName: busName, Source: SOURCE, DetailType: type, Detail, Time: new Date(at) };
    return { eventId: id, entry, sizeBytes };
  }
}

/** In order, as few calls as count and bytes allow. */
export function callsOf(entries: readonly BusEntry[]): BusEntry[][] {
  const calls: BusEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const call = calls.at(-1);
    const fits = call && call.length < ENTRIES_PER_CALL && bytes + entry.sizeBytes < BYTES_PER_CALL;
    if (fits) call.push(entry);
    else calls.push([entry]);
    bytes = fits ? bytes + entry.sizeBytes : entry.sizeBytes;
  }
  return calls;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
