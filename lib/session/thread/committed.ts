/** The committed history of a session's thread, read without the graph that wrote it. */
import { applyPatches, emptyState } from "../fold.js";
import type { ThreadItem } from "../ports.js";
import type { SessionPatch, SessionState } from "../state.js";
import { inStepOrder, parseItem, placeOf, SESSION_CHANNEL, type StoredWrites, writesOf } from "./layout.js";

/** The state that the thread's commits make: the fold of every patch below its newest checkpoint. @throws {CheckpointCorruptError} */
export function committedState(sessionId: string, thread: readonly ThreadItem[]): SessionState {
  return applyPatches(emptyState(), committedPatches(sessionId, thread));
}

/** Those patches, in the order in which they were committed: the session's journal. @throws {CheckpointCorruptError} */
export function committedPatches(sessionId: string, thread: readonly ThreadItem[]): SessionPatch[] {
  const steps = new Map<number, StoredWrites[]>();
  let head = 0;
  for (const item of thread) {
    const place = placeOf(item.key);
    if (place === null || place.ns !== "") continue;
    const value = parseItem(sessionId, item);
    if (place.kind === "checkpoint") head = Math.max(head, place.counter);
    else steps.set(place.counter, [...(steps.get(place.counter) ?? []), writesOf(place, value)]);
  }
  const committed = [...steps].filter(([counter]) => counter < head).sort(([a], [b]) => a - b);
  return committed
    .flatMap(([, stored]) => inStepOrder(stored))
    .filter((write) => write[1] === SESSION_CHANNEL)
    .flatMap((write) => write[2] as SessionPatch[]);
}
