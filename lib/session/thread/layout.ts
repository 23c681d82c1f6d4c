/**
 * The stored items of a session's thread: their keys, their format, and the order of their writes. All that reads or
 * writes a thread stands on this.
 *
 *     C<ns>/<counter>            a checkpoint; only the newest is kept while a session runs
 *     W<ns>/<counter>/<task>     one task's writes on top of checkpoint <counter>; `-` for a step's only task in the history
 *     J…                         entries of the journal
 *
 * Order is a counter we give, never an id or a clock: two processes whose clocks disagree still agree on what is newest.
 * Writes on the newest checkpoint are pending; all earlier ones, in order, are the history that the state is made of.
 */
import { CheckpointCorruptError } from "../errors.js";
import type { ThreadItem } from "../ports.js";

/** The layout of stored items; a newer one is refused by name (S-80). */
export const FORMAT = 1;

/** The graph's one channel: the session's patches. */
export const SESSION_CHANNEL = "session";

/** Index, channel, value. */
export type IndexedWrite = [index: number, channel: string, value: unknown];

export interface StoredWrites {
  counter: number;
  taskId: string;
  taskPath: string;
  writes: IndexedWrite[];
}

export type TaskWrite = [taskId: string, channel: string, value: unknown];

/** Where an item stands, by its key; null for what is neither a checkpoint nor writes. */
export function placeOf(
  key: string,
): { kind: "checkpoint" | "writes"; ns: string; counter: number; taskId: string } | null {
  const kind = key[0];
  if (kind !== "C" && kind !== "W") return null;
  const [ns = "", counter = "", taskId = ""] = key.slice(1).split("/");
  return {
    kind: kind === "C" ? "checkpoint" : "writes",
    ns: decodeURIComponent(ns),
    counter: Number.parseInt(counter, 36),
    taskId,
  };
}

export function checkpointKey(ns: string, counter: number): string {
  return `C${encodeURIComponent(ns)}/${counterText(counter)}`;
}

export function writesKey(ns: string, counter: number, taskId: string): string {
  return `${writesPrefix(ns, counter)}${taskId}`;
}

/** Keys of writes on an earlier checkpoint of the namespace sort before it. */
export function writesPrefix(ns: string, counter: number): string {
  return `W${encodeURIComponent(ns)}/${counterText(counter)}/`;
}

/** @throws {CheckpointCorruptError} where it is no JSON of a format that is known */
export function parseItem(sessionId: string, item: ThreadItem): object {
  let value: unknown;
  try {
    value = JSON.parse(item.value);
  } catch {
    throw new CheckpointCorruptError(sessionId, item.key, "it is no JSON");
  }
  const format = (value as { f?: unknown } | null)?.f;
  if (typeof value !== "object" || value === null || typeof format !== "number") {
    throw new CheckpointCorruptError(sessionId, item.key, "it has no format version");
  }
  if (format > FORMAT) {
    throw new CheckpointCorruptError(sessionId, item.key, `its format ${format} is newer than ${FORMAT}`, {
      newerFormat: format,
    });
  }
  return value;
}

/** The writes of one task, as an item of `placeOf(key).kind === "writes"` holds them. */
export function writesOf(place: { counter: number; taskId: string }, value: object): StoredWrites {
  const { p = "", w } = value as { p?: string; w: IndexedWrite[] };
  return { counter: place.counter, taskId: place.taskId, taskPath: p, writes: w };
}

/** The writes of one step in the order in which LangGraph applies them: by task path, task id and index. */
export function inStepOrder(stored: readonly StoredWrites[]): TaskWrite[] {
  return stored
    .flatMap(({ taskId, taskPath, writes }) =>
      writes.map(([index, channel, value]) => ({ key: [taskPath, taskId, index] as const, channel, value })),
    )
    .sort((a, b) => byCodePoint(a.key[0], b.key[0]) || byCodePoint(a.key[1], b.key[1]) || a.key[2] - b.key[2])
    .map(({ key, channel, value }) => [key[1], channel, value]);
}

/** Counters are padded base 36, so that keys sort in their order. */
function counterText(counter: number): string {
  return counter.toString(36).padStart(6, "0");
}

/** Text by code point, in which a surrogate pair comes after everything below it; `<` goes by code unit. */
function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  for (let at = 0; at < a.length && at < b.length; ) {
    const [left, right] = [a.codePointAt(at)!, b.codePointAt(at)!];
    if (left !== right) return left - right;
    at += left > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}
