/**
 * A checkpoint's stored form: what LangGraph keeps, in about half the characters. Every step stores one, and most of it is
 * the same long names again.
 *
 *     i  id          t  time, epoch milliseconds     p  counter of the parent
 *     c  channel values; a task that was sent is `[node, args]`
 *     v  channel versions        s  versions seen; a number stands for the node's own trigger channel
 *     m  metadata, less what it nearly always holds  k  updates since the last snapshot (`counters_since_delta_snapshot`)
 *     x  further fields of the checkpoint            o  further: 1 when `parents` is absent, 2 when `delta_writes_versioned` is, 3 both
 */
import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";

type Versions = Checkpoint["channel_versions"];
type Seen = Record<string, Versions>;

export interface PackedCheckpoint {
  i: string;
  t: number | string;
  p: number | null;
  c?: Record<string, unknown>;
  v?: Versions;
  s?: Record<string, Versions | number>;
  m: Record<string, unknown>;
  k?: unknown;
  x?: Record<string, unknown>;
  o?: number;
}

export interface UnpackedCheckpoint {
  checkpoint: Checkpoint;
  metadata: CheckpointMetadata;
  parent: number | null;
}

/** The checkpoint version in use when no other is stored. */
const VERSION = 4;

export function packCheckpoint({ checkpoint, metadata, parent }: UnpackedCheckpoint): PackedCheckpoint {
  const { v, id, ts, channel_values, channel_versions, versions_seen, ...others } = checkpoint;
  const {
    parents,
    delta_writes_versioned: versioned,
    counters_since_delta_snapshot: counters,
    ...rest
  } = metadata as Record<string, unknown>;
  const usualParents = isEmpty(parents);
  const m = {
    ...rest,
    ...(usualParents || parents === undefined ? {} : { parents }),
    ...(versioned === true || versioned === undefined ? {} : { delta_writes_versioned: versioned }),
  };
  const o = (parents === undefined ? 1 : 0) + (versioned === undefined ? 2 : 0);
  const x = { ...others, ...(v === VERSION ? {} : { v }) };
  return {
    i: id,
    t: packTime(ts),
    p: parent,
    ...(isEmpty(channel_values) ? {} : { c: packValues(channel_values) }),
    ...(isEmpty(channel_versions) ? {} : { v: renamed(channel_versions, shortName) }),
    ...(isEmpty(versions_seen) ? {} : { s: packSeen(versions_seen) }),
    m,
    ...(counters === undefined ? {} : { k: counters }),
    ...(isEmpty(x) ? {} : { x }),
    ...(o === 0 ? {} : { o }),
  };
}

export function unpackCheckpoint(packed: PackedCheckpoint): UnpackedCheckpoint {
  const { i, t, p, c = {}, v = {}, s = {}, m, k, x, o = 0 } = packed;
  const metadata = {
    ...(o & 1 ? {} : { parents: {} }),
    ...(o & 2 ? {} : { delta_writes_versioned: true }),
    ...m,
    ...(k === undefined ? {} : { counters_since_delta_snapshot: k }),
  };
  const checkpoint = {
    v: VERSION,
    id: i,
    ts: typeof t === "number" ? new Date(t).toISOString() : t,
    channel_values: unpackValues(c),
    channel_versions: renamed(v, longName),
    versions_seen: unpackSeen(s),
    ...x,
  };
  return { checkpoint: checkpoint as Checkpoint, metadata: metadata as unknown as CheckpointMetadata, parent: p };
}

const BRANCH = "branch:to:";
const SHORT: Record<string, string | undefined> = { __start__: "<", __pregel_tasks: "*", __input__: "^" };
const LONG = Object.fromEntries(Object.entries(SHORT).map(([long, short]) => [short, long]));

/** A name that looks like a short one is escaped with `=`. */
function shortName(name: string): string {
  if (name.startsWith(BRANCH)) return `>${name.slice(BRANCH.length)}`;
  const known = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
  return known ?? (/^[<>*^=]/.test(name) ? `=${name}` : name);
}

function longName(short: string): string {
  if (short.startsWith(">")) return `${BRANCH}${short.slice(1)}`;
  if (short.startsWith("=")) return short.slice(1);
  return Object.hasOwn(LONG, short) ? (LONG[short] ?? short) : short;
}

const TASKS = "__pregel_tasks";

function packValues(values: Record<string, unknown>): Record<string, unknown> {
  return renamed(
    mapped(values, (name, value) => (name === TASKS && Array.isArray(value) ? value.map(packTask) : value)),
    shortName,
  );
}

function unpackValues(packed: Record<string, unknown>): Record<string, unknown> {
  return mapped(renamed(packed, longName), (name, value) =>
    name === TASKS && Array.isArray(value) ? value.map(unpackTask) : value,
  );
}

const SEND = "Send";

/** A list is never a task as LangGraph keeps it, so the two forms cannot be mistaken for each other. */
function packTask(task: unknown): unknown {
  const { lg_name, node, args, ...rest } = task as Record<string, unknown>;
  const plain = lg_name === SEND && Object.values(rest).every((value) => value === undefined);
  return plain ? [node, args] : task;
}

function unpackTask(packed: unknown): unknown {
  return Array.isArray(packed) ? { lg_name: SEND, node: packed[0], args: packed[1] } : packed;
}

function mapped(
  record: Record<string, unknown>,
  map: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));
}

/** The channel whose change makes a node run. */
function triggerOf(node: string): string {
  return node === "__start__" ? node : `${BRANCH}${node}`;
}

function packSeen(seen: Seen): Record<string, Versions | number> {
  return Object.fromEntries(
    Object.entries(seen).map(([node, versions]) => {
      const own = versions[triggerOf(node)];
      const single = typeof own === "number" && Object.keys(versions).length === 1;
      return [shortName(node), single ? own : renamed(versions, shortName)];
    }),
  );
}

function unpackSeen(packed: Record<string, Versions | number>): Seen {
  return Object.fromEntries(
    Object.entries(packed).map(([short, versions]) => {
      const node = longName(short);
      return [node, typeof versions === "number" ? { [triggerOf(node)]: versions } : renamed(versions, longName)];
    }),
  );
}

function renamed<V>(record: Record<string, V>, name: (key: string) => string): Record<string, V> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [name(key), value]));
}

function packTime(ts: string): number | string {
  const at = Date.parse(ts);
  return !Number.isNaN(at) && new Date(at).toISOString() === ts ? at : ts;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
