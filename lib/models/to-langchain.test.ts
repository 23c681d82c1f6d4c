import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { toFunctionTools, toLangChainMessages } from "./to-langchain.js";
import type { ModelRequest } from "./types.js";

const request = (messages: StoredMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: { static: "S", volatile: "V" },
  messages,
  tools: [],
  messageId: "m9",
  ...more,
});

const call = (id: string, name = "t") => ({ id, name, args: { n: 1 } });
const answer = (id: string): StoredMessage => ({
  id: `r-${id}`,
  role: "tool",
  content: id,
  tool_call_id: id,
  name: "t",
});

describe("messages", () => {
  it("F-59 sends each answer right behind its message, in call order", async () => {
    const sent = await toLangChainMessages(
      request([
        { id: "1", role: "assistant", content: "", tool_calls: [call("a"), call("b")] },
        answer("b"),
        { id: "2", role: "user", content: "hurry" },
        answer("a"),
      ]),
      "none",
    );

    expect(sent.map((message) => [message.getType(), message.content])).toEqual([
      ["system", "S\n\nV"],
      ["ai", ""],
      ["tool", "a"],
      ["tool", "b"],
      ["human", "hurry"],
    ]);
  });

  it("F-61 does not send an assistant message with neither text nor calls", async () => {
    const sent = await toLangChainMessages(
      request([{ id: "1", role: "assistant", content: "", tool_calls: [] }]),
      "none",
    );

    expect(sent.map((message) => message.getType())).toEqual(["system"]);
  });

  it("R-265 R-267 sends a note as a call with its answer, and an opening note as a person's message", async () => {
    const note = { archmax: { note: "event" as const } };
    const sent = await toLangChainMessages(
      request([
        { id: "1", role: "user", content: "[opening] by timer", additional_kwargs: { archmax: { note: "opening" } } },
        { id: "2", role: "assistant", content: "", tool_calls: [call("n", "archmax_note")], additional_kwargs: note },
        { ...answer("n"), name: "archmax_note", additional_kwargs: note },
      ]),
      "none",
    );

    expect(sent.map((message) => message.getType())).toEqual(["system", "human", "ai", "tool"]);
    expect(sent[2]).toMatchObject({ tool_calls: [{ id: "n", name: "archmax_note", args: { n: 1 } }] });
    expect(sent[3]).toMatchObject({ tool_call_id: "n", name: "archmax_note" });
  });

  it("A-71 sends a preface as system messages of their own, and within the prompt where a provider takes one only", async () => {
    const asked = request([{ id: "1", role: "user", content: "u" }], {
      preface: ["Summary.", "Reminder."],
      promptCache: { enabled: true, ttl: "5m" },
    });
    const told = (messages: Awaited<ReturnType<typeof toLangChainMessages>>) =>
      messages.map((message) => [message.getType(), message.content]);

    expect(told(await toLangChainMessages(asked, "none"))).toEqual([
      ["system", "S\n\nV"],
      ["system", "Summary."],
      ["system", "Reminder."],
      ["human", "u"],
    ]);
    expect(told(await toLangChainMessages(asked, "anthropic"))).toEqual([
      [
        "system",
        [
          { type: "text", text: "S", cache_control: { type: "ephemeral" } },
          { type: "text", text: "V" },
          { type: "text", text: "Summary." },
          { type: "text", text: "Reminder." },
        ],
      ],
      ["human", "u"],
    ]);
  });

  it("invents no answer for an interrupted call", async () => {
    const sent = await toLangChainMessages(
      request([{ id: "1", role: "assistant", content: "x", tool_calls: [call("a")] }]),
      "none",
    );

    expect(sent.map((message) => message.getType())).toEqual(["system", "ai"]);
  });
});

describe("the system message", () => {
  const promptCache = { enabled: true, ttl: "1h" } as const;

  it("R-271 R-282 W-277 marks the end of the static block where the provider has marks", async () => {
    const [system] = await toLangChainMessages(request([], { promptCache }), "anthropic");

    expect(system?.content).toEqual([
      { type: "text", text: "S", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "V" },
    ]);
  });

  it.each([
    ["bedrock" as const, { type: "default", ttl: "1h" }],
    ["bedrock-5m" as const, { type: "default" }],
  ])("R-271 R-282 W-277 marks the place behind the static block for %s", async (strategy, cachePoint) => {
    const [system] = await toLangChainMessages(request([], { promptCache }), strategy);

    expect(system?.content).toEqual([
      { type: "text", text: "S" },
      { type: "cache_point", cachePoint },
      { type: "text", text: "V" },
    ]);
  });

  it("R-282 sends plain text without a strategy, and with caching off", async () => {
    const [plain] = await toLangChainMessages(request([], { promptCache }), "none");
    const [off] = await toLangChainMessages(
      request([], { promptCache: { ...promptCache, enabled: false } }),
      "anthropic",
    );

    expect(plain?.content).toBe("S\n\nV");
    expect(off?.content).toBe("S\n\nV");
  });

  it("R-271 leaves an empty block out", async () => {
    expect(await toLangChainMessages(request([], { system: { static: "", volatile: "" } }), "none")).toEqual([]);
    const [onlyVolatile] = await toLangChainMessages(
      request([], { system: { static: "", volatile: "V" }, promptCache }),
      "anthropic",
    );
    expect(onlyVolatile?.content).toBe("V");
  });
});

describe("tools", () => {
  it("F-58 offers the tools of the history when the request offers none", () => {
    const history: StoredMessage[] = [{ id: "1", role: "assistant", content: "", tool_calls: [call("a"), call("b")] }];

    expect(toFunctionTools(request(history)).map((tool) => tool.function.name)).toEqual(["t"]);
    expect(toFunctionTools(request([]))).toEqual([]);
  });

  it("describes tools as functions with a JSON schema", () => {
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];

    expect(toFunctionTools(request([], { tools }))).toEqual([{ type: "function", function: tools[0] }]);
  });
});
