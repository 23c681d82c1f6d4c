import { ChatBedrockConverse } from "@langchain/aws";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startBedrockServer } from "../../test/model-server/bedrock.js";
import { CLAUDE } from "./bedrock.fixture.js";
import { failure, lookUp, request } from "./endpoint.fixture.js";
import { createModelSet } from "./model-set.js";

/** A host's class: answers whole, or in chunks where it has any. */
class HostModel extends BaseChatModel {
  readonly seen: { messages: BaseMessage[]; tools: unknown; signal?: AbortSignal }[] = [];

  constructor(
    readonly answers: { whole?: AIMessage; chunks?: AIMessageChunk[] },
    readonly kind = "host",
  ) {
    super({});
    if (!answers.chunks) this.disableStreaming = true;
  }

  _llmType() {
    return this.kind;
  }

  override bindTools(tools: unknown[]) {
    return this.withConfig({ tools } as never);
  }

  #note(messages: BaseMessage[], options: this["ParsedCallOptions"]) {
    this.seen.push({ messages, tools: (options as { tools?: unknown }).tools, signal: options.signal });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]) {
    this.#note(messages, options);
    const message = this.answers.whole ?? new AIMessage("");
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[], options: this["ParsedCallOptions"]) {
    this.#note(messages, options);
    for (const message of this.answers.chunks ?? []) {
      options.signal?.throwIfAborted();
      yield new ChatGenerationChunk({ text: message.text, message });
    }
  }
}

const made = (model: BaseChatModel) =>
  createModelSet({ env: {}, modelFactory: () => model }).forCall("agent", "its-id");
const usage_metadata = { input_tokens: 9, output_tokens: 3, total_tokens: 12, input_token_details: { cache_read: 4 } };
const piece = (args: string, more = {}) =>
  new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0, args, type: "tool_call_chunk", ...more }] });

describe("a host's chat model", () => {
  it("H-12 F-63 F-64 F-68 that streams has its text passed on, its calls put together and its counts read", async () => {
    const host = new HostModel({
      chunks: [
        new AIMessageChunk("Let me "),
        new AIMessageChunk("see."),
        piece('{"id":', { id: "c1", name: "look_up" }),
        piece('"7"}'),
        new AIMessageChunk({ content: "", usage_metadata }),
      ],
    });
    const deltas: string[] = [];

    const reply = await (await made(host)).call(request({ onText: (text) => deltas.push(text) }));

    expect(reply).toEqual({
      text: "Let me see.",
      calls: [{ id: "c1", name: "look_up", args: { id: "7" } }],
      invalid: [],
      usage: { inputTokens: 9, outputTokens: 3, cacheReadTokens: 4, cacheCreationTokens: 0 },
      model: "its-id",
    });
    expect(deltas).toEqual(["Let me ", "see."]);
    expect(host.seen[0]?.tools).toEqual([{ type: "function", function: lookUp }]);
  });

  it("H-12 F-63 that does not stream gives one delta, and no counts where it has none", async () => {
    const tool_calls = [{ id: "c1", name: "look_up", args: { id: "7" }, type: "tool_call" as const }];
    const host = new HostModel({ whole: new AIMessage({ content: "Let me see.", tool_calls }) });
    const deltas: string[] = [];

    const reply = await (await made(host)).call(request({ onText: (text) => deltas.push(text) }));

    expect(reply).toEqual({
      text: "Let me see.",
      calls: [{ id: "c1", name: "look_up", args: { id: "7" } }],
      invalid: [],
      model: "its-id",
    });
    expect(deltas).toEqual(["Let me see."]);
    expect(host.seen[0]?.tools).toEqual([{ type: "function", function: lookUp }]);
  });

  it("H-12 that takes no tools answers all the same", async () => {
    const model = await made(new FakeListChatModel({ responses: ["Only words."] }));

    expect(await model.call(request())).toEqual({ text: "Only words.", calls: [], invalid: [], model: "its-id" });
  });

  it("R-165 is told to stop, and the call ends with the signal's reason", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const host = new HostModel({ chunks: [new AIMessageChunk("a"), new AIMessageChunk("b")] });

    const error = await failure(
      (await made(host)).call(request({ signal: stop.signal, onText: () => stop.abort(reason) })),
    );

    expect(error).toBe(reason);
    expect(host.seen[0]?.signal?.aborted).toBe(true);
  });

  it.each([
    [
      "anthropic",
      [
        { type: "text", text: "S", cache_control: { type: "ephemeral" } },
        { type: "text", text: "V" },
      ],
    ],
    ["host", "S\n\nV"],
  ])("R-282 H-39 of the class %s is told what to cache where it takes a mark", async (kind, content) => {
    const host = new HostModel({ whole: new AIMessage("ok") }, kind);

    await (await made(host)).call(request({ promptCache: { enabled: true, ttl: "5m" } }));

    expect(host.seen[0]?.messages[0]?.content).toEqual(content);
  });
});

describe("a host's own model of Bedrock", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("H-12 R-282 F-61 F-63 gets requests that the service takes, and is not changed", async () => {
    const server = await startBedrockServer([{ text: "ok" }, { text: "cut", breaks: { at: "mid-answer", by: "cut" } }]);
    vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url);
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    const host = new ChatBedrockConverse({ model: CLAUDE, region: "eu-west-1", credentials });
    const { client } = host;
    const model = await made(host);
    const messages = [
      { id: "1", role: "user" as const, content: "one" },
      { id: "2", role: "user" as const, content: "" },
    ];

    const reply = await model.call(request({ messages, promptCache: { enabled: true, ttl: "5m" } }));
    const error = await failure(model.call(request()));
    await server.close();

    expect(reply).toEqual({ text: "ok", calls: [], invalid: [], model: "its-id" });
    expect(server.requests[0]?.body).toMatchObject({
      system: [{ text: "S" }, { cachePoint: { type: "default" } }, { text: "V" }],
      messages: [{ role: "user", content: [{ text: "one" }, { text: "(empty)" }] }],
      toolConfig: { tools: [{ toolSpec: { name: "look_up" } }] },
    });
    expect(error?.message).toContain("broke off");
    expect(host.client).toBe(client);
    expect(Object.hasOwn(client, "send")).toBe(false);
  });
});
