/** Who wrote a message: the runtime marks its own, and nothing else tells them from a person's or a model's. */
import { fieldsOf, type MessageLike, record } from "./shapes.js";

/** What the runtime's own messages in a transcript tell of (H-122). */
export const RUNTIME_NOTE_KINDS = [
  "decision",
  "event",
  "error",
  "grader",
  "code",
  "sub-workflow",
  "opening",
  "completion",
] as const;

/** One of `RUNTIME_NOTE_KINDS`, as `runtimeNoteKind` answers (H-122). */
export type RuntimeNoteKind = (typeof RUNTIME_NOTE_KINDS)[number];

/** The kind of runtime note a message belongs to, call and result alike; null for everybody else's (H-122, H-123). */
export function runtimeNoteKind(message: MessageLike): RuntimeNoteKind | null {
  const { note } = record(record(fieldsOf(message).additional_kwargs).archmax);
  return (RUNTIME_NOTE_KINDS as readonly unknown[]).includes(note) ? (note as RuntimeNoteKind) : null;
}

/** Whether the runtime itself wrote a message, call and result of a note alike (H-123). */
export function isRuntimeNote(message: MessageLike): boolean {
  return runtimeNoteKind(message) !== null;
}
