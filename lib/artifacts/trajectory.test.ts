import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { runtimeNote } from "../session/notes.js";
import type { SessionPatch } from "../session/state.js";
import { trajectoryOf } from "./trajectory.js";

const said = (role: "user" | "assistant", content: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  id: `${role}-${content}`,
  role,
  content,
  ...more,
});
const asks = (id: string, name = "look"): StoredMessage =>
  said("assistant", "", { tool_calls: [{ id, name, args: {} }] });
const answer = (callId: string, text: string) => ({ callId, tool: "look", text, status: "success" as const });

const of = (...patches: SessionPatch[]) => trajectoryOf({ sessionId: "s", workflow: "w" }, patches);
const opening: SessionPatch = { set: { position: "a", visit: 1 }, messages: [said("user", "Go.")] };

describe("trajectoryOf", () => {
  it("R-304 tells a call that has no answer yet as one without a result", () => {
    const { segments } = of(opening, { messages: [asks("1")], batch: { calls: ["1"], answers: [] } });

    expect(segments[0]?.items.at(-1)).toEqual({ kind: "tool_call", name: "look", args: {}, result: null });
  });

  it("R-304 gives answers to their calls, in whatever order they came, and to the state that made the calls", () => {
    const both: StoredMessage = said("assistant", "Both.", {
      tool_calls: ["1", "2"].map((id) => ({ id, name: `look${id}`, args: {} })),
    });
    const { segments } = of(
      opening,
      { messages: [both], batch: { calls: ["1", "2"], answers: [], effect: { set: { position: "b", visit: 2 } } } },
      { answers: [answer("2", "two")] },
      { answers: [answer("1", "one")] },
    );

    expect(segments.map(({ state, items }) => [state, items.length])).toEqual([
      ["a", 4],
      ["b", 0],
    ]);
    expect(segments[0]?.items.slice(2)).toMatchObject([
      { name: "look1", result: "one" },
      { name: "look2", result: "two" },
    ]);
  });

  it("R-304 R-269 H-110 tells each visit apart, of one state too, and what the runtime says at a move where it leads", () => {
    const { segments, finalAnswer, prompt } = of(
      opening,
      { messages: [said("assistant", "First.")] },
      { set: { position: "a", visit: 2 }, messages: runtimeNote(2, "code", "Once more.") },
      { messages: [said("assistant", "Second."), said("user", "Thanks.")] },
    );

    expect(segments).toEqual([
      {
        state: "a",
        exitedState: "a",
        items: [
          { kind: "message", role: "user", content: "Go." },
          { kind: "message", role: "assistant", content: "First." },
        ],
      },
      {
        state: "a",
        enteredState: "a",
        items: [
          { kind: "message", role: "runtime", content: "[code] Once more." },
          { kind: "message", role: "assistant", content: "Second." },
          { kind: "message", role: "user", content: "Thanks." },
        ],
      },
    ]);
    expect([prompt, finalAnswer]).toEqual(["Go.", "Second."]);
  });

  it("R-304 is empty for a session in which nothing has been said", () => {
    expect(of({ set: { status: "rejected" } })).toEqual({
      sessionId: "s",
      workflow: "w",
      finalAnswer: "",
      segments: [],
    });
  });
});
