/** What an entrance can do: everything about sessions but running their turns. Nothing here loads the model library (F-78). */
import type { Machine } from "../machine/types.js";
import type { ArrivalInput, ArrivalSource, DeadLetter, Receipt } from "../session/arrival.js";
import type { Outcome, SessionSummary } from "../session/outcome.js";
import type { Clock, Doorbell, FileStore, Metrics, SessionFilter, SessionStore } from "../session/ports.js";
import type { TrailStep } from "../session/state.js";
import type { FileInput } from "./uploads.js";

export interface IntakeHost {
  store: SessionStore;
  files: FileStore;
  doorbell: Doorbell;
  clock: Clock;
  /** One line for people, such as a session path that leads nowhere. */
  warn(message: string): void;
  /** Names of the mounts, with which no session id may begin (H-91); those of every workspace folder unless given. */
  mounts?: readonly string[];
  /** Counts what is accepted, and what was known (S-102). */
  metrics?: Metrics;
}

/** A workflow as an entrance needs it. */
export interface IntakeWorkflow {
  slug: string;
  machine: Machine;
  defaultTrigger: string;
}

export interface IntakeWorkflows {
  slugs(): Promise<string[]>;
  /** Null for a slug there is no workflow of. @throws {WorkflowLoadError} where its text cannot be loaded */
  find(slug: string): Promise<IntakeWorkflow | null>;
}

export interface Firing {
  workflow: string;
  trigger?: string;
  variables?: Record<string, unknown>;
  message?: string;
  /** As `ArrivalInput.model`. */
  model?: string;
  sessionId?: string;
  sessionPath?: string;
  /** By variable name. */
  files?: Record<string, FileInput>;
}

export interface Accepted {
  receipt: Receipt;
  /** The key was known: nothing was accepted (S-3). */
  repeated: boolean;
}

export interface AcceptOptions {
  source: ArrivalSource;
  /** The idempotency key within its source and scope (S-5); a random one unless given, but for a decision. */
  key?: string;
  /**
   * Who sends within the source, such as a tenant's principal, a webhook's name or a rule's: keys of two scopes never meet
   * (S-6). None unless given.
   */
  scope?: string;
  /** What the key's fingerprint is made of instead of the input (N-13). */
  fingerprint?: string;
  /** Sessions that started sessions before the arrival's own (F-75). */
  hops?: number;
}

export interface Intake {
  workflows: IntakeWorkflows;
  /**
   * Resolves the session of a firing, checks what can be checked and accepts it (N-7, N-8, S-1…S-9). A key without a
   * session names the session too (S-7), and a known key is answered before anything is checked (N-13).
   *
   * @throws {UnknownWorkflowError} @throws {WorkflowDisabledError} for a fresh turn, unless its source is a webhook or a bus
   * @throws {InvalidVariablesError} where a turn would open that its trigger's `requires` refuses @throws {InputTooLargeError}
   * @throws {WorkflowLoadError} @throws the errors of H-129 for its inputs
   */
  fire(firing: Firing, options: AcceptOptions): Promise<Accepted>;
  /**
   * Accepts an input for a session that is named. `workflow` may be left out for one that exists. A decision without a key
   * gets one made of park, target and `decidedBy` (S-5).
   *
   * @throws as `fire` does, and {UnknownSessionError} for a session that does not exist when no workflow is named
   */
  accept(
    input: { sessionId: string; workflow?: string; input: ArrivalInput; files?: Firing["files"] },
    options: AcceptOptions,
  ): Promise<Accepted>;
  /** The receipt of a key that was accepted before, so that a repeat is answered before anything is checked (N-13, N-32). */
  known(source: ArrivalSource, key: string, scope?: string): Promise<Receipt | null>;
  receipt(arrivalId: string): Promise<Receipt | null>;
  /** The receipt once it is final, or as it stands when `ms` (at most 25,000) are over or the signal aborts (S-101). */
  wait(arrivalId: string, ms: number, signal?: AbortSignal): Promise<Receipt | null>;
  /** A settled receipt's outcome with the session's trail and variables; null where there is none. */
  outcome(receipt: Receipt): Promise<Outcome | null>;
  /** S-20. False: the arrival is neither queued nor running. */
  cancel(sessionId: string, arrivalId: string): Promise<boolean>;
  sessions: {
    /** @param filter.parent - only sessions under this one; no index tells them, but no other's history is read */
    list(filter?: SessionFilter & { parent?: string }): Promise<SessionSummary[]>;
    get(sessionId: string): Promise<SessionSummary | null>;
    trail(sessionId: string): Promise<readonly TrailStep[]>;
    /**
     * False when there was nothing. Children go along when asked to, and stay otherwise (S-88).
     *
     * @throws {SessionNotResumableError} while a turn runs, and for a child that its root presents
     */
    delete(sessionId: string, options?: { children?: boolean }): Promise<boolean>;
  };
  deadLetters(): Promise<DeadLetter[]>;
  /** Null for an unknown id. Unlike the list it never lags. */
  deadLetter(id: string): Promise<DeadLetter | null>;
  /** Keeps what could not be accepted and has no caller to be told; the same key again is kept once (S-93). */
  keep(letter: { firing: Firing; options: AcceptOptions; reason: string }): Promise<DeadLetter>;
  /** A new arrival at the end of the inbox; the same one again for the same letter (S-96). Null for an unknown letter. */
  redrive(deadLetterId: string): Promise<Receipt | null>;
}
