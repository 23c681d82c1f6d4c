import { describe, expect, it } from "vitest";
import { createInProcessModel, type InProcessAnswer } from "./in-process.js";
import { scriptedModel } from "./scripted.js";
import type { ModelRequest } from "./types.js";
import { wrapChatModel } from "./wrap.js";

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: { static: "S", volatile: "" },
  messages: [{ id: "1", role: "user", content: "hi" }],
  tools: [{ name: "look_up", description: "Looks up.", parameters: { type: "object" } }],
  messageId: "m2",
  ...more,
});

const model = async (answer: InProcessAnswer) =>
  wrapChatModel(await createInProcessModel({ model: "own", generate: () => answer }));

describe("a model in this process", () => {
  it("A-53 answers text in one delta, with the usage it says it had", async () => {
    const deltas: string[] = [];
    const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, cacheCreationTokens: 1 };

    const reply = await (await model({ content: "a whole message", usage })).call(
      request({ onText: (text) => deltas.push(text) }),
    );

    expect(reply).toEqual({ text: "a whole message", calls: [], invalid: [], usage, model: "own" });
    expect(deltas).toEqual(["a whole message"]);
  });

  it("A-53 calls tools, with text beside them or without, and gets ids where it gives none", async () => {
    const toolCalls = [{ name: "look_up", args: { id: "1" }, id: "c1" }, { name: "look_up" }];

    const silent = await (await model({ toolCalls })).call(request());
    const both = await (await model({ toolCalls, content: "One moment." })).call(request());

    expect(silent).toMatchObject({
      text: "",
      calls: [
        { id: "c1", name: "look_up", args: { id: "1" } },
        { id: "m2-2", name: "look_up", args: {} },
      ],
      invalid: [],
    });
    expect(silent.usage).toBeUndefined();
    expect(both.text).toBe("One moment.");
  });

  it("A-53 is asked once: what its function throws is final, and an abort is its signal's reason", async () => {
    let asked = 0;
    const failing = wrapChatModel(
      await createInProcessModel({
        model: "own",
        generate: () => {
          asked += 1;
          throw new Error("out of order");
        },
      }),
    );
    const stop = new AbortController();
    stop.abort(new Error("cancelled"));

    await expect(failing.call(request())).rejects.toThrow("out of order");
    await expect(failing.call(request({ signal: stop.signal }))).rejects.toThrow("cancelled");
    expect(asked).toBe(1);
  });

  it("A-53 shows its function what is asked: messages, tools, role and signal", async () => {
    const scripted = await scriptedModel(["one", { toolCalls: [{ name: "look_up" }] }, { error: { message: "no" } }]);
    const asked = wrapChatModel(scripted, { role: "grader" });
    const signal = new AbortController().signal;

    await asked.call(request({ signal }));
    await asked.call(request());
    await expect(asked.call(request())).rejects.toMatchObject({ name: "ModelCallError" });
    await expect(asked.call(request())).rejects.toThrow(/only 3 steps/);

    expect(scripted.requests).toHaveLength(4);
    expect(scripted.requests[0]).toMatchObject({ tools: ["look_up"], role: "grader" });
    expect(scripted.requests[0]?.messages.map((message) => [message.getType(), message.content])).toEqual([
      ["system", "S"],
      ["human", "hi"],
    ]);
    expect(scripted.requests[0]?.signal?.aborted).toBe(false);
  });
});
