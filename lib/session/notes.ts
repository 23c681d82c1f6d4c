/** Runtime notes: what the runtime itself says into the transcript (R-265…R-270). */
import { NOTE_CALL_PREFIX, type RuntimeNoteKind, type StoredMessage } from "./messages.js";

export const NOTE_TOOL = "archmax_note";

/**
 * A note as a marked assistant call and its marked answer; `index` is the length of the transcript it is appended to.
 *
 * @param label - what stands in the brackets (R-266); the kind unless given
 */
export function runtimeNote(
  index: number,
  kind: Exclude<RuntimeNoteKind, "opening">,
  text: string,
  label: string = kind,
): StoredMessage[] {
  const callId = `${NOTE_CALL_PREFIX}${index}`;
  const marks = { archmax: { note: kind } };
  return [
    {
      id: `m${index}`,
      role: "assistant",
      content: "",
      tool_calls: [{ id: callId, name: NOTE_TOOL, args: { kind } }],
      additional_kwargs: marks,
    },
    {
      id: `m${index + 1}`,
      role: "tool",
      content: `[${label}] ${text}`,
      tool_call_id: callId,
      name: NOTE_TOOL,
      additional_kwargs: marks,
    },
  ];
}

/** R-267: one marked human-role message. */
export function openingNote(index: number, text: string): StoredMessage {
  return {
    id: `m${index}`,
    role: "user",
    content: `[opening] ${text}`,
    additional_kwargs: { archmax: { note: "opening" } },
  };
}

/** R-43: stands in place of a message; names the trigger and the scalar variables. */
export function openingNoteText(trigger: string, variables: Record<string, unknown>): string {
  const scalars = Object.keys(variables)
    .filter((name) => name !== "trigger" && isScalar(variables[name]))
    .sort()
    .map((name) => `${name} = ${clip(JSON.stringify(variables[name]), 200)}`);
  const others = Object.keys(variables)
    .filter((name) => name !== "trigger" && !isScalar(variables[name]))
    .sort();
  const parts = [`The trigger ${trigger} has fired.`];
  if (scalars.length > 0) parts.push(clip(`Variables: ${scalars.join(", ")}.`, 1_000));
  if (others.length > 0) parts.push(`Also set, readable with archmax_get_variables: ${others.join(", ")}.`);
  return parts.join(" ");
}

const DELIVERED_VALUE_CHARS = 2_000;

/** R-122, R-124. */
export function eventNoteText(trigger: string, variables: Record<string, unknown>): string {
  const values = Object.keys(variables)
    .sort()
    .map((name) => `${name} = ${clipValue(JSON.stringify(variables[name]))}`);
  return values.length > 0
    ? `The event ${trigger} has arrived with ${values.join("; ")}.`
    : `The event ${trigger} has arrived.`;
}

/** R-113, R-114. */
export function decisionNoteText(decision: {
  state: string;
  to: string;
  type?: string;
  description?: string;
  comment?: string;
}): string {
  const { state, to, type, description, comment } = decision;
  const kind = type && type !== "none" ? ` (${type})` : "";
  const parts = [`A person decided in ${state}: ${to}${kind}${description ? `, "${oneLine(description)}"` : ""}.`];
  if (comment) parts.push(type === "refine" ? `Correct this: ${comment}` : `Their comment: ${comment}`);
  parts.push(`The session is now in ${to}.`);
  return parts.join(" ");
}

/** R-138. */
export function automatedNoteText(state: string, to: string, reason: string): string {
  return `${state} advanced to ${to}: ${reason} The session is now in ${to}.`;
}

/** A-19. */
export function completionNoteText(reason: string): string {
  return `Completion check failed: ${reason}\nThe work is not done yet. Correct this, then finish again.`;
}

/** R-168. */
export function errorNoteText(to: string, reason: string): string {
  return `${reason} The session is now in ${to}.`;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

function clipValue(text: string): string {
  if (text.length <= DELIVERED_VALUE_CHARS) return text;
  const lost = text.length - DELIVERED_VALUE_CHARS;
  return `${text.slice(0, DELIVERED_VALUE_CHARS)}… (${lost} more characters; read it whole with archmax_get_variables)`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
