/**
 * What is known of tool calls with effects (S-38…S-46): an entry before the call runs, and for a script's call its answer
 * after it. An agent's answer needs no entry: its task's write is the answer.
 */

import type { EventDraft } from "../session/events.js";
import { canonicalJson, sha256Hex } from "../session/fingerprint.js";
import type { TrailStep, Used } from "../session/state.js";
import type { SessionWriter } from "./session-writer.js";

export interface JournalEntry {
  tool: string;
  /** Hash of the arguments. */
  hash: string;
  /** 1, 2, … */
  attempt: number;
  /** Epoch milliseconds: of an evaluation's first reading of the clock for a script's call, else of the attempt. */
  at: number;
  /** What a host was asked of a script's call, where it has a say. */
  decided?: Decided;
  /** What a reconciled tool recorded before it ran. */
  before?: unknown;
  /** Of a script's call of a delegation tool: its number among the session's (S-43). */
  dispatch?: number;
  /** A script's call: its answer. */
  answer?: JournaledAnswer;
}

/** Enough for a replay not to ask again: a host's code may answer otherwise the second time. */
export interface Decided {
  /** The script's call that was decided. */
  callId: string;
  /** A hook has changed the arguments: the hash of those asked with, and what the call runs with. */
  changed?: { asked: string; args: Record<string, unknown> };
  /** A hook has answered in place of the tool. */
  given?: true;
}

export interface JournaledAnswer {
  text: string;
  status: "success" | "error";
  refusal?: string;
  /** Path of a picture that a grader is shown. */
  picture?: string;
  /** Of a delegation tool: what a replay brings about besides, and tells once its step has committed. */
  blocked?: true;
  trail?: TrailStep[];
  dispatched?: number;
  told?: EventDraft[];
  /** What its child has used. */
  used?: Used;
}

/** Kept for at least a day after the turn (S-46). */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** S-44. */
const MAX_KEY_CHARS = 255;

/** S-38, for an agent's call. The call id is the model's, so whatever tells calls apart from it stands before the slash. */
export function callKey(turnOrdinal: number, callId: string): string {
  return `${turnPrefix(turnOrdinal)}/${callId}`;
}

/** S-38: what the keys of one evaluation's calls begin with; the call's number follows. */
export function scriptPrefix(turnOrdinal: number, visit: number): string {
  return `${turnPrefix(turnOrdinal)}v${visit}/`;
}

/** S-38, for a script of the agent's. The hash stands in for a call id, which the model may have made of anything. */
export function evaluationPrefix(turnOrdinal: number, callId: string): string {
  return `${turnPrefix(turnOrdinal)}e${sha256Hex(callId).slice(0, 16)}/`;
}

/** Holds the attempts at the model call that stands open. */
export function modelCallKey(turnOrdinal: number): string {
  return `${turnPrefix(turnOrdinal)}m`;
}

function turnPrefix(turnOrdinal: number): string {
  return `J${turnOrdinal.toString(36).padStart(4, "0")}`;
}

/** S-38, S-44: the same for every attempt of one call. */
export function idempotencyKeyOf(sessionId: string, key: string): string {
  const text = `${sessionId}/${key.slice(1)}`;
  return text.length <= MAX_KEY_CHARS ? text : sha256Hex(text);
}

export function argsHash(args: Record<string, unknown>): string {
  return sha256Hex(canonicalJson(args)).slice(0, 16);
}

export function readEntry(writer: SessionWriter, key: string): JournalEntry | null {
  const text = writer.journal.get(key);
  return text === undefined ? null : (JSON.parse(text) as JournalEntry);
}

export async function writeEntry(writer: SessionWriter, key: string, entry: JournalEntry): Promise<void> {
  const beginsOnly = entry.answer === undefined;
  await writer.journalPut([{ key, value: JSON.stringify(entry) }], { beginsOnly });
}

/** The highest delegation number among the entries and the committed ones; 0 for none. */
export function highestDispatch(writer: SessionWriter): number {
  return Math.max(writer.state.fields.dispatchCount ?? 0, dispatchedUnder(writer, "J"));
}

/**
 * The lowest delegation number above `last` that no entry holds: a number that a crash kept from being journaled had no
 * child, and is given out again.
 */
export function nextDispatchAfter(writer: Pick<SessionWriter, "journal">, last: number): number {
  const taken = new Set([...writer.journal.values()].map((value) => (JSON.parse(value) as JournalEntry).dispatch));
  let next = last + 1;
  while (taken.has(next)) next += 1;
  return next;
}

export function hasEntries(writer: SessionWriter, prefix: string): boolean {
  return [...writer.journal.keys()].some((key) => key.startsWith(prefix));
}

/** The highest delegation number among the entries whose keys begin so; 0 for none. */
export function dispatchedUnder(writer: SessionWriter, prefix: string): number {
  const entries = [...writer.journal].filter(([key]) => key.startsWith(prefix));
  return Math.max(0, ...entries.map(([, value]) => (JSON.parse(value) as JournalEntry).dispatch ?? 0));
}

/** Delegation numbers of the present turn whose calls have no answer yet. */
export function openDispatches(writer: SessionWriter): number[] {
  const own = turnPrefix(writer.state.fields.turnOrdinal ?? 0);
  return [...writer.journal].flatMap(([key, value]) => {
    if (!key.startsWith(own)) return [];
    const { dispatch, answer } = JSON.parse(value) as JournalEntry;
    return dispatch === undefined || answer ? [] : dispatch;
  });
}

/** Entries of earlier turns that are old enough to go. */
export function expiredEntries(writer: SessionWriter, turnOrdinal: number, now: number): string[] {
  const own = turnPrefix(turnOrdinal);
  return [...writer.journal]
    .filter(([key, value]) => !key.startsWith(own) && (JSON.parse(value) as JournalEntry).at < now - KEPT_MS)
    .map(([key]) => key);
}
