/** Where the messages that a compacted request still carries begin. */
import { isRuntimeNote, type StoredMessage } from "../session/messages.js";

/**
 * Index of the first message of the tail: of those that fit, the largest; else the shortest there is. The length of the
 * transcript, for an empty tail, where no message may begin one; 0 where only the first may, so that nothing is left out.
 */
export function tailStart(
  messages: readonly StoredMessage[],
  { keepTail, count }: { keepTail: number; count(messages: readonly StoredMessage[]): number },
): number {
  const starts = boundaries(messages);
  return starts.find((start) => count(messages.slice(start)) <= keepTail) ?? starts.at(-1) ?? messages.length;
}

/** A person's message or a note's call, behind which no answer stands to a call before it. */
export function boundaries(messages: readonly StoredMessage[]): number[] {
  const lastAnswer = new Map<string, number>();
  for (const [index, { role, tool_call_id }] of messages.entries()) {
    if (role === "tool" && tool_call_id !== undefined) lastAnswer.set(tool_call_id, index);
  }
  const starts: number[] = [];
  let openUntil = -1;
  for (const [index, message] of messages.entries()) {
    const begins = message.role === "user" || (message.role === "assistant" && isRuntimeNote(message));
    if (begins && index > openUntil) starts.push(index);
    for (const { id } of message.tool_calls ?? []) openUntil = Math.max(openUntil, lastAnswer.get(id) ?? -1);
  }
  return starts;
}
