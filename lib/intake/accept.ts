/** Accepting: one transaction of the store, then the doorbell (S-1, S-13). */
import { randomUUID } from "node:crypto";
import type { Arrival, ArrivalInput, ArrivalSource, Receipt } from "../session/arrival.js";
import { IdempotencyConflictError } from "../session/errors.js";
import {
  acceptUnexpired,
  arrivalIdFor,
  canonicalJson,
  count,
  fingerprintOf,
  RECEIPT_TTL_MS,
} from "../session/index.js";
import type { Accepted, AcceptOptions, IntakeHost } from "./types.js";

/** The arrival's identity, fixed before anything is looked at. */
export interface ArrivalKey {
  id: string;
  source: ArrivalSource;
  /** False where the key is new by itself, so that nothing can be known under it. */
  isGiven: boolean;
  /** S-4: whether the key's owner vouches for the input; a provider may send one event id again with a changed body. */
  checkFingerprint: boolean;
  fingerprint?: string;
  hops?: number;
}

/** S-5, S-6. */
export function arrivalKey({ source, key, scope = "", fingerprint, hops }: AcceptOptions): ArrivalKey {
  return {
    id: arrivalIdFor({ scope, source, key: key ?? randomUUID() }),
    source,
    isGiven: key !== undefined,
    checkFingerprint: source !== "webhook" && source !== "bus",
    ...(fingerprint !== undefined ? { fingerprint } : {}),
    ...(hops ? { hops } : {}),
  };
}

/**
 * S-5: the key of a decision that brought none. The same person choosing the same way out of the same park is the same
 * decision, whatever they say beside it.
 */
export function decisionKey(
  options: AcceptOptions,
  decision: { sessionId: string; park: string; target: string; decidedBy?: string },
): ArrivalKey {
  const { sessionId, park, target, decidedBy = "" } = decision;
  const key = canonicalJson(["decision", sessionId, park, target.trim(), decidedBy]);
  return { ...arrivalKey({ ...options, key }), checkFingerprint: false };
}

/** The receipt of an arrival that was accepted before. @throws {IdempotencyConflictError} for another input (S-4) */
export async function knownArrival(
  host: IntakeHost,
  key: ArrivalKey,
  repeated: { input: () => ArrivalInput; workflow?: string },
): Promise<Accepted | null> {
  if (!key.isGiven) return null;
  const receipt = await host.store.receipt(key.id, host.clock.now());
  if (!receipt) return null;
  const differs = key.checkFingerprint && receipt.fingerprint !== (key.fingerprint ?? fingerprintOf(repeated.input()));
  if (differs) throw new IdempotencyConflictError(key.id);
  if (repeated.workflow !== undefined) count(host.metrics, "duplicates", repeated.workflow);
  return { receipt: await rung(host, receipt), repeated: true };
}

/**
 * Accepts an input that was prepared.
 *
 * @throws {IdempotencyConflictError} @throws {InboxFullError} @throws {SessionBusyError} while the session is being deleted
 */
export async function acceptArrival(
  host: IntakeHost,
  key: ArrivalKey,
  arriving: { sessionId: string; workflow: string; input: ArrivalInput; isLikelyNew?: true },
): Promise<Accepted> {
  const { sessionId, workflow, input } = arriving;
  const now = host.clock.now();
  const arrival: Omit<Arrival, "seq"> = {
    id: key.id,
    sessionId,
    source: key.source,
    workflow,
    input,
    acceptedAt: now,
    ...(key.hops ? { hops: key.hops } : {}),
  };
  const { kind, receipt } = await acceptUnexpired(host, {
    arrival,
    fingerprint: key.fingerprint ?? fingerprintOf(input),
    checkFingerprint: key.checkFingerprint,
    receiptExpiresAt: now + RECEIPT_TTL_MS,
    ...(arriving.isLikelyNew ? { isLikelyNew: true } : {}),
  });
  count(host.metrics, kind === "accepted" ? "accepted" : "duplicates", workflow);
  return { receipt: await rung(host, receipt), repeated: kind === "repeated" };
}

/**
 * Rings for an arrival that waits. It is accepted, whatever becomes of the doorbell: an error here would have the caller
 * send it again (S-13).
 */
export async function rung(host: IntakeHost, receipt: Receipt): Promise<Receipt> {
  if (receipt.status === "queued") await host.doorbell.ring(receipt.sessionId).catch(() => undefined);
  return receipt;
}
