/** `archmax_get_history`: the session whole, oldest first, as plain roles and text (R-143…R-145). */
import { runtimeNoteKind, type StoredMessage } from "../../session/messages.js";
import type { SessionState } from "../../session/state.js";

export function historyText(state: SessionState): string {
  const messages = state.messages.map(shown).filter((message) => message !== null);
  return JSON.stringify({ messages, trail: state.trail });
}

function shown(message: StoredMessage): Record<string, unknown> | null {
  const note = runtimeNoteKind(message);
  if (note !== null) {
    if (message.role === "assistant") return null;
    return { role: "runtime", note, text: message.content };
  }
  if (message.role === "user") return { role: "user", text: message.content };
  if (message.role === "assistant") {
    const toolCalls = message.tool_calls?.map(({ id, name, args }) => ({ id, name, args }));
    return { role: "assistant", text: message.content, ...(toolCalls ? { toolCalls } : {}) };
  }
  return { role: "tool", tool: message.name, id: message.tool_call_id, text: message.content };
}
