/**
 * A session's LangGraph thread in memory: its checkpoints and the writes made on top of each, over the stored items
 * (`session/thread/layout.ts`).
 */
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type PendingWrite,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import type { ThreadItem } from "../../session/ports.js";
import {
  checkpointKey,
  FORMAT,
  inStepOrder,
  parseItem,
  placeOf,
  type StoredWrites,
  type TaskWrite,
  writesKey,
  writesOf,
} from "../../session/thread/layout.js";
import { type PackedCheckpoint, packCheckpoint, unpackCheckpoint } from "./checkpoint-text.js";
import { storableJson } from "./storable-json.js";

export interface StoredCheckpoint {
  counter: number;
  checkpoint: Checkpoint;
  metadata: CheckpointMetadata;
  parent: number | null;
}

export interface ItemChange {
  puts: ThreadItem[];
  removes: string[];
}

export class ThreadImage {
  private readonly checkpoints = new Map<string, Map<number, StoredCheckpoint>>();
  private readonly writes = new Map<string, Map<number, StoredWrites[]>>();
  private readonly sessionId: string;

  constructor(sessionId: string, items: readonly ThreadItem[]) {
    this.sessionId = sessionId;
    for (const item of items) this.readItem(item);
  }

  namespaces(): string[] {
    return [...this.checkpoints.keys()];
  }

  /** Newest first. */
  list(ns: string): StoredCheckpoint[] {
    return [...(this.checkpoints.get(ns)?.values() ?? [])].sort((a, b) => b.counter - a.counter);
  }

  head(ns: string): StoredCheckpoint | undefined {
    return this.list(ns)[0];
  }

  find(ns: string, id: string): StoredCheckpoint | undefined {
    return this.list(ns).find((stored) => stored.checkpoint.id === id);
  }

  at(ns: string, counter: number): StoredCheckpoint | undefined {
    return this.checkpoints.get(ns)?.get(counter);
  }

  /** Writes on top of a checkpoint, in the order a live run applies them. */
  writesOn(ns: string, counter: number): TaskWrite[] {
    return inStepOrder(this.writes.get(ns)?.get(counter) ?? []);
  }

  /** Every write to a channel below the head, oldest first. */
  history(ns: string, channel: string): TaskWrite[] {
    const head = this.head(ns)?.counter ?? 0;
    const counters = [...(this.writes.get(ns)?.keys() ?? [])].filter((counter) => counter < head).sort((a, b) => a - b);
    return counters.flatMap((counter) => this.writesOn(ns, counter)).filter((write) => write[1] === channel);
  }

  /** A channel's value is stored where its version is new; an unchanged one is the parent's. */
  putCheckpoint(
    ns: string,
    parentId: string | undefined,
    given: { checkpoint: Checkpoint; metadata: CheckpointMetadata; newVersions: ChannelVersions },
  ): { stored: StoredCheckpoint; item: ThreadItem } {
    const { metadata, newVersions } = given;
    const parent = parentId === undefined ? undefined : this.find(ns, parentId);
    const held = parent?.checkpoint.channel_values ?? {};
    const values = Object.entries(given.checkpoint.channel_values).filter(
      ([channel]) => Object.hasOwn(newVersions, channel) || Object.hasOwn(held, channel),
    );
    const checkpoint = { ...given.checkpoint, channel_values: Object.fromEntries(values) };
    const counter = this.find(ns, checkpoint.id)?.counter ?? (this.head(ns)?.counter ?? 0) + 1;
    const stored: StoredCheckpoint = { counter, checkpoint, metadata, parent: parent?.counter ?? null };
    ensure(this.checkpoints, ns).set(counter, stored);
    const value = storableJson({ f: FORMAT, ...packCheckpoint(stored) });
    return { stored, item: { key: checkpointKey(ns, counter), value } };
  }

  removeCheckpoint(ns: string, counter: number): string {
    this.checkpoints.get(ns)?.delete(counter);
    return checkpointKey(ns, counter);
  }

  /** A repeated write of the same task and index is kept as it was first, but for LangGraph's special indices. */
  putWrites(
    ns: string,
    counter: number,
    taskId: string,
    taskPath: string,
    writes: readonly PendingWrite[],
  ): ThreadItem {
    const onto = ensureList(ensure(this.writes, ns), counter);
    let entry = onto.find((candidate) => candidate.taskId === taskId);
    if (!entry) {
      entry = { counter, taskId, taskPath, writes: [] };
      onto.push(entry);
    }
    for (const [position, [channel, value]] of writes.entries()) {
      const index = WRITES_IDX_MAP[channel] ?? position;
      const at = entry.writes.findIndex((write) => write[0] === index);
      if (at < 0) entry.writes.push([index, channel, value]);
      else if (index < 0) entry.writes[at] = [index, channel, value];
    }
    return { key: writesKey(ns, counter, taskId), value: storableJson({ f: FORMAT, p: taskPath, w: entry.writes }) };
  }

  /**
   * A task's item as it is needed once a newer checkpoint is there: the writes that the channel's history is made of. Null
   * where none is left. Who wrote them matters only where several tasks did, for their order. They were looked through when
   * they were put, or read from the store.
   */
  historyItem(key: string, channel: string): ThreadItem | null {
    const { ns, counter, taskId } = placeOf(key)!;
    const stored = this.writes.get(ns)?.get(counter) ?? [];
    const entry = stored.find((candidate) => candidate.taskId === taskId);
    const w = (entry?.writes ?? []).filter((write) => write[1] === channel && !isEmptyList(write[2]));
    if (w.length === 0) return null;
    if (stored.length === 1) return { key: writesKey(ns, counter, "-"), value: JSON.stringify({ f: FORMAT, w }) };
    return { key, value: JSON.stringify({ f: FORMAT, p: entry?.taskPath, w }) };
  }

  private readItem(item: ThreadItem): void {
    const place = placeOf(item.key);
    if (place === null) return;
    const { ns, counter } = place;
    const value = parseItem(this.sessionId, item);
    if (place.kind === "checkpoint") {
      ensure(this.checkpoints, ns).set(counter, { counter, ...unpackCheckpoint(value as PackedCheckpoint) });
    } else {
      ensureList(ensure(this.writes, ns), counter).push(writesOf(place, value));
    }
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function ensure<V>(map: Map<string, Map<number, V>>, ns: string): Map<number, V> {
  let inner = map.get(ns);
  if (!inner) {
    inner = new Map();
    map.set(ns, inner);
  }
  return inner;
}

function ensureList<V>(map: Map<number, V[]>, counter: number): V[] {
  let list = map.get(counter);
  if (!list) {
    list = [];
    map.set(counter, list);
  }
  return list;
}
