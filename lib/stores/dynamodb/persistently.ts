/** Trying again with growing pauses and jitter. */
import { StoreUnavailableError } from "../../session/errors.js";
import type { Sleep } from "../backoff.js";

const FIRST_MS = 10;
const LONGEST_MS = 500;
/** Fifty writers on one session get their turn within it; after it the caller is told to come again. */
const MAX_TRIES = 60;

/**
 * Calls `attempt` until it gives something but null.
 *
 * @param doing - for the message: "write", "read all of the session"
 * @throws {StoreUnavailableError} after about half a minute without success
 */
export async function persistently<Result>(
  doing: string,
  sleep: Sleep,
  attempt: (tries: number) => Promise<Result | null>,
): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const result = await attempt(tries);
    if (result !== null) return result;
    await sleep(Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** tries));
  }
  throw new StoreUnavailableError(doing, `${MAX_TRIES} attempts met others at work or a busy service`);
}
