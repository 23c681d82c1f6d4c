/**
 * The ports of the session protocol. `stores` implements them, `turn` and `agent` use them; nothing here knows a service.
 *
 * Guarantees every adapter gives, and the contract suite checks: each method is one atomic write (or one consistent read);
 * whatever a `Lease` is passed to succeeds only while the record's fence and owner are the lease's, else it throws
 * `LeaseLostError` and changes nothing (S-23); expiry of a lease is judged by the `now` of the call, correctness never by
 * it (S-24).
 */
import type { Arrival, DeadLetter, Receipt, ReceiptStatus, StoredError, StoredOutcome } from "./arrival.js";
import type { LifecycleEvent } from "./lifecycle.js";
import type { Retention } from "./protocol/limits.js";
import type { RecordPatch, SessionRecord } from "./record.js";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Lease {
  sessionId: string;
  owner: string;
  fence: number;
}

/** One stored value of a session's thread: checkpoints, step writes, journal entries. Keys sort as text. */
export interface ThreadItem {
  key: string;
  /** JSON text. */
  value: string;
}

/** What a step writes: thread items put and removed, and the record's changed fields. */
export interface Commit {
  puts: ThreadItem[];
  removes: string[];
  record?: RecordPatch;
  /** True: a note that work begins (S-39). It is no progress, so failed attempts stay counted (S-89). */
  beginsOnly?: true;
}

export interface AcceptRequest {
  arrival: Omit<Arrival, "seq">;
  fingerprint: string;
  /** S-4: false for keys that a webhook or a bus gave, whose repetition may carry another body. */
  checkFingerprint: boolean;
  receiptExpiresAt: number;
  /** The session's id was made for this arrival, so the store may try without looking first. */
  isLikelyNew?: true;
}

export type AcceptResult =
  | { kind: "accepted"; receipt: Receipt }
  /** The key was known: the first arrival's receipt, nothing written. */
  | { kind: "repeated"; receipt: Receipt };

/** What the owner of a lease is to work on. */
export interface Work {
  arrival: Arrival;
  /** This attempt's number, from 1 (S-89). */
  attempt: number;
}

export type ClaimResult =
  | { kind: "claimed"; lease: Lease; record: SessionRecord; thread: ThreadItem[]; work: Work }
  /** Somebody else's lease is alive until then. */
  | { kind: "busy"; until: number }
  /** Nothing to do now; `dueAt` says when there will be, if that is known. */
  | { kind: "idle"; dueAt?: number };

/** A child session to be claimed by its caller's owner. */
export interface ChildRequest {
  /** `<caller id>~<n>`. */
  sessionId: string;
  workflow: string;
  now: number;
  hops?: number | null;
}

/** What the owner of a child has; a commit under the lease is conditional on its fence alone (S-28). */
export interface ClaimedChild {
  lease: Lease;
  record: SessionRecord;
  thread: ThreadItem[];
}

export interface Settlement {
  arrivalId: string;
  status: Exclude<ReceiptStatus, "queued" | "running">;
  outcome?: StoredOutcome;
  error?: StoredError;
  /** The last step's writes, in the same transaction (S-32). */
  commit?: Commit;
  events: LifecycleEvent[];
  deadLetter?: DeadLetter;
  now: number;
}

export interface SessionFilter {
  status?: string;
  workflow?: string;
  /** Epoch milliseconds: sessions awaiting input whose `resumeAt` is at or before it. */
  dueBefore?: number;
  limit?: number;
  /** Epoch milliseconds: leaves out what has expired by then (S-82). */
  now?: number;
}

