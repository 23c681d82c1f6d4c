import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { runtimeNote } from "../session/notes.js";
import { boundaries, tailStart } from "./compaction-tail.js";

const user = (content = "u"): StoredMessage => ({ id: "u", role: "user", content });
const says = (content = "a"): StoredMessage => ({ id: "a", role: "assistant", content });
const calling = (...ids: string[]): StoredMessage => ({
  id: "c",
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, name: "t", args: {} })),
});
const answer = (id: string): StoredMessage => ({ id: `r-${id}`, role: "tool", content: "r", tool_call_id: id });
const note = (index: number) => runtimeNote(index, "event", "It came.");

describe("where a tail may begin", () => {
  it("A-72 is at a person's message or a note's call, and at no result, answer or note's text", () => {
    const messages = [user(), calling("1"), answer("1"), ...note(3), says(), user()];

    expect(boundaries(messages)).toEqual([0, 3, 6]);
  });

  it("A-72 is not between a call and its result, parallel calls included", () => {
    const messages = [user(), calling("1", "2"), answer("2"), user("hurry"), answer("1"), user("next")];

    expect(boundaries(messages)).toEqual([0, 5]);
  });
});

/** One message, or two of a note, counts as many tokens as it has letters in its content; others count one. */
const count = (messages: readonly StoredMessage[]) => messages.reduce((sum, { content }) => sum + content.length, 0);

describe("the tail", () => {
  it("A-72 is the largest that fits", () => {
    const messages = [user("uuuu"), says("aaaa"), user("uuuu"), says("aaaa"), user("uuuu"), says("aaaa")];

    expect(tailStart(messages, { keepTail: 16, count })).toBe(2);
    expect(tailStart(messages, { keepTail: 15, count })).toBe(4);
  });

  it("A-72 is the shortest there is where none fits, and empty where none may begin", () => {
    expect(tailStart([user("uuuu"), says(), user("uuuu"), says()], { keepTail: 1, count })).toBe(2);
    expect(tailStart([user("uuuu"), calling("1"), answer("1")], { keepTail: 1, count })).toBe(0);
    expect(tailStart([calling("1"), answer("1"), says()], { keepTail: 100, count })).toBe(3);
    expect(tailStart([], { keepTail: 1, count })).toBe(0);
  });

  /** Any transcript: people, notes, answers, calls of which some are answered at once, late, or never. */
  const transcript = fc
    .array(
      fc.oneof(
        fc.record({ kind: fc.constant("user" as const), size: fc.nat(9) }),
        fc.record({ kind: fc.constant("says" as const), size: fc.nat(9) }),
        fc.record({ kind: fc.constant("note" as const) }),
        fc.record({
          kind: fc.constant("calls" as const),
          answered: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
        }),
      ),
      { maxLength: 25 },
    )
    .map((parts) => {
      const messages: StoredMessage[] = [];
      const owed: { id: string; after: number }[] = [];
      for (const [at, part] of parts.entries()) {
        if (part.kind === "user") messages.push(user("u".repeat(part.size)));
        if (part.kind === "says") messages.push(says("a".repeat(part.size)));
        if (part.kind === "note") messages.push(...note(messages.length));
        if (part.kind === "calls") {
          const ids = part.answered.map((_, n) => `${at}-${n}`);
          messages.push(calling(...ids));
          owed.push(...ids.map((id, n) => ({ id, after: at + part.answered[n]! })));
        }
        for (const { id } of owed.filter(({ after }) => after === at)) messages.push(answer(id));
      }
      return messages;
    });

  it("A-72 never begins at a result, never parts calls from results or a note's pair, and is the best there is", () => {
    fc.assert(
      fc.property(transcript, fc.nat(60), (messages, keepTail) => {
        const start = tailStart(messages, { keepTail, count });
        const [older, tail] = [messages.slice(0, start), messages.slice(start)];
        const first = tail[0];

        if (first) expect(first.role === "user" || first.tool_calls?.[0]?.name === "archmax_note").toBe(true);
        const called = new Set(older.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
        expect(tail.filter(({ tool_call_id }) => tool_call_id !== undefined && called.has(tool_call_id))).toEqual([]);
        const starts = boundaries(messages);
        const fitting = starts.filter((at) => count(messages.slice(at)) <= keepTail);
        expect(start).toBe(fitting.length > 0 ? Math.min(...fitting) : (starts.at(-1) ?? messages.length));
      }),
    );
  });
});
