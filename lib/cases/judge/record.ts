/** What a judge is shown of a session: its record, bounded, and the reply that is graded (C-40). Pure. */
import { isRuntimeNote, runtimeNoteKind, type StoredMessage, type ToolCall } from "../../session/messages.js";
import type { Evidence } from "../assertion-record.js";

/** Of a single value: a text, a call's input, a call's output. */
export const MAX_VALUE_CHARS = 800;
/** Of the whole record. */
export const MAX_RECORD_CHARS = 12_000;

/** The two parts of the question. `record` is empty where nothing but the reply happened. */
export function judgedParts({ messages, reply }: Pick<Evidence, "messages" | "reply">): {
  record: string;
  reply: string;
} {
  const entries = entriesOf(messages);
  const last = messages.at(-1);
  // The reply stands below the record, whole; what closes the record with it would be shown twice.
  const closes = last !== undefined && isSpoken(last) && !last.tool_calls && reply.endsWith(last.content);
  return { record: bounded(closes ? entries.slice(0, -1) : entries), reply };
}

/** What was said, noted and called, one entry each, in order. What a user wrote is no part of the record. */
function entriesOf(messages: readonly StoredMessage[]): string[] {
  const answers = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  return messages.flatMap((message) => {
    if (isRuntimeNote(message)) return message.role === "assistant" ? [] : [noteEntry(message)];
    if (message.role !== "assistant") return [];
    const said = isSpoken(message) ? [entry("assistant", cut(message.content))] : [];
    return [...said, ...(message.tool_calls ?? []).map((call) => callEntry(call, answers.get(call.id)))];
  });
}

function isSpoken(message: StoredMessage): boolean {
  return message.role === "assistant" && !isRuntimeNote(message) && message.content.trim() !== "";
}

function noteEntry(message: StoredMessage): string {
  return entry(`runtime note (${runtimeNoteKind(message)})`, cut(message.content));
}

function callEntry(call: ToolCall, answer: StoredMessage | undefined): string {
  const output = answer === undefined ? "" : `\noutput: ${cut(answer.content)}`;
  return entry(`tool call ${call.name} (${statusOf(answer)})`, `input: ${cut(JSON.stringify(call.args))}${output}`);
}

function statusOf(answer: StoredMessage | undefined): "completed" | "failed" | "rejected" | "pending" {
  if (answer === undefined) return "pending";
  if (answer.additional_kwargs?.governance_blocked) return "rejected";
  return answer.status === "error" ? "failed" : "completed";
}

/** Indented, so that no text of a session can pass for an entry of its own. */
function entry(label: string, text: string): string {
  return `- ${label}\n${text.replace(/^/gm, "    ")}`;
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_VALUE_CHARS) return text;
  return `${characters.slice(0, MAX_VALUE_CHARS).join("")}…(+${characters.length - MAX_VALUE_CHARS} chars)`;
}

/** The newest entries that fit, behind a line that counts those that do not. */
function bounded(entries: readonly string[]): string {
  const whole = entries.join("\n");
  if (whole.length <= MAX_RECORD_CHARS) return whole;
  let dropped = entries.length;
  let length = leftOut(entries.length).length;
  while (dropped > 0 && length + 1 + entries[dropped - 1]!.length <= MAX_RECORD_CHARS) {
    dropped -= 1;
    length += 1 + entries[dropped]!.length;
  }
  return [leftOut(dropped), ...entries.slice(dropped)].join("\n");
}

function leftOut(count: number): string {
  return `(${count} earlier entries left out)`;
}
