/**
 * The writes of a session's owner: a step's patches wait here for the step's checkpoint, then go out in one commit under
 * the lease. What is committed is the only truth; `state` is its fold.
 */

import { applyPatches, emptyState } from "../session/fold.js";
import { recordPatchOf } from "../session/outcome.js";
import type { Clock, Commit, Lease, SessionStore, ThreadItem } from "../session/ports.js";
import type { RecordPatch, SessionRecord } from "../session/record.js";
import type { SessionPatch, SessionState } from "../session/state.js";
import { SESSION_CHANNEL, writesPrefix } from "../session/thread/layout.js";
import type { ItemChange, StoredCheckpoint } from "./thread/image.js";
import { ThreadImage } from "./thread/image.js";
import type { ThreadWriter } from "./thread/saver.js";

/**
 * When a step's writes go out: `commit` with its checkpoint; `later` with the next step's, where losing them loses
 * nothing (they are durable by themselves, or would be made again); `settle` with the arrival's settlement.
 */
export type StepEnd = "commit" | "later" | "settle";

export interface WriterOptions {
  store: SessionStore;
  clock: Clock;
  lease: Lease;
  leaseMs: number;
  record: SessionRecord;
  thread: readonly ThreadItem[];
  /** Of a child: called with each commit that is progress, for the root's attempts count by it (S-56, S-89). */
  onProgress?(): Promise<void>;
}

export class SessionWriter implements ThreadWriter {
  readonly keepsLatestOnly = true;
  /** Set by the node that ends a step; back to `later` after its checkpoint. */
  stepEnd: StepEnd = "later";
  state: SessionState;
  /** Something of this invocation is in the store: it may end at a step boundary (S-56). */
  hasCommitted = false;
  /** Called after a step's checkpoint, unless the step waits for the settlement. */
  onStep: () => void = () => {};
  /** Called when a commit finds that somebody asked the turn to stop (S-20). */
  onCancelled: () => void = () => {};
  /** Journal entries of the turn, by key. */
  readonly journal = new Map<string, string>();
  /** Keys of entries that go out, or went out, with the message that asked for their calls, which have not started yet. */
  readonly begun = new Set<string>();

  private readonly options: WriterOptions;
  private readonly thread: ThreadImage;
  private readonly puts = new Map<string, string>();
  private readonly removes = new Set<string>();
  private readonly stored = new Set<string>();
  private recorded: RecordPatch;
  private folded: number;
  private failure: unknown;

  constructor(options: WriterOptions) {
    this.options = options;
    this.thread = new ThreadImage(options.lease.sessionId, options.thread);
    for (const item of options.thread) {
      this.stored.add(item.key);
      if (item.key.startsWith("J")) this.journal.set(item.key, item.value);
    }
    this.folded = this.thread.head("")?.counter ?? 0;
    const history = this.thread.history("", SESSION_CHANNEL).map((write) => write[2] as SessionPatch[]);
    this.state = applyPatches(emptyState(), history.flat());
    this.recorded = { ...options.record };
  }

  /** The workflow that opened the session. */
  get workflow(): string {
    return this.options.record.workflow;
  }

  async image(): Promise<ThreadImage> {
    return this.thread;
  }

  threads(): string[] {
    return [this.options.lease.sessionId];
  }

  async removeThread(): Promise<void> {
    throw new Error("A running session's thread cannot be removed.");
  }

  /** Patches that finished tasks wrote on top of the newest checkpoint, in order. */
  pendingPatches(): SessionPatch[] {
    const head = this.thread.head("")?.counter ?? 0;
    return this.thread
      .writesOn("", head)
      .filter((write) => write[1] === SESSION_CHANNEL)
      .flatMap((write) => write[2] as SessionPatch[]);
  }

  async checkpointPut(_threadId: string, change: ItemChange, stored: StoredCheckpoint): Promise<void> {
    this.buffer(change);
    for (; this.folded < stored.counter; this.folded += 1) {
      const writes = this.thread.writesOn("", this.folded).filter((write) => write[1] === SESSION_CHANNEL);
      this.state = applyPatches(
        this.state,
        writes.flatMap((write) => write[2] as SessionPatch[]),
      );
    }
    this.trimWrites(stored.counter);
    const end = this.stepEnd;
    this.stepEnd = "later";
    const due = end === "commit" || (end === "later" && this.recordChanged());
    if (due) await this.send(this.take({ record: "step" }));
    if (end !== "settle") this.onStep();
  }

  /** A tool task's answer is durable on its own, before its step is left (S-45, F-50). */
  async writesPut(_threadId: string, change: ItemChange, taskPath: string): Promise<void> {
    this.buffer(change);
    if (taskPath.includes(PUSHED_TASK)) await this.send(this.take({ record: "none" }));
  }

