/** What assertions read, made by hand. */

import type { StoredMessage } from "../session/messages.js";
import { runtimeNote } from "../session/notes.js";
import type { TrailStep } from "../session/state.js";
import type { Evidence } from "./assertion-record.js";

export function evidenceOf(more: Partial<Evidence> = {}): Evidence {
  return {
    kind: "completed",
    state: "done",
    exit: { success: true },
    reply: "",
    auditTrail: [],
    variables: {},
    messages: [],
    ...more,
  };
}

export function step(kind: TrailStep["kind"], to: string, more: Partial<TrailStep> = {}): TrailStep {
  return { kind, to, ts: 0, ...more };
}

export function says(content: string): StoredMessage {
  return { id: `s-${content}`, role: "assistant", content };
}

/** One call and its answer; without one it is pending. */
export function called(
  name: string,
  args: Record<string, unknown> = {},
  answer: { text: string; status?: "error"; blocked?: true; tool?: string } | null = { text: "ok" },
): StoredMessage[] {
  const id = `c-${name}-${JSON.stringify(args)}`;
  const asked: StoredMessage = { id: `m-${id}`, role: "assistant", content: "", tool_calls: [{ id, name, args }] };
  if (answer === null) return [asked];
  return [
    asked,
    {
      id: `a-${id}`,
      role: "tool",
      content: answer.text,
      tool_call_id: id,
      name: answer.tool ?? name,
      ...(answer.status ? { status: answer.status } : {}),
      ...(answer.blocked ? { additional_kwargs: { governance_blocked: true } } : {}),
    },
  ];
}

export function note(text: string): StoredMessage[] {
  return runtimeNote(0, "event", text);
}
