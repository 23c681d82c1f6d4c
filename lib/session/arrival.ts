/** What reaches a session, and what becomes of it (chapter S, 22). */
import type { ArrivalInput } from "./input.js";
import type { Disposition, Exit, Park, ParkDelegation, SessionStatus, Usage } from "./state.js";

export type { ArrivalInput, FileRef, HistoryMessage } from "./input.js";

/** Where an arrival came from. A `webhook` or `bus` firing that is refused leaves a dead letter (S-18); a `delegation` comes from the caller's own turn. */
export type ArrivalSource = "api" | "cli" | "webhook" | "bus" | "wake" | "redrive" | "delegation";

export interface Arrival {
  /** Made from the scoped idempotency key, so a repetition finds its receipt (S-3). */
  id: string;
  sessionId: string;
  /** Place in the session's order; 0 for a wake-up, which has no inbox item. */
  seq: number;
  source: ArrivalSource;
  workflow: string;
  input: ArrivalInput;
  /** Epoch milliseconds. */
  acceptedAt: number;
  /** The park this arrival wakes (S-59); only for source `wake`. */
  wakes?: string;
  /** The park it is held under (S-19). */
  heldBy?: string;
  /** The dead letter it was made from (S-96); only for source `redrive`. */
  redrives?: string;
  /** Sessions that started sessions before this one (F-75); absent for none. */
  hops?: number;
}

export type ReceiptStatus = "queued" | "running" | "settled" | "refused" | "error" | "superseded" | "dead";

/** The settled outcome as it is kept with a receipt: everything of H-68 but the session's whole history. */
export interface StoredOutcome {
  kind: "completed" | "parked" | "failed" | "rejected";
  disposition: Disposition;
  status: SessionStatus;
  state?: string;
  reply: string;
  exit?: { success: true } | ({ success: false } & Omit<Exit, "state">);
  limit?: string;
  rejected?: string;
  parkedChannel?: "decision" | "input";
  pending?: Park;
  delegation?: ParkDelegation;
  usage?: Usage;
  /** Which of the session's messages and trail steps are the leg's own: from the first number, before the second. */
  leg?: { messages: [number, number]; trail: [number, number] };
}

/** A typed error in the form it is stored in (class name, message, fields). */
export interface StoredError {
  name: string;
  message: string;
  [field: string]: unknown;
}

export interface Receipt {
  arrivalId: string;
  sessionId: string;
  /** The arrival's, like `kind`; both absent in receipts that an older version made. */
  workflow?: string;
  kind?: ArrivalInput["kind"];
  seq: number;
  /** SHA-256 of the input's canonical JSON (S-4). */
  fingerprint: string;
  status: ReceiptStatus;
  outcome?: StoredOutcome;
  error?: StoredError;
  acceptedAt: number;
  /** Epoch milliseconds; past it the receipt counts as absent (F-55). */
  expiresAt: number;
}

/** The input of an arrival that was given up, or refused with nobody to tell (N-34, S-93). */
export interface DeadLetter {
  id: string;
  /**
   * Of what was never accepted (S-93), the arrival that it would have been: `seq` is 0, and `sessionId` is empty where
   * the firing named no session.
   */
  arrival: Arrival;
  /** 0 for what was never accepted. */
  attempts: number;
  reason: string;
  at: number;
  expiresAt: number;
  /** The arrival that redriving it made (S-96). */
  redrivenAs?: string;
}
