/** The pause between attempts (S-89). */
import { RETRY_FIRST_MS, RETRY_MAX_MS } from "./limits.js";

/**
 * Doubles from one second with every failed attempt, up to a longest pause.
 *
 * @param attempts - failed attempts so far, from 1
 * @param jitter - from 0 up to 1: the pause lies between half and all of the step, so that many failing sessions part
 * @param longest - `maxMs` bounds the pause, for wake-ups WAKE_RETRY_MAX_MS (F-27)
 */
export function retryDelayMs(
  attempts: number,
  jitter: number,
  longest: { maxMs: number } = { maxMs: RETRY_MAX_MS },
): number {
  const step = Math.min(RETRY_FIRST_MS * 2 ** Math.max(0, attempts - 1), longest.maxMs);
  return Math.round(step * (0.5 + 0.5 * jitter));
}
