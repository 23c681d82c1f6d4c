import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { connect, KEY, lookUp, request, usage } from "./endpoint.fixture.js";
import { parseModelScript } from "./script-file.js";

describe.each([
  ["streamed", true],
  ["whole", false],
])("an endpoint's answers, %s", (_, streaming) => {
  it("H-16 H-125 sends prompt, transcript and tools, and reads text, calls and model", async () => {
    const answer = {
      text: "Let me see what there is.",
      toolCalls: [{ id: "c1", name: "look_up", args: { id: "ü-7", deep: { a: [1] } } }],
      model: "test-model-2026",
    };
    const { model, server } = await connect([answer], { streaming, temperature: 0.5, maxTokens: 300 });
    const deltas: string[] = [];

    const reply = await model.call(request({ onText: (text) => deltas.push(text) }));

    expect(reply).toEqual({
      text: "Let me see what there is.",
      calls: [{ id: "c1", name: "look_up", args: { id: "ü-7", deep: { a: [1] } } }],
      invalid: [],
      model: "test-model-2026",
    });
    expect(deltas.join("")).toBe(reply.text);
    expect(deltas.length > 1).toBe(streaming);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(server.requests[0]?.body).toMatchObject({
      model: "test-model",
      temperature: 0.5,
      max_tokens: 300,
      stream: streaming,
      messages: [
        { role: "system", content: "S\n\nV" },
        { role: "user", content: "hi" },
      ],
      tools: [{ type: "function", function: lookUp }],
    });
  });

  it("F-63 F-68 H-113 reports usage in its normal form, and none where none came", async () => {
    const { model } = await connect([{ text: "a", usage }, { text: "b" }], { streaming });

    expect((await model.call(request())).usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheCreationTokens: 10,
    });
    expect(await model.call(request())).not.toHaveProperty("usage");
  });

  it.each([[null], ["model"]])("H-16 reads the role %s as the assistant's", async (role) => {
    const { model } = await connect([{ role, text: "hello", toolCalls: [{ id: "c", name: "look_up" }] }], {
      streaming,
    });

    expect(await model.call(request())).toMatchObject({
      text: "hello",
      calls: [{ id: "c", name: "look_up", args: {} }],
    });
  });

  it("F-64 F-65 keeps cut-off arguments from every tool, and the complete call beside them", async () => {
    const toolCalls = [
      { id: "a", name: "look_up", args: { id: "1" } },
      { id: "b", name: "look_up", args: '{"id": "12' },
    ];
    const { model } = await connect([{ toolCalls, finishReason: "length" }], { streaming });

    const reply = await model.call(request());

    expect(reply.calls).toEqual([
      { id: "a", name: "look_up", args: { id: "1" } },
      { id: "b", name: "look_up", args: {} },
    ]);
    expect(reply.invalid).toMatchObject([{ callId: "b", problem: expect.stringContaining("token limit") }]);
  });

  it("F-64 keeps the order of valid and invalid calls", async () => {
    const toolCalls = [
      { id: "a", name: "look_up", args: "not json" },
      { id: "b", name: "look_up", args: { id: "1" } },
      { id: "c", name: "look_up", args: "[]" },
    ];
    const { model } = await connect([{ toolCalls }], { streaming });

    const reply = await model.call(request());

    expect(reply.calls.map((call) => call.id)).toEqual(["a", "b", "c"]);
    expect(reply.invalid.map((call) => call.callId)).toEqual(["a", "c"]);
  });

  it("F-66 replaces ids that are missing, repeated, or in the history", async () => {
    const history: StoredMessage[] = [
      { id: "1", role: "user", content: "hi" },
      { id: "2", role: "assistant", content: "", tool_calls: [{ id: "c1", name: "look_up", args: {} }] },
      { id: "3", role: "tool", content: "ok", tool_call_id: "c1", name: "look_up" },
    ];
    const toolCalls = ["c1", null, "x", "x"].map((id) => ({ id, name: "look_up", args: {} }));
    const { model } = await connect([{ toolCalls }], { streaming });

    const reply = await model.call(request({ messages: history }));

    expect(reply.calls.map((call) => call.id)).toEqual(["m2-1", "m2-2", "x", "m2-4"]);
  });

  it("F-62 reads an answer that says nothing as empty text", async () => {
    const { model } = await connect([{}], { streaming });

    expect(await model.call(request())).toMatchObject({ text: "", calls: [], invalid: [] });
  });

  it("ignores fields the protocol does not know", async () => {
    const { model } = await connect([{ text: "fine", extra: { reasoning: "…", vendor: { a: 1 } } }], { streaming });

    expect((await model.call(request())).text).toBe("fine");
  });

  it("A-47 F-67 makes a call again after a connection that dropped before any content", async () => {
    const { model, server, waits } = await connect(
      [{ drop: "at-once" }, { text: "lost", drop: streaming ? "before-content" : "mid-answer" }, { text: "here" }],
      { streaming },
    );

    expect((await model.call(request())).text).toBe("here");
    expect(server.requests).toHaveLength(3);
    expect(waits).toEqual([500, 1_000]);
  });
});