export interface SessionStore {
  /**
   * S-1, S-3: receipt, inbox item, counter and due mark in one transaction; for a redrive the dead letter's link too
   * (S-96). Throws IdempotencyConflictError, InboxFullError,
   * SessionBusyError (being deleted, or expired).
   */
  accept(request: AcceptRequest): Promise<AcceptResult>;
  /**
   * S-22: takes the lease if it is free or expired and there is work, raising the fence by one, and begins that work:
   * the arrival already under way, else the first applicable one, else a due wake-up (S-21, S-62).
   *
   * With `mayTakeLater` a store may take the lease of a session that nobody has worked on with the first write under it.
   * The caller does nothing before that write that could not be done twice, and makes it through the same handle; if
   * another was first, it throws LeaseLostError.
   */
  claim(
    sessionId: string,
    request: { owner: string; now: number; leaseMs: number; mayTakeLater?: true },
  ): Promise<ClaimResult>;
  /**
   * S-28: the caller's owner takes a child, whoever had it before under a lower fence; the record is made where there is
   * none. One write, under the caller's lease. Children are never due, and `claim` finds them idle.
   *
   * @throws {LeaseLostError} the caller's lease is lost, or the child is held under a higher fence
   * @throws {SessionBusyError} while the child is being deleted
   * @throws {ChildLeftOverError} for a child of an earlier session under the same id; see `claimChild`
   */
  claimChild(caller: Lease, child: ChildRequest): Promise<ClaimedChild>;
  /** Of a child's lease, which needs no renewal, only whether it is lost. */
  renew(lease: Lease, request: { now: number; leaseMs: number }): Promise<{ cancelled: boolean }>;
  /** S-20: whether the owner was asked to stop; a consistent read. @throws {LeaseLostError} */
  isCancelled(lease: Lease): Promise<boolean>;
  /** One step. Also renews a lease of which a third is over, sets the attempt count to zero (S-89) and tells of a cancellation (S-20). */
  commit(lease: Lease, commit: Commit, request: { now: number; leaseMs: number }): Promise<{ cancelled: boolean }>;
  /**
   * S-32: ends the arrival and, in the same transaction, begins the next one or releases the lease (S-25). Returns the
   * next work, or null when the lease was released. With `retention` a session that comes to rest gets its time (S-81).
   */
  settle(
    lease: Lease,
    settlement: Settlement,
    request: { leaseMs: number; retention?: Retention },
  ): Promise<Work | null>;
  /** S-19: puts the arrival back, held under the park, and goes on as `settle` does. */
  hold(
    lease: Lease,
    request: { arrivalId: string; parkId: string; now: number; leaseMs: number },
  ): Promise<Work | null>;
  /** S-50: gives the lease back with the work unfinished. `retryAt` delays the next claim (S-89). */
  release(lease: Lease, request: { now: number; retryAt?: number; failed?: string; commit?: Commit }): Promise<void>;
  /**
   * S-20: asks the owner of a running turn to stop; false when nothing runs. With `arrivalId` only that arrival is meant:
   * a queued one is removed (`superseded`), and false means that it is neither queued nor running.
   */
  cancel(sessionId: string, now: number, only?: { arrivalId: string }): Promise<boolean>;
  /** A consistent read of the record and the thread; null for a session without a record, or expired by `now` (S-82). */
  read(
    sessionId: string,
    now?: number,
  ): Promise<{ record: SessionRecord; thread: ThreadItem[]; queued: number } | null>;
  receipt(arrivalId: string, now: number): Promise<Receipt | null>;
  /** Records of sessions that have run, latest activity first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>;
  /** Ids of sessions whose due mark is at or before `before`, oldest first. Paged by `after`, the last entry seen. */
  due(before: number, page: { limit: number; after?: DueEntry }): Promise<DueEntry[]>;
  /** Lifecycle events not yet published, in order; `published` removes them (S-97…S-99). */
  unpublished(sessionId: string): Promise<LifecycleEvent[]>;
  published(sessionId: string, eventIds: string[], now: number): Promise<void>;
  /** Unexpired dead letters, oldest first. */
  deadLetters(now: number): Promise<DeadLetter[]>;
  /** S-96: one of them; null for an unknown or expired one. */
  deadLetter(id: string, now: number): Promise<DeadLetter | null>;
  /** S-93: keeps the letter of what was never accepted. The first under an id stays; it is returned. */
  keepDeadLetter(letter: DeadLetter): Promise<DeadLetter>;
  /**
   * S-84: marks the session as being deleted (raising the fence), refuses its queued arrivals. False: nothing there.
   *
   * @throws {SessionBusyError} while a lease lives (S-85); for a child while its root works or presents it (S-88)
   */
  beginDelete(sessionId: string, now: number, how?: DeletionRequest): Promise<boolean>;
  /** S-88: a consistent read of the session's direct children that have a record, whether or not the session has one. */
  children(sessionId: string): Promise<Children>;
  /**
   * S-83: marks the session for deletion if it has expired and its events are out, or takes over a deletion that was not
   * carried through in time. True for one caller, who is to carry it through.
   */
  expire(sessionId: string, now: number): Promise<boolean>;
  /**
   * S-79: looks at up to `limit` of the values that are kept apart from their items, and removes those last written at or
   * before `before` that no item names. Only stores that keep values apart have it.
   *
   * @returns where to go on; `after` is null at the end
   */
  removeOrphans?(page: {
    before: number;
    after: string;
    limit: number;
  }): Promise<{ removed: number; after: string | null }>;
  /** Removes every item of a marked session and the record last, not its children; strips its receipts (S-87). Safe to repeat. */
  finishDelete(sessionId: string): Promise<void>;
  /**
   * lets go of what memory holds of the session and its children, at any time; all of it is stored. Only stores that
   * keep copies have it. Never throws.
   */
  forget?(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

export interface DeletionRequest {
  /** The session's children are to go with it, whoever carries the deletion through. */
  children?: true;
  /** Only with the parent: false unless that is being deleted with its children, and then without a look at the root. */
  withParent?: true;
}

export interface Children {
  /** Sorted. */
  sessionIds: string[];
  /** The session is being deleted, and they with it. */
  goAlong: boolean;
}

export interface DueEntry {
  sessionId: string;
  dueAt: number;
}

/** A file with the version a conditional write refers to. */
export interface StoredFile {
  bytes: Uint8Array;
  version: string;
  modifiedAt: number;
}

export interface FileEntry {
  path: string;
  sizeBytes: number;
  modifiedAt: number;
}

/**
 * Session files (H-89): bytes by path, relative to the session's own area, exact. Paths are canonical and never leave it.
 */
export interface FileStore {
  read(sessionId: string, path: string): Promise<StoredFile | null>;
  /**
   * Replaces the file whole. `ifVersion` (null: only if absent) makes the write conditional (S-27): a mismatch throws
   * FileConflictError and writes nothing.
   */
  write(
    sessionId: string,
    path: string,
    bytes: Uint8Array,
    condition?: { ifVersion: string | null },
  ): Promise<{ version: string }>;
  /** False when there was none. */
  remove(sessionId: string, path: string): Promise<boolean>;
  /** Every file the session owns, sorted by path, runtime-internal areas included. */
  list(sessionId: string): Promise<FileEntry[]>;
  removeAll(sessionId: string): Promise<void>;
  /** `_specs/<hash>.json` and other files shared by all sessions; writing an existing one changes nothing. */
  readShared(path: string): Promise<Uint8Array | null>;
  writeShared(path: string, bytes: Uint8Array): Promise<void>;
  /** Shared files below a folder (`.parkway/uploads/`), by path, from the one after `after` on. */
  listShared(folder: string, page: { after: string; limit: number }): Promise<FileEntry[]>;
  removeShared(path: string): Promise<void>;
  /** What the store below has no means for; none unless given. `bytes`: it holds text alone (H-84). */
  lacks?: { bytes?: true; removal?: true };
}

/** Says "look at session X"; losing or doubling one is harmless (S-13). */
export interface Doorbell {
  ring(sessionId: string, options?: { delayMs?: number }): Promise<void>;
}

/** Figures of a deployment, by the names of `METRICS` (S-102). */
export interface Metrics {
  count(name: string, value: number, dimensions: { workflow: string }): void;
}

export interface EventBus {
  publish(events: LifecycleEvent[]): Promise<void>;
}
