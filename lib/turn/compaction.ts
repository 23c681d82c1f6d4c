/**
 * Requests that fit a model although the transcript has grown past it (A-71…A-74). Only what is sent is shortened: the
 * transcript stays whole, and with it history, cases and artifacts. It is the agent's requests that carry the
 * transcript; a grader's loop sees nothing of it and is bounded by its budget.
 */
import type { Compaction } from "../extensions/types.js";
import type { MountInfo } from "../kernel/types.js";
import type { ModelRequest } from "../models/types.js";
import type { StoredMessage } from "../session/messages.js";
import type { SessionFields, SessionState } from "../session/state.js";
import { tailStart } from "./compaction-tail.js";
import type { Turn } from "./types.js";
import { unlessStopped } from "./unless-stopped.js";

export interface CompactedRequest extends Pick<ModelRequest, "messages" | "preface"> {
  /** What the step has to keep: the new summary, if one was made. */
  set?: { compaction: SessionFields["compaction"] };
}

/**
 * The messages of the next request: the whole transcript where it is small enough, else a summary and the tail. A summary is
 * used until its request has grown too large itself.
 *
 * @throws the turn's signal's reason when it aborts while the summary is made
 */
export async function compactedRequest(turn: Turn, state: SessionState): Promise<CompactedRequest> {
  const { messages } = state;
  const { compaction } = turn.assembly.extensions;
  if (!compaction) return { messages };
  const { maxTokens, keepTail = maxTokens / 2, countTokens: count = estimate } = compaction;
  if (count(messages) <= maxTokens) return { messages };
  const known = state.fields.compaction;
  if (known && count([asMessage(known.summary), ...messages.slice(known.upTo)]) <= maxTokens) {
    return withSummary(messages, known);
  }
  const upTo = tailStart(messages, { keepTail, count });
  if (upTo === 0) return { messages };
  // Nothing that the summary does not hold could be left out.
  if (known?.upTo === upTo) return withSummary(messages, known);
  const summary = await summaryOf(turn, compaction, messages.slice(0, upTo));
  if (summary === null) return { messages };
  const made = { upTo, summary };
  const reminder = compaction.flushToMemory === undefined ? [] : [reminderText(compaction.flushToMemory)];
  return { ...withSummary(messages, made, reminder), set: { compaction: made } };
}

/** the mount that the model is to note things in is there, and can be written. @throws {TypeError} */
export function checkMemoryMount(compaction: Compaction | undefined, mounts: readonly MountInfo[]): void {
  const memory = compaction?.flushToMemory;
  if (memory === undefined) return;
  const writable = mounts.filter(({ kind, readOnly }) => kind === "directory" && !readOnly).map(({ name }) => name);
  if (writable.includes(mountName(memory))) return;
  throw new TypeError(
    `\`compaction.flushToMemory\` names "${memory}", which is no writable mount; there are: ${writable.join(", ") || "none"}.`,
  );
}

function mountName(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

/** A quarter of the characters: of texts, and of calls with their arguments. */
function estimate(messages: readonly StoredMessage[]): number {
  const characters = messages.reduce((sum, { content, tool_calls = [] }) => {
    const calls = tool_calls.map(({ name, args }) => name.length + JSON.stringify(args).length);
    return sum + content.length + calls.reduce((all, one) => all + one, 0);
  }, 0);
  return Math.ceil(characters / 4);
}

function withSummary(
  messages: readonly StoredMessage[],
  { upTo, summary }: NonNullable<SessionFields["compaction"]>,
  more: readonly string[] = [],
): CompactedRequest {
  return { messages: messages.slice(upTo), preface: [summary, ...more] };
}

/** A summary as something to be counted. */
function asMessage(content: string): StoredMessage {
  return { id: "summary", role: "user", content };
}

/** Null, with a warning, where none could be made. */
async function summaryOf(
  turn: Turn,
  { summarize }: Compaction,
  older: readonly StoredMessage[],
): Promise<string | null> {
  try {
    const summary: unknown = await unlessStopped(turn, async () => summarize(older));
    if (typeof summary === "string" && summary.trim() !== "") return summary;
    throw new TypeError("it made no text");
  } catch (error) {
    turn.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    turn.emit({
      type: "warning",
      scope: "compaction",
      message: `compaction.summarize failed, and the request is sent whole: ${why}`,
    });
    return null;
  }
}

function reminderText(mount: string): string {
  return (
    `Earlier messages are no longer shown to you word for word. Note facts that must last in /${mountName(mount)}/ now, ` +
    "with the tools you have for files."
  );
}