describe("what is asked", () => {
  it("F-63 asks for usage in the stream, and only there", async () => {
    const { model, server } = await connect([{ text: "a" }]);

    await model.call(request());

    expect(server.requests[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  it("F-60 F-63 calls again without the option where it is refused, and remembers that", async () => {
    const { model, server } = await connect({ refuseStreamOptions: true, handler: () => ({ text: "a", usage }) });

    expect(await model.call(request())).toMatchObject({ text: "a" });
    await model.call(request());

    expect(server.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
    expect(server.requests.every(({ body }) => body.stream === true)).toBe(true);
  });

  it("F-58 offers no tools where the history has none, and those of the history otherwise", async () => {
    const { model, server } = await connect({ handler: () => ({ text: "a" }) });
    const history: StoredMessage[] = [
      { id: "2", role: "assistant", content: "", tool_calls: [{ id: "c1", name: "gone", args: {} }] },
      { id: "3", role: "tool", content: "ok", tool_call_id: "c1", name: "gone" },
    ];

    await model.call(request({ tools: [] }));
    await model.call(request({ tools: [], messages: history }));

    expect(server.requests[0]?.body).not.toHaveProperty("tools");
    expect(server.requests[0]?.body).not.toHaveProperty("tool_choice");
    expect(server.requests[1]?.body.tools?.map((tool) => tool.function.name)).toEqual(["gone"]);
  });

  it.each([
    ["text", ""],
    ["null", null],
  ] as const)("F-60 H-132 sends the content beside calls as %s", async (emptyContent, content) => {
    const { model, server } = await connect([{ text: "a" }], { emptyContent });
    const messages: StoredMessage[] = [
      { id: "2", role: "assistant", content: "", tool_calls: [{ id: "c1", name: "look_up", args: { id: "1" } }] },
      { id: "3", role: "tool", content: "ok", tool_call_id: "c1", name: "look_up" },
      { id: "4", role: "assistant", content: "said", tool_calls: [{ id: "c2", name: "look_up", args: {} }] },
      { id: "5", role: "tool", content: "ok", tool_call_id: "c2", name: "look_up" },
    ];

    await model.call(request({ messages }));

    expect(server.requests[0]?.body.messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        content,
        tool_calls: [{ id: "c1", function: { name: "look_up", arguments: '{"id":"1"}' } }],
      },
      { role: "tool", content: "ok", tool_call_id: "c1" },
      { role: "assistant", content: "said" },
      { role: "tool", tool_call_id: "c2" },
    ]);
  });

  it("H-16 streams a plain invoke of the client too, with the provider's own usage", async () => {
    const { instance, server } = await connect([{ text: "hello", usage }]);

    const message = await instance.invoke("hi");

    expect(message.content).toBe("hello");
    expect(message.usage_metadata).toMatchObject({ input_tokens: 100, output_tokens: 20 });
    expect(server.requests[0]?.body.stream).toBe(true);
  });
});

describe("the model server", () => {
  it("answers from a model script as the scripted model does", async () => {
    const script = parseModelScript(
      "replies:\n  - when: { state: s, step: 1 }\n    toolCalls: [{ name: look_up, args: { id: a } }]\n  - when: { after: look_up }\n    text: done\n    usage: { inputTokens: 5, outputTokens: 1 }\n",
      "demo.yaml",
    );
    const { model } = await connect({ script });
    const system = { static: "S", volatile: "## You are in state s\n" };
    const messages: StoredMessage[] = [{ id: "1", role: "user", content: "hi" }];

    const first = await model.call(request({ system, messages }));
    const second = await model.call(
      request({
        system,
        messages: [
          ...messages,
          { id: "2", role: "assistant", content: "", tool_calls: first.calls },
          { id: "3", role: "tool", content: "found", tool_call_id: first.calls[0]?.id, name: "look_up" },
        ],
      }),
    );

    expect(first.calls).toMatchObject([{ name: "look_up", args: { id: "a" } }]);
    expect(second).toMatchObject({ text: "done", usage: { inputTokens: 5, outputTokens: 1 } });
  });
});
