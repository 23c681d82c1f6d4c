/**
 * The LangGraph saver of every store: a thread image in memory, and one writer that says when its changes are committed.
 *
 * A session's own writer keeps a step's writes until the step's checkpoint and sends both in one commit under the lease.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  isDeltaSnapshot,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import type { ItemChange, StoredCheckpoint, ThreadImage } from "./image.js";

/** Where a saver's changes go. */
export interface ThreadWriter {
  /** The thread's image, loaded once. */
  image(threadId: string): Promise<ThreadImage>;
  threads(): string[];
  checkpointPut(threadId: string, change: ItemChange, stored: StoredCheckpoint): Promise<void>;
  writesPut(threadId: string, change: ItemChange, taskPath: string): Promise<void>;
  removeThread(threadId: string): Promise<void>;
  /** Only the newest checkpoint is kept. */
  keepsLatestOnly: boolean;
}

export class ThreadSaver extends BaseCheckpointSaver {
  private readonly writer: ThreadWriter;

  constructor(writer: ThreadWriter) {
    super();
    this.writer = writer;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.thread_id === undefined) return undefined;
    const { threadId, ns, id } = keysOf(config);
    const image = await this.writer.image(threadId);
    const stored = id === undefined ? image.head(ns) : image.find(ns, id);
    return stored ? tupleOf(image, threadId, ns, stored) : undefined;
  }

  async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    const wanted = config.configurable ?? {};
    let left = options?.limit ?? Number.POSITIVE_INFINITY;
    const threads = wanted.thread_id === undefined ? this.writer.threads() : [String(wanted.thread_id)];
    for (const threadId of threads) {
      const image = await this.writer.image(threadId);
      const namespaces = wanted.checkpoint_ns === undefined ? image.namespaces() : [String(wanted.checkpoint_ns)];
      for (const ns of namespaces) {
        const isBefore = beforeFilter(image, ns, options?.before?.configurable?.checkpoint_id);
        for (const stored of image.list(ns)) {
          if (!isBefore(stored)) continue;
          if (wanted.checkpoint_id !== undefined && stored.checkpoint.id !== wanted.checkpoint_id) continue;
          if (!matches(stored.metadata, options?.filter)) continue;
          if (left <= 0) return;
          left -= 1;
          yield tupleOf(image, threadId, ns, stored);
        }
      }
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns, id } = keysOf(config);
    const image = await this.writer.image(threadId);
    const superseded = this.writer.keepsLatestOnly ? image.list(ns) : [];
    const kept = this.writer.keepsLatestOnly ? withoutSnapshots(checkpoint) : checkpoint;
    const { stored, item } = image.putCheckpoint(ns, id, { checkpoint: copyCheckpoint(kept), metadata, newVersions });
    const removes = superseded
      .filter((older) => older.counter !== stored.counter)
      .map((older) => image.removeCheckpoint(ns, older.counter));
    await this.writer.checkpointPut(threadId, { puts: [item], removes }, stored);
    return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const { threadId, ns, id } = keysOf(config);
    if (id === undefined) throw new Error("Writes need `configurable.checkpoint_id`: the checkpoint they are made on.");
    const image = await this.writer.image(threadId);
    const item = image.putWrites(ns, image.find(ns, id)?.counter ?? 0, taskId, taskPath, writes);
    await this.writer.writesPut(threadId, { puts: [item], removes: [] }, taskPath);
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.writer.removeThread(threadId);
  }

  /** All earlier writes of the thread: nothing but the newest checkpoint is needed to rebuild a channel. */
  override async getDeltaChannelHistory(
    options: Parameters<BaseCheckpointSaver["getDeltaChannelHistory"]>[0],
  ): ReturnType<BaseCheckpointSaver["getDeltaChannelHistory"]> {
    if (!this.writer.keepsLatestOnly) return super.getDeltaChannelHistory(options);
    const { threadId, ns } = keysOf(options.config);
    const image = await this.writer.image(threadId);
    return Object.fromEntries(options.channels.map((channel) => [channel, { writes: image.history(ns, channel) }]));
  }
}

/** A channel that is rebuilt from its history needs no copy of its value beside it. */
function withoutSnapshots(checkpoint: Checkpoint): Checkpoint {
  const values = Object.entries(checkpoint.channel_values).filter(([, value]) => !isDeltaSnapshot(value));
  return { ...checkpoint, channel_values: Object.fromEntries(values) };
}

function keysOf(config: RunnableConfig): { threadId: string; ns: string; id?: string } {
  const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
  if (thread_id === undefined)
    throw new Error("A checkpoint needs `configurable.thread_id`: the session it belongs to.");
  return {
    threadId: String(thread_id),
    ns: checkpoint_ns === undefined ? "" : String(checkpoint_ns),
    ...(checkpoint_id ? { id: String(checkpoint_id) } : {}),
  };
}

/** By our own order within a thread; an id of another thread can only be compared as text. */
function beforeFilter(image: ThreadImage, ns: string, id: string | undefined): (stored: StoredCheckpoint) => boolean {
  if (id === undefined) return () => true;
  const bound = image.find(ns, id);
  return bound ? (stored) => stored.counter < bound.counter : (stored) => stored.checkpoint.id < id;
}

/** Checkpoints of a format before 4 kept the packets to send with their parent's writes. */
function withPendingSends(image: ThreadImage, ns: string, stored: StoredCheckpoint): Checkpoint {
  const checkpoint = copyCheckpoint(stored.checkpoint);
  if (checkpoint.v >= 4 || stored.parent === null) return checkpoint;
  const sends = image.writesOn(ns, stored.parent).filter((write) => write[1] === TASKS);
  const versions = Object.values(checkpoint.channel_versions);
  checkpoint.channel_values[TASKS] = sends.map((write) => write[2]);
  checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : 1;
  return checkpoint;
}

function tupleOf(image: ThreadImage, threadId: string, ns: string, stored: StoredCheckpoint): CheckpointTuple {
  const parent = stored.parent === null ? undefined : image.at(ns, stored.parent);
  const configOf = (id: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } });
  return {
    config: configOf(stored.checkpoint.id),
    checkpoint: withPendingSends(image, ns, stored),
    metadata: stored.metadata,
    pendingWrites: image.writesOn(ns, stored.counter),
    ...(parent ? { parentConfig: configOf(parent.checkpoint.id) } : {}),
  };
}

function matches(metadata: CheckpointMetadata, filter: Record<string, unknown> | undefined): boolean {
  return Object.entries(filter ?? {}).every(([key, value]) => (metadata as Record<string, unknown>)[key] === value);
}
