import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import * as fromSession from "../session/messages.js";
import {
  contentToString,
  isAiMessage,
  isHumanMessage,
  isRuntimeNote,
  lastAgentText,
  lastTurn,
  messagesSince,
  messageTypeOf,
  opensTurn,
  RUNTIME_NOTE_KINDS,
  runtimeNoteKind,
} from "./index.js";

const mark = (note: string) =>
  ({ additional_kwargs: { archmax: { note } } }) as Pick<StoredMessage, "additional_kwargs">;
const noteCall = (n: number) => ({ id: `note-${n}`, name: "archmax_note", args: {} });

/** A whole session: opening, a tool round, a park, a person's reply, the decision and what came of it. */
const STORED: StoredMessage[] = [
  { id: "1", role: "user", content: "The trigger manual has fired.", ...mark("opening") },
  { id: "2", role: "user", content: "Please refund NL-204." },
  {
    id: "3",
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", name: "lookup_order", args: { order: "NL-204" } }],
  },
  { id: "4", role: "tool", content: "12.50 EUR", tool_call_id: "call_1", name: "lookup_order", status: "success" },
  { id: "5", role: "assistant", content: "It is with the desk lead." },
  { id: "6", role: "assistant", content: "", tool_calls: [noteCall(5)], ...mark("decision") },
  { id: "7", role: "tool", content: "Approved.", tool_call_id: "note-5", name: "archmax_note", ...mark("decision") },
  { id: "8", role: "assistant", content: "Your refund is on its way." },
];

const INSTANCES = STORED.map(({ role, tool_call_id = "", tool_calls, ...rest }) => {
  if (role === "user") return new HumanMessage(rest);
  if (role === "tool") return new ToolMessage({ ...rest, tool_call_id });
  return new AIMessage({ ...rest, tool_calls: tool_calls?.map((call) => ({ ...call, type: "tool_call" as const })) });
});

/** The same transcript in each shape. */
const SHAPES: [string, readonly object[]][] = [
  ["stored records", STORED],
  ["LangChain's instances", INSTANCES],
  ["LangChain's constructors as JSON", JSON.parse(JSON.stringify(INSTANCES))],
  ["LangChain's { type, data }", JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(INSTANCES)))],
];

describe.each(SHAPES)("reading %s", (_shape, messages) => {
  it("H-122 H-123 tells each message's type, author and kind of note", () => {
    expect(messages.map((message) => messageTypeOf(message))).toEqual(
      STORED.map(({ role }) => ({ user: "human", assistant: "ai", tool: "tool" })[role]),
    );
    expect(messages.map((message) => runtimeNoteKind(message))).toEqual([
      "opening",
      null,
      null,
      null,
      null,
      "decision",
      "decision",
      null,
    ]);
    expect(messages.filter(isRuntimeNote)).toEqual([messages[0], messages[5], messages[6]]);
    expect(messages.filter(isHumanMessage)).toEqual([messages[1]]);
    expect(messages.filter(isAiMessage)).toEqual([messages[2], messages[4], messages[7]]);
    expect(messages.filter(opensTurn)).toEqual([messages[0], messages[1], messages[5], messages[6]]);
  });

  it("H-122 reads texts, leaving out notes, tools' answers and messages that only call tools", () => {
    expect(messages.map(contentToString)).toEqual(STORED.map(({ content }) => content));
    expect(lastAgentText(messages)).toBe("Your refund is on its way.");
    expect(lastAgentText(messages.slice(0, 7))).toBe("It is with the desk lead.");
    expect(lastAgentText(messages.slice(0, 4))).toBe("");
  });

  it("H-122 cuts the last turn at the first of the last unbroken run of what opens one", () => {
    expect(lastTurn(messages)).toEqual(messages.slice(5));
    expect(lastTurn(messages.slice(0, 5))).toEqual(messages.slice(0, 5));
    expect(lastTurn(messages.slice(2, 5))).toEqual(messages.slice(2, 5));
    expect(lastTurn([])).toEqual([]);
  });
});

describe("H-122 one message", () => {
  it("takes a person who types a bracket for a person, in every role", () => {
    for (const message of [
      { role: "user", content: "[decision] ok" },
      new HumanMessage("[decision] ok"),
      { role: "tool", name: "archmax_note", tool_call_id: "note-1", content: "[event] ok" },
      { role: "user", content: "ok", additional_kwargs: { archmax: { note: "made-up" } } },
      { role: "user", content: "ok", additional_kwargs: { archmax: { refusal: "x" } } },
    ]) {
      expect(isRuntimeNote(message)).toBe(false);
    }
    expect(isHumanMessage({ role: "user", content: "[decision] ok" })).toBe(true);
  });

  it("R-266 knows every kind of note", () => {
    expect(RUNTIME_NOTE_KINDS.map((kind) => runtimeNoteKind({ role: "user", content: "", ...mark(kind) }))).toEqual([
      "decision",
      "event",
      "error",
      "grader",
      "code",
      "sub-workflow",
      "opening",
      "completion",
    ]);
  });

  it("knows LangChain's other classes, chat records' roles, and says null for what names none", () => {
    expect(messageTypeOf(new SystemMessage("x"))).toBe("system");
    expect(messageTypeOf(new AIMessageChunk("x"))).toBe("ai");
    expect(messageTypeOf(JSON.parse(JSON.stringify(new AIMessageChunk("x"))))).toBe("ai");
    expect(messageTypeOf(new ChatMessage({ role: "assistant", content: "x" }))).toBe("ai");
    expect(messageTypeOf({ role: "developer", content: "x" })).toBe("system");
    expect(messageTypeOf({ content: "x" })).toBeNull();
    expect(messageTypeOf({ role: "toString", content: "x" })).toBeNull();
  });

  it("joins blocks of text and leaves out pictures", () => {
    const content = [
      { type: "text", text: "Two " },
      { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      "parts",
    ];

    expect(contentToString(content)).toBe("Two parts");
    expect(contentToString({ role: "user", content })).toBe("Two parts");
    expect(contentToString({ role: "assistant", content: null })).toBe("");
    expect(contentToString(undefined)).toBe("");
  });

  it("counts a cursor below zero as zero, and finds nothing past the end", () => {
    expect(messagesSince(STORED, -3)).toEqual(STORED);
    expect(messagesSince(STORED, 6)).toEqual(STORED.slice(6));
    expect(messagesSince(STORED, 99)).toEqual([]);
  });

  it("H-4 is read in one place only", () => {
    expect(fromSession.isRuntimeNote).toBe(isRuntimeNote);
    expect(fromSession.runtimeNoteKind).toBe(runtimeNoteKind);
  });
});
