/** Reading a transcript (H-122): its texts, whose they are, where its turns begin. */
import { isRuntimeNote } from "./notes.js";
import { fieldsOf, type MessageLike, messageTypeOf, record } from "./shapes.js";

/**
 * The text of a message, or of its content: blocks of text one after the other, everything else left out.
 *
 * @param value - a message of any shape, or what its `content` holds
 */
export function contentToString(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(blockText).join("");
  const { content } = fieldsOf(value);
  return typeof content === "string" || Array.isArray(content) ? contentToString(content) : "";
}

function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  const { type, text } = record(block);
  return type === "text" && typeof text === "string" ? text : "";
}

/** Whether a message is a model's. The call of a runtime note is none (H-123). */
export function isAiMessage(message: MessageLike): boolean {
  return messageTypeOf(message) === "ai" && !isRuntimeNote(message);
}

/** Whether a message is a person's. An opening note is none (H-123). */
export function isHumanMessage(message: MessageLike): boolean {
  return messageTypeOf(message) === "human" && !isRuntimeNote(message);
}

/** Whether a message begins a turn: a person's, or a runtime note. */
export function opensTurn(message: MessageLike): boolean {
  return isHumanMessage(message) || isRuntimeNote(message);
}

/** The last text that a model said; messages that only call tools say none. Empty when nothing was said. */
export function lastAgentText(messages: readonly MessageLike[]): string {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    const text = isAiMessage(message) ? contentToString(message) : "";
    if (text.trim() !== "") return text;
  }
  return "";
}

/**
 * The messages from a cursor on: what `sessions.messageCount` said before a turn gives what the turn added.
 *
 * @param cursor - a count of messages; negative ones are 0, one past the end gives none
 */
export function messagesSince<Message>(messages: readonly Message[], cursor: number): Message[] {
  return messages.slice(Math.max(0, cursor));
}

/**
 * The messages of the last turn: from the first of the last unbroken run of messages that open one; all of them where
 * none does.
 */
export function lastTurn<Message extends MessageLike>(messages: readonly Message[]): Message[] {
  let start = messages.findLastIndex(opensTurn);
  while (start > 0 && opensTurn(messages[start - 1]!)) start--;
  return messages.slice(Math.max(0, start));
}
