/**
 * A model call that goes on in another invocation, because its provider asks to wait longer than this one lasts. The
 * attempts made so far, and when the next one may be made, are an entry of the session's journal,
 *
 *     J<turn>m   { call, attempt, until, spentMs, at }
 *
 * one for the session, as it makes one call at a time. It is written before the turn is given back, so a process that dies in
 * between leaves no attempt uncounted and no wait shortened, and it goes with the commit of what the call came to.
 */
import { ModelWaitTooLongError } from "../models/index.js";
import { ModelTimeoutError, ModelWaitError } from "./errors.js";
import { modelCallKey } from "./journal.js";
import type { Turn } from "./types.js";

export interface EarlierAttempts {
  /** How many; the number of the next one, from 0. */
  attempt: number;
  /** Epoch milliseconds before which the next one must not be made. */
  until: number;
  /** What the call has taken, the waits included, in milliseconds. */
  spentMs: number;
}

interface WaitEntry extends EarlierAttempts {
  /** The call, by the place in the session where it is made: the same in every invocation. */
  call: string;
  /** Epoch milliseconds: when the entry may go (S-46). */
  at: number;
}

/** How long a wait may last in this invocation from now, in milliseconds; undefined where it never ends (S-57). */
export function longestWait({ options, host }: Turn): number | undefined {
  const deadline = options.abortAt ?? options.drainAt;
  return deadline === undefined ? undefined : Math.max(0, deadline - host.clock.now());
}

/**
 * What earlier invocations have tried of the call, once the next attempt may be made.
 *
 * @throws {ModelWaitError} where that is later than this invocation lasts; the turn's signal's reason
 */
export async function earlierAttempts(turn: Turn, call: string): Promise<EarlierAttempts | null> {
  const text = turn.writer.journal.get(keyOf(turn));
  const entry = text === undefined ? null : (JSON.parse(text) as WaitEntry);
  if (entry?.call !== call) return null;
  const leftMs = entry.until - turn.host.clock.now();
  if (leftMs <= 0) return entry;
  const longestMs = longestWait(turn);
  if (longestMs !== undefined && leftMs > longestMs) throw new ModelWaitError(entry.until);
  await turn.host.clock.sleep(leftMs, turn.signal);
  turn.signal.throwIfAborted();
  return entry;
}

/**
 * Leaves the call to the invocation in which its next attempt may be made.
 *
 * @param made.spentMs - what the call has taken so far
 * @param made.boundMs - what it may take in all
 * @throws {ModelWaitError} @throws {ModelTimeoutError} where the bound passes while the call waits
 */
export async function leaveToLater(
  turn: Turn,
  call: string,
  { waitMs, attempt }: ModelWaitTooLongError,
  made: { spentMs: number; boundMs: number | undefined },
): Promise<never> {
  const spentMs = made.spentMs + waitMs;
  if (made.boundMs !== undefined && spentMs >= made.boundMs) throw new ModelTimeoutError(made.boundMs);
  const at = turn.host.clock.now();
  const entry: WaitEntry = { call, attempt, until: at + waitMs, spentMs, at };
  await turn.writer.journalPut([{ key: keyOf(turn), value: JSON.stringify(entry) }], { beginsOnly: true });
  throw new ModelWaitError(entry.until);
}

/** The call has come to something, and its attempts go with the commit of that. */
export function forgetAttempts(turn: Turn): void {
  const key = keyOf(turn);
  if (turn.writer.journal.has(key)) turn.writer.journalRemove([key]);
}

export function isWaitTooLong(error: unknown): error is ModelWaitTooLongError {
  return error instanceof ModelWaitTooLongError;
}

function keyOf({ writer }: Turn): string {
  return modelCallKey(writer.state.fields.turnOrdinal ?? 0);
}
