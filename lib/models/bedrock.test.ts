import { describe, expect, it } from "vitest";
import { CLAUDE, connectBedrock } from "./bedrock.fixture.js";
import { lookUp, request } from "./endpoint.fixture.js";

const usage = {
  inputTokens: 100,
  outputTokens: 20,
  totalTokens: 120,
  cacheReadInputTokens: 60,
  cacheWriteInputTokens: 10,
};

describe.each([
  ["streamed", true],
  ["whole", false],
])("Bedrock's answers, %s", (_, streaming) => {
  it("H-16 H-125 sends prompt, transcript and tools, and reads text and calls", async () => {
    const answer = {
      text: "Let me see what there is.",
      toolCalls: [{ id: "tooluse_1", name: "look_up", args: { id: "ü-7", deep: { a: [1] } } }],
    };
    const { model, server } = await connectBedrock([answer], { streaming, temperature: 0.5, maxTokens: 300 });
    const deltas: string[] = [];

    const reply = await model.call(request({ onText: (text) => deltas.push(text) }));

    expect(reply).toEqual({
      text: "Let me see what there is.",
      calls: [{ id: "tooluse_1", name: "look_up", args: { id: "ü-7", deep: { a: [1] } } }],
      invalid: [],
      model: CLAUDE,
    });
    expect(deltas.join("")).toBe(reply.text);
    expect(deltas.length > 1).toBe(streaming);
    const [sent] = server.requests;
    expect(sent?.path).toBe(`/model/${encodeURIComponent(CLAUDE)}/converse${streaming ? "-stream" : ""}`);
    expect(sent?.headers.authorization).toContain("/eu-central-1/bedrock/aws4_request");
    expect(sent?.body).toEqual({
      inferenceConfig: { temperature: 0.5, maxTokens: 300 },
      system: [{ text: "S\n\nV" }],
      messages: [{ role: "user", content: [{ text: "hi" }] }],
      toolConfig: {
        tools: [
          {
            toolSpec: { name: "look_up", description: "Looks up.", inputSchema: { json: lookUp.parameters } },
          },
        ],
      },
    });
  });

  it("F-63 F-68 R-285 reports usage in its normal form, and none where none came", async () => {
    const { model } = await connectBedrock([{ text: "a", usage }, { text: "b" }], { streaming });

    expect((await model.call(request())).usage).toEqual({
      inputTokens: 170,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheCreationTokens: 10,
    });
    expect(await model.call(request())).not.toHaveProperty("usage");
  });
});

describe("calls that Bedrock's models make", () => {
  it.each([["max_tokens"], ["model_context_window_exceeded"]])(
    "F-64 F-65 keeps arguments that ended at %s from every tool",
    async (stopReason) => {
      const toolCalls = [
        { id: "a", name: "look_up", args: { id: "1" } },
        { id: "b", name: "look_up", args: '{"id": "12' },
      ];
      const { model } = await connectBedrock([{ toolCalls, stopReason }]);

      const reply = await model.call(request());

      expect(reply.calls).toEqual([
        { id: "a", name: "look_up", args: { id: "1" } },
        { id: "b", name: "look_up", args: {} },
      ]);
      expect(reply.invalid).toMatchObject([{ callId: "b", problem: expect.stringContaining("token limit") }]);
    },
  );

  it("F-64 runs no call that a whole answer may have cut off", async () => {
    const { model } = await connectBedrock(
      [{ toolCalls: [{ id: "a", name: "look_up", args: {} }], stopReason: "max_tokens" }],
      { streaming: false },
    );

    const reply = await model.call(request());

    expect(reply.invalid).toMatchObject([{ callId: "a", problem: expect.stringContaining("token limit") }]);
  });

  it("F-66 replaces an id that the history has", async () => {
    const { model } = await connectBedrock([{ toolCalls: [{ id: "a", name: "look_up", args: {} }] }]);

    const reply = await model.call(
      request({
        messages: [
          { id: "1", role: "user", content: "hi" },
          { id: "m1", role: "assistant", content: "", tool_calls: [{ id: "a", name: "look_up", args: {} }] },
          { id: "a-a", role: "tool", content: "found", tool_call_id: "a", name: "look_up" },
        ],
      }),
    );

    expect(reply.calls).toEqual([{ id: "m2-1", name: "look_up", args: {} }]);
  });

  it("F-63 reads past events and blocks that the client's package does not know", async () => {
    const { model } = await connectBedrock([
      {
        text: "seen",
        usage,
        extra: [
          { contentBlockStart: { contentBlockIndex: 9, start: {} } },
          { contentBlockDelta: { contentBlockIndex: 9, delta: { reasoningContent: { text: "hidden" } } } },
          { somethingNew: { a: 1 } },
        ],
      },
    ]);

    expect(await model.call(request())).toMatchObject({ text: "seen", usage: { inputTokens: 170 } });
  });
});

