/** Secrets by reference, fetched once and kept for minutes, so that a rotated one is noticed (H-126). */
import type { Clock } from "../../session/ports.js";
import { createFetch, type SecretClients } from "./fetching.js";

export interface SecretsOptions extends SecretClients {
  clock?: Pick<Clock, "now">;
  /** How long a value serves before it is fetched anew; five minutes unless given. */
  maxAgeMs?: number;
}

/**
 * @throws {InvalidSecretReferenceError} for what is no reference
 * @throws {SecretNotFoundError} where there is nothing
 * @throws {SecretUnavailableError} when the service fails; it may be tried again
 */
export type Secrets = (reference: string) => Promise<string>;

const MAX_AGE_MS = 5 * 60_000;
/** While the service is down, the last value serves on; past that, a withdrawn secret could live for ever. */
const MAX_STALE_MS = 60 * 60_000;

interface Kept {
  value: string;
  /** Epoch milliseconds. */
  fetchedAt: number;
}

/** Callers who ask for the same secret at the same time share one fetch. A failure is not kept. */
export function createSecrets(options: SecretsOptions = {}): Secrets {
  const { clock = { now: Date.now }, maxAgeMs = MAX_AGE_MS, ...clients } = options;
  const fetchSecret = createFetch(clients);
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<string>>();

  async function refresh(reference: string): Promise<string> {
    try {
      const value = await fetchSecret(reference);
      kept.set(reference, { value, fetchedAt: clock.now() });
      return value;
    } catch (error) {
      const last = kept.get(reference);
      const isPassing = (error as { retryable?: boolean }).retryable === true;
      if (isPassing && last && clock.now() - last.fetchedAt < MAX_STALE_MS) return last.value;
      kept.delete(reference);
      throw error;
    } finally {
      underWay.delete(reference);
    }
  }

  return async (reference) => {
    const known = kept.get(reference);
    if (known && clock.now() - known.fetchedAt < maxAgeMs) return known.value;
    const pending = underWay.get(reference) ?? refresh(reference);
    underWay.set(reference, pending);
    return pending;
  };
}
