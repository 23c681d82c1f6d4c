/** Dead letters of what was never accepted, and arrivals made of dead letters anew (S-93, S-96). */
import type { Arrival, DeadLetter } from "./arrival.js";
import { acceptUnexpired, type ExpiringStores } from "./expire.js";
import { arrivalIdFor, fingerprintOf, sessionIdFromKey } from "./fingerprint.js";
import type { AcceptResult, FileStore, SessionStore } from "./ports.js";
import { DEAD_LETTER_TTL_MS, RECEIPT_TTL_MS } from "./protocol/index.js";
import { copyUploads } from "./uploads.js";

/** The id of an accepted arrival's letter, and of that of one which was refused before. */
export const unsettledLetterId = (arrivalId: string): string => `dl-${arrivalId}`;
export const refusedLetterId = (arrivalId: string): string => `refused-${arrivalId}`;

/**
 * S-93: the letter of an event that was refused before it was accepted, for `keepDeadLetter`. Its id is made of the
 * arrival's, so the same event delivered again is kept once.
 *
 * @param arrival - what it would have been; an empty `sessionId` where the firing named no session
 */
export function refusedLetter(arrival: Omit<Arrival, "seq">, told: { reason: string; at: number }): DeadLetter {
  return {
    id: refusedLetterId(arrival.id),
    arrival: { ...arrival, seq: 0 },
    attempts: 0,
    ...told,
    expiresAt: told.at + DEAD_LETTER_TTL_MS,
  };
}

/**
 * S-96: accepts the letter's input as an arrival at the end of its session's inbox, linked with the letter both ways. What
 * was accepted before comes as a new arrival with copies of its files; what never was, as the arrival that it would have
 * been, so that its event delivered once more is known, before the redrive or after (S-3).
 * The receipt is kept as long as the letter, so that redriving again, however late, answers with the same arrival. A
 * letter without a session gets the one that its key names (S-7). The caller rings the doorbell.
 *
 * @returns null for an unknown or expired letter
 * @throws what `accept` throws: {InboxFullError}, {SessionBusyError}
 */
export async function redriveDeadLetter(
  stores: {
    store: ExpiringStores["store"] & Pick<SessionStore, "deadLetter" | "receipt" | "accept">;
    files: ExpiringStores["files"] & Pick<FileStore, "readShared" | "writeShared">;
  },
  request: { id: string; now: number },
): Promise<AcceptResult | null> {
  const { id: letterId, now } = request;
  const { store, files } = stores;
  const letter = await store.deadLetter(letterId, now);
  if (letter === null) return null;
  const { seq: _seq, wakes: _wakes, heldBy: _heldBy, ...kept } = letter.arrival;
  const isUnaccepted = letterId === refusedLetterId(kept.id);
  // A key that is used again after its receipt has gone may make another letter of the same id.
  const id = isUnaccepted ? kept.id : arrivalIdFor({ scope: "", source: "redrive", key: `${letterId}/${letter.at}` });
  const known = await store.receipt(id, now);
  if (known) return { kind: "repeated", receipt: known };
  const input = isUnaccepted ? kept.input : await copyUploads(files, kept.input, id);
  return acceptUnexpired(stores, {
    arrival: {
      ...kept,
      input,
      id,
      sessionId: kept.sessionId === "" ? sessionIdFromKey(id) : kept.sessionId,
      source: "redrive",
      acceptedAt: now,
      redrives: letterId,
    },
    fingerprint: fingerprintOf(input),
    checkFingerprint: false,
    receiptExpiresAt: Math.max(now + RECEIPT_TTL_MS, letter.expiresAt),
  });
}