  /** Writes journal entries now, with whatever waits (S-39). `beginsOnly`: the calls have no answer yet. */
  async journalPut(entries: readonly ThreadItem[], { beginsOnly }: { beginsOnly: boolean }): Promise<void> {
    for (const { key, value } of entries) this.journal.set(key, value);
    this.buffer({ puts: [...entries], removes: [] });
    await this.send({ ...this.take({ record: "none" }), ...(beginsOnly ? { beginsOnly } : {}) });
  }

  /** Has entries go out with the step's commit, before the calls it asks for are run (S-34, S-39). */
  journalBegin(entries: readonly ThreadItem[]): void {
    for (const { key, value } of entries) {
      this.journal.set(key, value);
      this.begun.add(key);
    }
    this.buffer({ puts: [...entries], removes: [] });
  }

  /** Takes back the entries of calls that the invocation will not start any more, so that another one may; their keys. */
  journalWithdraw(): string[] {
    const keys = [...this.begun];
    this.journalRemove(keys);
    this.begun.clear();
    return keys;
  }

  /** Removes journal entries with the next commit (S-46). */
  journalRemove(keys: readonly string[]): void {
    for (const key of keys) this.journal.delete(key);
    this.buffer({ puts: [], removes: [...keys] });
  }

  /**
   * Everything that waits, for a commit or a settlement.
   *
   * @param options.record - `step`: the record's fields as a step in the middle of a leg changes them
   */
  take({ record = "leg" }: { record?: "leg" | "step" | "none" } = {}): Commit {
    const commit: Commit = {
      puts: [...this.puts].map(([key, value]) => ({ key, value })),
      removes: [...this.removes],
      ...(record === "none" ? {} : { record: this.recordChange(record) }),
    };
    for (const { key } of commit.puts) this.stored.add(key);
    for (const key of commit.removes) this.stored.delete(key);
    this.puts.clear();
    this.removes.clear();
    return commit;
  }

  /** Sends a commit that was taken, or what waits. */
  async flush(commit: Commit = this.take()): Promise<void> {
    await this.send(commit);
  }

  /** Something was committed below this session: it counts as this one's own progress. */
  async progress(): Promise<void> {
    if (this.hasCommitted) return;
    const { store, lease, clock, leaseMs, onProgress } = this.options;
    if (onProgress) {
      this.hasCommitted = true;
      return onProgress();
    }
    this.assertOwned();
    try {
      await store.commit(lease, { puts: [], removes: [] }, { now: clock.now(), leaseMs });
      this.hasCommitted = true;
    } catch (error) {
      this.lose(error);
      throw error;
    }
  }

  /** Rethrows the failure of an earlier write: nothing more is done for a session that was lost (S-23). */
  assertOwned(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  get isLost(): boolean {
    return this.failure !== undefined;
  }

  /** Somebody else's fence was seen: every later write is refused here already. */
  lose(error: unknown): void {
    this.failure ??= error;
  }

  private async send(commit: Commit): Promise<void> {
    this.assertOwned();
    if (commit.puts.length === 0 && commit.removes.length === 0 && !commit.record) return;
    const { store, lease, clock, leaseMs, onProgress } = this.options;
    try {
      const { cancelled } = await store.commit(lease, commit, { now: clock.now(), leaseMs });
      if (!commit.beginsOnly) {
        this.hasCommitted = true;
        await onProgress?.();
      }
      if (cancelled) this.onCancelled();
    } catch (error) {
      this.lose(error);
      throw error;
    }
  }

  private buffer({ puts, removes }: ItemChange): void {
    for (const { key, value } of puts) {
      this.puts.set(key, value);
      this.removes.delete(key);
    }
    for (const key of removes) {
      this.puts.delete(key);
      if (this.stored.has(key)) this.removes.add(key);
    }
  }

  /** Writes that go out together with a newer checkpoint need not hold what only leads to it. */
  private trimWrites(counter: number): void {
    const waiting = [...this.puts];
    this.puts.clear();
    for (const [key, value] of waiting) {
      const isPast = key.startsWith("W") && key < writesPrefix("", counter);
      const item = isPast ? this.thread.historyItem(key, SESSION_CHANNEL) : { key, value };
      if (item) this.puts.set(item.key, item.value);
    }
  }

  private recordChanged(): boolean {
    return Object.keys(this.difference("step")).length > 0;
  }

  private recordChange(at: "leg" | "step"): RecordPatch {
    const change: RecordPatch = { ...this.difference(at), checkpoint: this.thread.head("")?.counter ?? null };
    this.recorded = { ...this.recorded, ...change };
    return change;
  }

  /** What was used is in each step's patch; the record tells it of whole legs (S-32), or every step would store it twice. */
  private difference(at: "leg" | "step"): RecordPatch {
    const changed = Object.entries(recordPatchOf(this.state)).filter(
      ([name, value]) => (at === "leg" || name !== "usage") && !isSame(value, this.recorded[name as keyof RecordPatch]),
    );
    return Object.fromEntries(changed);
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/** How LangGraph spells the path of a task that was sent, in contrast to one that an edge triggered. */
const PUSHED_TASK = "__pregel_push";
