import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { describe, expect, it } from "vitest";
import { createChatModel } from "../../lib/models/index.js";
import type { EngineEvent } from "../../lib/session/events.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { temporaryFolder } from "../harness/temporary.js";
import { advance, benches, calls, ofType, says, setting, types } from "./support.js";

const open = benches();

const SPEC = `
settings: { model: settings-model }
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [probe] }
    transitions: [{ to: ask }, { to: gate, description: Check }]
  gate: { type: code, script: scripts/gate.js, transitions: [{ to: work }] }
  ask: { type: human, instructions: Decide., model: ask-model, transitions: [{ to: done, description: Yes }] }
  done: { instructions: Close., model: done-model }
`;
const files = {
  "workflows/case/scripts/gate.js": `export default async ({ tools }) => { console.log("in gate"); await tools.archmax_advance({ to: "work", reason: "r" }); };`,
};
const tools = toolsFromMap({
  probe: {
    description: "p",
    inputSchema: { type: "object" },
    readOnly: true,
    handler: ({ fail, length }) => {
      if (fail) throw new Error("down");
      return "x".repeat(Number(length ?? 3));
    },
  },
});
const usage = (input: number, output: number, cached = 0) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});

const bench = (options: Partial<BenchOptions> = {}) => open({ spec: SPEC, files, tools, ...options });

async function run(replies: BenchOptions["replies"], options: Partial<BenchOptions> = {}) {
  const opened = await bench({ replies, ...options });
  const outcome = await opened.agent.workflow.send("s1", { message: "go", variables: { given: "seeded value" } });
  return { bench: opened, outcome, events: opened.events };
}

