/**
 * The transcript as it is stored: plain records in the field's own shape (LangChain's names), so that no class instance
 * ever reaches a checkpoint. The model layer turns them into provider messages at each call.
 */

import type { RuntimeNoteKind } from "../messages/index.js";

export { isRuntimeNote, RUNTIME_NOTE_KINDS, type RuntimeNoteKind, runtimeNoteKind } from "../messages/index.js";

export interface ToolCall {
  id: string;
  name: string;
  /** Always a JSON object (F-65), as the model wrote it: references unresolved. */
  args: Record<string, unknown>;
}

export interface MessageMarks {
  /** Set on every message of a runtime note. */
  note?: RuntimeNoteKind;
  /** The stable code of a refusal or failure (runtime.md, appendix A). */
  refusal?: string;
  /** Path of the picture that the answer stands for: requests show it, the transcript does not hold it. */
  picture?: string;
}

/** A message of a session's transcript as plain data, the same for every provider. */
export interface StoredMessage {
  /** Unique in its session, given before the message is first stored; never made from a clock. */
  id: string;
  role: "user" | "assistant" | "tool";
  content: string;
  tool_calls?: ToolCall[];
  /** On `tool` messages: the call answered, the tool's name, how it went. */
  tool_call_id?: string;
  name?: string;
  status?: "success" | "error";
  additional_kwargs?: { archmax?: MessageMarks; governance_blocked?: true };
}

/** How the call ids of runtime notes begin; a model's own call never has such an id (F-66). */
export const NOTE_CALL_PREFIX = "note-";
