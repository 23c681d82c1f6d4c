/** The session's head item: what is true of it without reading its history. */
import type { Arrival, ArrivalInput } from "./arrival.js";
import type { SessionStatus, Usage } from "./state.js";

export const RECORD_FORMAT = 1;

/** The presented park, as far as waking and judging arrivals needs it. */
export interface RecordPark {
  parkId: string;
  channel: "decision" | "input";
  state: string;
  /** Epoch milliseconds. */
  resumeAt?: number;
  reason?: string;
  /** The id of the child session that the park is presented for (R-199, S-88). */
  delegation?: string;
}

/** The part of the record that a turn's commits write, derived from the session's state. */
export interface RecordFields {
  /** Null: an inbox only, the session has not run (S-14). */
  status: SessionStatus | null;
  workflow: string;
  position: string | null;
  specHash: string | null;
  title: string | null;
  park: RecordPark | null;
  exit: { code: string; reason: string; state: string } | null;
  /** As it stood when the last leg ended; while a turn runs the steps' patches know more, which is what is told of a session (H-116). */
  usage: Usage | null;
  /** Counter of the current checkpoint; the thread's writes on top of it are pending (see the saver). */
  checkpoint: number | null;
  turnOrdinal: number;
}

export type ActiveArrival = Omit<Arrival, "input"> & { input?: ArrivalInput };

export type RecordPatch = Partial<RecordFields>;

export interface SessionRecord extends RecordFields {
  sessionId: string;
  format: number;
  fence: number;
  lease: { owner: string; expiresAt: number } | null;
  /** The last sequence number given out. */
  acceptedSeq: number;
  /**
   * The arrival being worked on, whether or not a lease is alive. Its input is in the inbox, so that it is not written
   * again with every step; only a wake-up, which has no inbox item, carries its own.
   */
  active: { arrival: ActiveArrival; attempts: number } | null;
  /** The arrival under way is not taken up again before (S-89). */
  retryAt: number | null;
  lastFailure: string | null;
  /** That of the last arrival begun, for the session's wake-ups (F-75); null for none. */
  hops: number | null;
  /** Failed attempts at the present park's wake-up, and when the next may be made (F-27). A commit clears both. */
  wakeFailures: number;
  wakeRetryAt: number | null;
  cancelRequested: boolean;
  /** Lifecycle events not yet published. */
  unpublished: number;
  /** When something is due here; null when nothing is. */
  dueAt: number | null;
  deleting: boolean;
  /** Of one that is being deleted: its children go with it (S-83, S-88). */
  takesChildren: boolean | null;
  /** Epoch milliseconds; null while anything is left to do, and for a session that is kept for ever (S-81). */
  expiresAt: number | null;
  /** How long the session is kept once nothing is left to do, as it stood when something last ended; null for ever. */
  keepMs: number | null;
  /** Of a child (S-28): the owner that claimed it last. A child has no lease, nothing under way and no due mark of its own. */
  claimedBy: string | null;
  /** Of a child: its root's `createdAt`. What a deleted session left under the child's id has another. */
  rootCreatedAt: number | null;
  createdAt: number;
  /** The last activity; while a turn runs, to within a third of a lease. */
  updatedAt: number;
}

/** The record of a session that has not run (S-14). */
export function newRecord(sessionId: string, workflow: string, now: number): SessionRecord {
  return {
    sessionId,
    format: RECORD_FORMAT,
    status: null,
    workflow,
    position: null,
    specHash: null,
    title: null,
    park: null,
    exit: null,
    usage: null,
    checkpoint: null,
    turnOrdinal: 0,
    fence: 0,
    lease: null,
    acceptedSeq: 0,
    active: null,
    retryAt: null,
    lastFailure: null,
    hops: null,
    wakeFailures: 0,
    wakeRetryAt: null,
    cancelRequested: false,
    unpublished: 0,
    dueAt: null,
    deleting: false,
    takesChildren: null,
    expiresAt: null,
    keepMs: null,
    claimedBy: null,
    rootCreatedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
