/**
 * A grader's loop as it is kept while it runs (S-49): one journal item for each answer of its model, written before any call
 * of the answer is run.
 *
 *     J<turn>v<visit>/g<n>       the n-th answer, and what was decided with it
 *     J<turn>v<visit>/g<n>.<i>   the i-th call of that answer, as any call is journaled (S-39)
 *
 * The items go with the commit that settles the state (F-45); the calls stay as long as every other (S-46).
 */
import type { InvalidCall } from "../../models/types.js";
import type { StoredMessage } from "../../session/messages.js";
import type { CallAnswer, SessionState, Usage } from "../../session/state.js";
import { addUsage } from "../../session/usage.js";
import type { Effects, ServedCall } from "../automated/controls.js";
import { scriptPrefix } from "../journal.js";
import type { SessionWriter } from "../session-writer.js";

/** One message's calls, decided in message order. */
export interface DecidedBatch {
  /** Answers known without running anything. */
  answers: CallAnswer[];
  /** Calls to be run, with the number in the message that their journal key ends in. */
  tasks: (ServedCall & { index: number })[];
  /** What the message's control calls have brought about. */
  effects: Effects;
  /** The highest delegation number given to a call that was refused. */
  dispatched?: number;
  /** A terminal failure of the state, in effect when the batch is answered. */
  failure?: string;
}

export interface LoopItem {
  /** Epoch milliseconds at which the run began. */
  at: number;
  /** What the run had taken when the answer came, in milliseconds, time between two invocations not counted. */
  spentMs: number;
  /** Null when the model said nothing and called nothing, or its call failed. */
  message: StoredMessage | null;
  /** Why the call of the model came to nothing; kept where it has cost something. */
  failed?: string;
  invalid?: InvalidCall[];
  usage?: Usage;
  batch?: DecidedBatch;
  /** The batch's `dispatched`, where every entry of the journal has such a number. */
  dispatch?: number;
}

export function loopKey(state: SessionState, n: number): string {
  return `${loopPrefix(state)}${n.toString(36).padStart(4, "0")}`;
}

/** Keys a call of the n-th answer. */
export function loopCallKey(state: SessionState, n: number, index: number): string {
  return `${loopKey(state, n)}.${index}`;
}

/** The loop that stands open in the session's current visit, in order; empty where none does. */
export function openLoop(writer: SessionWriter, state: SessionState): LoopItem[] {
  return loopKeys(writer, state).map((key) => JSON.parse(writer.journal.get(key)!) as LoopItem);
}

/** Has the items go with the next commit. @returns what the loop has cost */
export function closeLoop(writer: SessionWriter, state: SessionState): { usage?: Usage } {
  const used = openLoop(writer, state).flatMap(({ usage }) => (usage ? [usage] : []));
  writer.journalRemove(loopKeys(writer, state));
  return used.length > 0 ? { usage: used.reduce(addUsage) } : {};
}

function loopKeys(writer: SessionWriter, state: SessionState): string[] {
  const prefix = loopPrefix(state);
  return [...writer.journal.keys()].filter((key) => key.startsWith(prefix) && !key.includes(".", prefix.length)).sort();
}

function loopPrefix({ fields }: SessionState): string {
  return `${scriptPrefix(fields.turnOrdinal ?? 0, fields.visit ?? 0)}g`;
}