describe("the stream", () => {
  it("R-289 every event has type, level, time, a growing number, and its session while one runs", async () => {
    const { events } = await run([calls(["probe"]), says("end")]);
    const ofAssembly = ["graph-topology", "prompt-shaping"];
    const inSession = events.filter(({ type }) => !ofAssembly.includes(type));

    for (const event of events) {
      expect(event).toMatchObject({ type: expect.any(String), level: expect.stringMatching(/^(info|warn|error)$/) });
      expect(event.ts).toBe(Date.UTC(2026, 2, 20, 9));
    }
    expect(inSession.every(({ sessionId }) => sessionId === "s1")).toBe(true);
    expect(events.filter((event) => !("sessionId" in event)).map(({ type }) => type)).toEqual(ofAssembly);
    const numbers = events.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it("R-290 warnings are those, and results with status error; all else is info", async () => {
    const { events } = await run([
      calls(["probe", { fail: true }], ["probe"], ["read_file", { file_path: "../x" }]),
      calls(["archmax_raise", { code: "x", reason: "r" }]),
    ]);

    for (const event of events) {
      const warns =
        ["warning", "tool-blocked", "raised", "state-error-routed"].includes(event.type) ||
        ("status" in event && event.status === "error");
      expect([event.type, event.level]).toEqual([event.type, warns ? "warn" : "info"]);
    }
    expect(types(events, "raised", "tool-blocked")).toHaveLength(2);
  });

  it("R-291 R-41 R-298 a whole turn, in order", async () => {
    const { events } = await run([
      { ...calls(setting({ a: 1 })), text: "Let me see." },
      advance("gate"),
      calls(["probe"], ["archmax_advance", { to: "ask", reason: "r" }]),
      says("Please decide."),
    ]);
    const told = events
      .filter(({ type }) => type !== "agent-text-delta")
      .map((event) =>
        [event.type, "tool" in event ? event.tool : "state" in event ? event.state : ""].filter(Boolean).join(" "),
      );

    expect(told).toEqual([
      "graph-topology",
      "prompt-shaping",
      "workflow-reset",
      "advance",
      "variables-set",
      "state-enter work",
      "agent-text work",
      "tool-called archmax_set_variables",
      "variables-set work",
      "tool-result archmax_set_variables",
      "tool-called archmax_advance",
      "advance",
      "state-leave work",
      "state-enter gate",
      "tool-result archmax_advance",
      "code-start gate",
      "code-output gate",
      "tool-called archmax_advance",
      "tool-result archmax_advance",
      "code-result gate",
      "advance",
      "state-leave gate",
      "state-enter work",
      "tool-called archmax_advance",
      "tool-called probe",
      "tool-result probe",
      "advance",
      "state-leave work",
      "state-enter ask",
      "parked ask",
      "tool-result archmax_advance",
      "agent-text ask",
    ]);
  });

  it("R-292 there is no end-of-turn event: a completion's last word is state-leave", async () => {
    const { events } = await run([says("end")]);

    expect(events.at(-1)).toMatchObject({ type: "state-leave", state: "work", next: "work" });
    expect(types(events).slice(types(events).indexOf("agent-text"))).toEqual(["agent-text", "state-leave"]);
  });

  it("R-293 what a call brings about is marked with its id, what no call brought about has none", async () => {
    const { events } = await run([
      calls(setting({ title: "T" })),
      calls(["archmax_advance", { to: "done", reason: "r" }, "never"]),
      calls(["archmax_advance", { to: "gate", reason: "r" }, "the-move"]),
      says("end"),
    ]);
    const of = (callId: string) =>
      events.filter((event) => "callId" in event && event.callId === callId).map(({ type }) => type);

    expect(of("call_1_1")).toEqual(["tool-called", "variables-set", "title-set", "tool-result"]);
    expect(of("the-move")).toEqual(["tool-called", "advance", "tool-result"]);
    expect(of("never")).toEqual(["tool-called", "tool-result"]);
    for (const event of events.filter(({ type }) => /^(state-|workflow-reset|agent-|code-|parked)/.test(type)))
      expect(event).not.toHaveProperty("callId");
    expect(ofType(events, "advance")[0]).not.toHaveProperty("callId");
  });

  it("R-294 text carries the stored message's id, the same on its deltas", async () => {
    const { events, outcome } = await run([says("A rather long sentence, in pieces.")]);
    const [text] = ofType(events, "agent-text");
    const deltas = ofType(events, "agent-text-delta");

    expect(text?.messageId).toBe(outcome.messages.at(-1)?.id);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.every(({ messageId }) => messageId === text?.messageId)).toBe(true);
    expect(deltas.map(({ text }) => text).join("")).toBe(text?.text);
    expect(text).not.toHaveProperty("partial");
  });

  it("R-54 R-294 text of a call that fails is told once, as partial, and kept nowhere", async () => {
    const opened = await bench({ replies: [{ text: "Half of a sentence that never ends.", drop: "mid-answer" }] });
    await expect(opened.agent.workflow.send("s1", { message: "go" })).rejects.toThrow();

    expect(ofType(opened.events, "agent-text")).toMatchObject([
      { partial: true, state: "work", text: expect.stringMatching(/^Half/) },
    ]);
    expect(await opened.agent.sessions.messageCount("s1")).toBe(1);
  });

  it("R-295 every governed call gives one block, or one call and one result with the first 4,096 characters", async () => {
    const { events } = await run([
      calls(
        ["probe", { length: 4_096 }],
        ["probe", { length: 4_097 }],
        ["archmax_get_variables"],
        ["ls", { path: "../x" }],
      ),
      says("end"),
    ]);
    const results = ofType(events, "tool-result");

    expect(
      ofType(events, "tool-called")
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(results.map(({ callId }) => callId).sort());
    expect(ofType(events, "tool-blocked").map(({ callId }) => callId)).toEqual(["call_1_4"]);
    expect(results.find(({ callId }) => callId === "call_1_1")).toMatchObject({ truncated: false });
    expect(results.find(({ callId }) => callId === "call_1_2")).toMatchObject({
      truncated: true,
      output: "x".repeat(4_096),
      durationMs: expect.any(Number),
    });
    for (const event of [...results, ...ofType(events, "tool-called")]) expect(event).not.toHaveProperty("origin");
  });

  it("R-296 F-101 variables-set carries names, never values, of a seed, a call and a delivery alike", async () => {
    const { bench: opened, events } = await run([
      { ...calls(setting({ mine: "written value" }), ["archmax_wait", { reason: "r" }]), text: "w" },
      says("end"),
    ]);
    await opened.agent.workflow.deliver("s1", { trigger: { id: "x" }, variables: { theirs: "delivered value" } });
    const set = ofType(events, "variables-set");

    expect(set.map(({ names }) => names.filter((name) => name !== "trigger"))).toEqual([
      ["given"],
      ["mine"],
      ["theirs"],
    ]);
    expect(JSON.stringify(set)).not.toMatch(/value"|written|delivered|seeded/);
    expect(set[0]).not.toHaveProperty("state");
  });

  it("R-297 a listener of a move finds it committed; one of a call finds it before", async () => {
    const seen: Promise<[string, string | undefined]>[] = [];
    let opened: Awaited<ReturnType<typeof open>> | null = null;
    const onEvent = (event: EngineEvent) => {
      if (!["advance", "parked", "tool-called"].includes(event.type) || !opened) return;
      seen.push(opened.agent.sessions.get("s1").then((session) => [event.type, session?.workflowState]));
    };
    opened = await bench({ onEvent, replies: [calls(["probe"]), advance("ask"), says("Please.")] });
    await opened.agent.workflow.send("s1", { message: "go" });

    expect(await Promise.all(seen)).toEqual([
      ["advance", "work"],
      ["tool-called", "work"],
      ["tool-called", "work"],
      ["advance", "ask"],
      ["parked", "ask"],
    ]);
  });

  it("R-297 a step that does not commit tells of no movement", async () => {
    const opened = await bench({
      replies: [calls(setting({ a: 1 }), ["archmax_advance", { to: "ask", reason: "r" }])],
    });
    const { sessions } = opened.stores;
    const commit = sessions.commit.bind(sessions);
    sessions.commit = async (lease, change, options) => {
      if (change.record?.position === "ask") throw new Error("the store is gone");
      return commit(lease, change, options);
    };
    opened.events.length = 0;
    await opened.agent.accept("s1", { kind: "turn", message: "go" });
    await opened.agent.work("s1").catch(() => undefined);

    expect(types(opened.events, "advance", "variables-set", "parked", "state-leave")).toEqual(["advance"]);
  });

  it("R-299 an error that a subscriber throws changes nothing of the turn", async () => {
    const opened = await bench({
      replies: [calls(["probe"]), says("end")],
      onEvent: () => {
        throw new Error("listener");
      },
    });

    expect(await opened.agent.workflow.send("s1", { message: "go" })).toMatchObject({
      kind: "completed",
      reply: "end",
    });
  });

  it("F-101 a provider's error reaches events, outcome and store without query strings and authorization", async () => {
    const message =
      "denied for https://api.example/v1?key=sk-123456789 with Authorization: Bearer abcdefghijkl and test-key";
    const opened = await bench({ replies: [{ status: 401, error: { message } }] });
    const thrown = await opened.agent.workflow.send("s1", { message: "go" }).catch((error: Error) => error);
    const stored = await opened.agent.sessions.get("s1");
    const everywhere = JSON.stringify([opened.events, stored, (thrown as Error).message]);

    expect(stored?.exit?.code).toBe("turn-error");
    expect(everywhere).toContain("denied for");
    expect(everywhere).not.toMatch(/sk-123456789|abcdefghijkl|key=/);
  });
});

describe("models", () => {
  it("R-279 R-280 R-281 each call is served by the model of the state the session is in", async () => {
    const { bench: opened } = await run([advance("ask"), says("Please."), says("Closed.")]);
    await opened.agent.workflow.decide("s1", { target: "done" });

    expect(opened.requests.map(({ body }) => body.model)).toEqual(["settings-model", "ask-model", "done-model"]);
  });

  it("R-280 without any id the environment's default serves", async () => {
    const opened = await bench({
      spec: "states: { a: { instructions: A., triggers: { manual: } } }",
      replies: [says("end")],
    });
    await opened.agent.workflow.send("s1", { message: "go" });

    expect(opened.requests[0]?.body.model).toBe("test-model");
  });

  it("R-280 an explicit instance outranks every declared id, with one warning that names them", async () => {
    const folder = temporaryFolder();
    const { createChatModel } = await import("../../lib/models/index.js");
    const server = await bench({ replies: [says("end")], spec: SPEC });
    const env = { ARCHMAX_API_BASE_URL: "http://127.0.0.1:1", ARCHMAX_API_KEY: "k", ARCHMAX_MODEL: "m" };
    const events: EngineEvent[] = [];
    const model = await createChatModel({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "k", model: "mine" });
    await server.again({ env, model, onEvent: (event) => events.push(event) });
    folder.remove();

    expect(ofType(events, "warning")).toMatchObject([
      { message: expect.stringMatching(/settings-model[\s\S]*ask-model[\s\S]*done-model/) },
    ]);
  });

  it("R-281 the factory is asked once for each role and id, with the id as `requested`", async () => {
    const asked: (string | undefined)[] = [];
    const { createChatModel } = await import("../../lib/models/index.js");
    const opened = await bench({
      replies: [calls(["probe"]), advance("ask"), says("Please."), says("Closed.")],
      modelFactory: (role, env, requested) => {
        asked.push(`${role} ${requested}`);
        return createChatModel({ ...env(), model: requested ?? "default" });
      },
    });
    await opened.agent.workflow.send("s1", { message: "go" });
    await opened.agent.workflow.decide("s1", { target: "done" });

    expect(asked).toEqual(["agent settings-model", "agent ask-model", "agent done-model"]);
  });

  const made: Partial<BenchOptions> = { modelFactory: (_role, env) => createChatModel(env()) };
  const hour = SPEC.replace("settings: {", "settings: { prompt_cache: { ttl: 1h },");

  it.each<[Partial<BenchOptions>, string]>([
    [{}, "none"],
    [made, "5m"],
    [{ ...made, spec: hour }, "1h"],
    [{ ...made, spec: hour, promptCache: { ttl: "5m" } }, "5m"],
    [{ promptCache: { enabled: false } }, "off"],
  ])(
    "R-282 R-283 each assembly tells the resolved caching once, and it changes no text (%#)",
    async (options, cache) => {
      const { bench: opened, events } = await run([says("end")], options);
      const plain = await run([says("end")]);

      expect(ofType(events, "prompt-shaping")).toMatchObject([{ cache, withheld: expect.any(Array) }]);
      expect(ofType(events, "warning")).toEqual([]);
      expect(opened.requests[0]?.body.messages).toEqual(plain.bench.requests[0]?.body.messages);
    },
  );

  it("R-284 R-285 R-286 R-287 usage and cost: one event a call, totals committed and cumulative over parks and processes", async () => {
    const pricing = {
      "settings-model": { input: 1, output: 2, cacheRead: 0.5 },
      default: { input: 10, output: 10 },
    };
    const {
      bench: opened,
      events,
      outcome,
    } = await run(
      [
        { ...advance("ask"), usage: usage(1_000, 100, 400) },
        { ...says("Please."), usage: usage(10, 1) },
        { ...says("Closed."), usage: usage(20, 2) },
      ],
      { pricing } as Partial<BenchOptions>,
    );

    expect(ofType(events, "model-usage")).toMatchObject([
      {
        state: "work",
        model: "settings-model",
        inputTokens: 1_000,
        outputTokens: 100,
        cacheReadTokens: 400,
        cacheCreationTokens: 0,
        costUsd: 0.001,
      },
      { state: "ask", model: "ask-model", inputTokens: 10, costUsd: 0.00011 },
    ]);
    expect(outcome.usage).toMatchObject({
      inputTokens: 1_010,
      outputTokens: 101,
      cacheReadTokens: 400,
      costUsd: 0.00111,
    });
    const after = await (await opened.again()).workflow.decide("s1", { target: "done" });
    expect(after.usage).toMatchObject({ inputTokens: 1_030, outputTokens: 103 });
    expect((await opened.agent.sessions.get("s1"))?.usage).toEqual(after.usage);
  });

  it("R-286 prices a call by the model that answered, not by the one that was asked", async () => {
    const opened = await bench({
      pricing: { "settings-model": { input: 1, output: 1 }, "other-model": { input: 1_000, output: 1_000 } },
      replies: [{ ...says("end"), usage: usage(1_000, 0), model: "other-model" }],
    });
    const outcome = await opened.agent.workflow.send("s1", { message: "go" });

    expect(ofType(opened.events, "model-usage")).toMatchObject([{ model: "other-model", costUsd: 1 }]);
    expect(outcome.usage).toMatchObject({ costUsd: 1 });
  });

  it("R-284 R-286 nothing reported is no event; without a price there is no cost", async () => {
    const silent = await run([says("end")]);
    const priceless = await run([{ ...says("end"), usage: usage(5, 5) }]);

    expect(types(silent.events, "model-usage")).toEqual([]);
    expect(silent.outcome.usage).toBeUndefined();
    expect(ofType(priceless.events, "model-usage")[0]).not.toHaveProperty("costUsd");
    expect(priceless.outcome.usage).not.toHaveProperty("costUsd");
  });

  it("R-287 R-53 what the steps before a failure spent is kept", async () => {
    const opened = await bench({
      replies: [
        { ...calls(["probe"]), usage: usage(7, 1) },
        { status: 400, error: { message: "no" } },
      ],
    });
    await expect(opened.agent.workflow.send("s1", { message: "go" })).rejects.toThrow();

    expect((await opened.agent.sessions.get("s1"))?.usage).toMatchObject({ inputTokens: 7, outputTokens: 1 });
  });

  it("R-288 a call whose step did not commit is in no total", async () => {
    const opened = await bench({
      replies: [{ ...calls(["probe"]), usage: usage(7, 1) }, { ...calls(["probe"]), usage: usage(20, 2) }, says("end")],
    });
    const { sessions } = opened.stores;
    const commit = sessions.commit.bind(sessions);
    let fails = true;
    sessions.commit = async (lease, change, options) => {
      if (fails && change.puts.some(({ value }) => value.includes('"usage"'))) throw new Error("the store is gone");
      return commit(lease, change, options);
    };
    await opened.agent.accept("s1", { kind: "turn", message: "go" });
    await opened.agent.work("s1").catch(() => undefined);
    fails = false;
    opened.clock.advance(600_000);
    await (await opened.again()).work("s1");

    expect(ofType(opened.events, "model-usage").map(({ inputTokens }) => inputTokens)).toEqual([7, 20]);
    expect(await opened.agent.sessions.get("s1")).toMatchObject({
      status: "completed",
      usage: { inputTokens: 20, outputTokens: 2 },
    });
  });

  it("R-288 R-284 a call abandoned by its budget counts what the provider had reported", async () => {
    class Hanging extends BaseChatModel {
      _llmType() {
        return "hanging";
      }
      async _generate() {
        return { generations: [] };
      }
      override async *_streamResponseChunks(_messages: BaseMessage[], { signal }: this["ParsedCallOptions"]) {
        const usage_metadata = { input_tokens: 7, output_tokens: 1, total_tokens: 8 };
        yield new ChatGenerationChunk({ text: "", message: new AIMessageChunk({ content: "", usage_metadata }) });
        await new Promise((_, stopped) => signal?.addEventListener("abort", () => stopped(signal.reason)));
      }
    }
    const { outcome, events } = await run([], {
      modelFactory: () => new Hanging({}),
      spec: SPEC.replace(
        "    tools: { allow: [probe] }",
        "    tools: { allow: [probe] }\n    budget: { timeoutMs: 30 }",
      ),
    });

    expect(outcome).toMatchObject({ kind: "rejected", usage: { inputTokens: 7, outputTokens: 1 } });
    expect(ofType(events, "model-usage")).toMatchObject([{ inputTokens: 7, model: "settings-model" }]);
  });

  it("R-288 a call abandoned by its budget counts nothing the provider had not reported", async () => {
    const { outcome } = await run([{ ...says("late"), usage: usage(7, 1), delayMs: 300 }], {
      spec: SPEC.replace(
        "    tools: { allow: [probe] }",
        "    tools: { allow: [probe] }\n    budget: { timeoutMs: 30 }",
      ),
    });

    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(outcome.usage).toBeUndefined();
  });
});
