/** One view of the shapes a message comes in: LangChain's instances and serialized forms, chat records, our own. */

/** A message's type in LangChain's names; `user` and `assistant` of chat records are `human` and `ai`. */
export type MessageType = "human" | "ai" | "system" | "tool" | "function" | "remove";

/** A message in any form a transcript may hold, LangChain's or plain. Read by its fields; no class is asked for. */
export type MessageLike = object;

type Fields = Record<string, unknown>;

const TYPES: Readonly<Record<string, MessageType>> = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  model: "ai",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "function",
  remove: "remove",
};

const CLASS_NAME = /^(Human|AI|System|Tool|Function|Remove)Message(?:Chunk)?$/;

/** The fields of a message, whichever shape carries them: `kwargs` or `data` of a serialized one. */
export function fieldsOf(message: unknown): Fields {
  const given = record(message);
  if (given.lc !== undefined && isRecord(given.kwargs)) return given.kwargs;
  if (typeof given.type === "string" && isRecord(given.data) && given.content === undefined) return given.data;
  return given;
}

/**
 * What kind of message it is, as its own shape says: a runtime note has one too. Null for what names none.
 *
 * @example
 * messageTypeOf({ role: "assistant", content: "Done." }); // "ai"
 */
export function messageTypeOf(message: MessageLike): MessageType | null {
  const given = record(message);
  const fields = fieldsOf(message);
  const names = [
    given.lc !== undefined && Array.isArray(given.id) ? className(given.id.at(-1)) : undefined,
    typeof given.getType === "function" ? given.getType() : undefined,
    typeof given._getType === "function" ? given._getType() : undefined,
    given.type,
    fields.type,
    fields.role,
  ];
  for (const name of names) {
    const type = typeof name === "string" && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (type) return type;
  }
  return null;
}

function className(name: unknown): string | undefined {
  return typeof name === "string" ? CLASS_NAME.exec(name)?.[1]?.toLowerCase() : undefined;
}

export function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