describe("requests that Bedrock takes", () => {
  it("F-58 F-59 F-60 F-61 gives roles turns, one user turn for all answers, and no blank text", async () => {
    const { model, server } = await connectBedrock([{ text: "ok" }]);

    await model.call(
      request({
        tools: [],
        messages: [
          { id: "n", role: "assistant", content: "", tool_calls: [{ id: "note-1", name: "archmax_note", args: {} }] },
          { id: "a-note-1", role: "tool", content: "", tool_call_id: "note-1", name: "archmax_note" },
          { id: "1", role: "user", content: " " },
          {
            id: "m1",
            role: "assistant",
            content: "\n",
            tool_calls: [
              { id: "functions.look_up:0", name: "look_up", args: { id: "1" } },
              { id: "b", name: "look up!", args: {} },
            ],
          },
          { id: "a-b", role: "tool", content: "two", tool_call_id: "b", name: "look up!" },
          { id: "a-a", role: "tool", content: "one", tool_call_id: "functions.look_up:0", name: "look_up" },
          { id: "2", role: "user", content: "and now?" },
        ],
      }),
    );

    const sent = server.requests[0]?.body;
    const id = sent?.messages[3]?.content[0]?.toolUse?.toolUseId;
    expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(sent?.messages).toEqual([
      { role: "user", content: [{ text: "(The session begins.)" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "note-1", name: "archmax_note", input: {} } }] },
      {
        role: "user",
        content: [{ toolResult: { toolUseId: "note-1", content: [{ text: "(empty)" }] } }, { text: "(empty)" }],
      },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: id, name: "look_up", input: { id: "1" } } },
          { toolUse: { toolUseId: "b", name: "look_up_", input: {} } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: id, content: [{ text: "one" }] } },
          { toolResult: { toolUseId: "b", content: [{ text: "two" }] } },
          { text: "and now?" },
        ],
      },
    ]);
    expect(sent?.toolConfig.tools.map((tool) => tool.toolSpec.name)).toContain("archmax_note");
  });

  it("R-236 F-59 shows a picture in the turn of the answers it belongs to", async () => {
    const { model, server } = await connectBedrock([{ text: "ok" }]);
    const base64 = Buffer.from("not looked at").toString("base64");

    await model.call(
      request({
        messages: [
          { id: "1", role: "user", content: "hi" },
          { id: "m1", role: "assistant", content: "", tool_calls: [{ id: "a", name: "look_up", args: {} }] },
          { id: "a-a", role: "tool", content: "/a.png is a picture.", tool_call_id: "a", name: "look_up" },
          { id: "m2", role: "assistant", content: "I see." },
          { id: "2", role: "user", content: "Well?" },
        ],
        pictures: new Map([["a-a", { text: "/a.png", mediaType: "image/jpeg", base64 }]]),
      }),
    );

    expect(server.requests[0]?.body.messages.slice(2)).toEqual([
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "/a.png is a picture." }] } },
          { text: "/a.png" },
          { image: { format: "jpeg", source: { bytes: base64 } } },
        ],
      },
      { role: "assistant", content: [{ text: "I see." }] },
      { role: "user", content: [{ text: "Well?" }] },
    ]);
  });

  it("F-58 leaves out a description that a tool does not have", async () => {
    const { model, server } = await connectBedrock([{ text: "ok" }]);

    await model.call(request({ tools: [{ ...lookUp, description: "" }] }));

    expect(server.requests[0]?.body.toolConfig.tools).toEqual([
      { toolSpec: { name: "look_up", inputSchema: { json: lookUp.parameters } } },
    ]);
  });
});
