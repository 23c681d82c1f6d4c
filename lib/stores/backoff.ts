/** Pauses between attempts at a service that refuses for now. */
import { setTimeout as pause } from "node:timers/promises";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** Waits so many milliseconds; tests give one that does not. */
export type Sleep = (ms: number) => Promise<void>;

export const sleepFor: Sleep = async (ms) => {
  await pause(ms);
};

/**
 * A random pause below a bound that doubles, so that those who were refused together do not come back together.
 *
 * @param attempt - attempts already made, from 1
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const bound = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return Math.ceil(bound * (0.5 + random() / 2));
}
