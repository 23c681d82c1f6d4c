/** What became of an accepted input: its receipt, waited for or not, and the outcome it names (S-101). */
import type { Receipt } from "../session/arrival.js";
import { isStoreFailure } from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { loadState } from "../session/load-state.js";
import { type Outcome, shownVariables } from "../session/outcome.js";
import type { IntakeHost } from "./types.js";

/** S-101: the longest wait. */
export const WAIT_LIMIT_MS = 25_000;

/** Pauses between two looks at a receipt: short at first, for turns that are. */
const POLL_FIRST_MS = 100;
const POLL_MAX_MS = 1_000;

export function isFinal({ status }: Receipt): boolean {
  return status !== "queued" && status !== "running";
}

/**
 * The receipt once it is final, or as it stands when the time is over or the signal aborts. A store that fails meanwhile
 * is asked again: what was accepted goes on (S-94).
 */
export async function waitForReceipt(
  host: Pick<IntakeHost, "store" | "clock">,
  arrivalId: string,
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<Receipt | null> {
  const { store, clock } = host;
  const until = clock.now() + Math.min(ms, WAIT_LIMIT_MS);
  let receipt = await store.receipt(arrivalId, clock.now());
  let pause = POLL_FIRST_MS;
  while (receipt && !isFinal(receipt) && !signal?.aborted) {
    const left = until - clock.now();
    if (left <= 0) break;
    await clock.sleep(Math.min(pause, left), signal);
    if (signal?.aborted) break;
    const last: Receipt = receipt;
    receipt = await store.receipt(arrivalId, clock.now()).catch((error) => {
      if (isStoreFailure(error)) return last;
      throw error;
    });
    pause = Math.min(pause * 1.5, POLL_MAX_MS);
  }
  return receipt;
}

/** A settled receipt's outcome, with the session's history as it is now; null where the receipt has none. */
export async function outcomeOfReceipt(host: Pick<IntakeHost, "store">, receipt: Receipt): Promise<Outcome | null> {
  if (!receipt.outcome) return null;
  const { leg: _leg, ...outcome } = receipt.outcome;
  const state = (await loadState(host.store, receipt.sessionId))?.state ?? emptyState();
  return { ...outcome, auditTrail: state.trail, variables: shownVariables(state), messages: state.messages };
}
