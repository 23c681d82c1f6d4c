import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { decisionNoteText, eventNoteText, runtimeNote } from "../session/notes.js";
import type { Principal } from "./credentials.js";
import { messagesView } from "./turn-view.js";

const MESSAGES: StoredMessage[] = [
  { id: "m0", role: "user", content: "A car." },
  ...runtimeNote(1, "event", eventNoteText("arrived", { plate: "AB 12" })),
  ...runtimeNote(3, "decision", decisionNoteText({ state: "gate", to: "open", comment: "Fine." })),
  { id: "m5", role: "assistant", content: "I look.", tool_calls: [{ id: "c", name: "find", args: { who: "Ada" } }] },
  { id: "m6", role: "tool", content: "Ada Lovelace", tool_call_id: "c", name: "find", status: "success" },
];

function shownTo(...scopes: string[]): StoredMessage[] {
  const principal: Principal = { id: "key:1", scopes: new Set(scopes), names: [], emails: [] };
  return messagesView(MESSAGES, principal);
}

describe("messages of a turn", () => {
  it("N-11, N-37 tell whoever may read neither variables nor tools that there were events and calls", () => {
    const shown = shownTo("sessions:read");

    expect(JSON.stringify(shown)).not.toMatch(/AB 12|Ada/);
    expect(shown.map(({ id, role, name }) => [id, role, name])).toEqual(
      MESSAGES.map(({ id, role, name }) => [id, role, name]),
    );
    expect(JSON.stringify(shown)).toMatch(/A car\..*Fine\..*I look\..*"find"/);
  });

  it("N-11, N-37 show what events brought with variables, what tools were given and gave with tools", () => {
    expect(JSON.stringify(shownTo("sessions:read:variables"))).toContain("AB 12");
    expect(JSON.stringify(shownTo("sessions:read:variables"))).not.toContain("Ada");
    expect(JSON.stringify(shownTo("sessions:read:tools"))).not.toContain("AB 12");
    expect(shownTo("sessions:read:tools", "sessions:read:variables")).toEqual(MESSAGES);
  });
});
