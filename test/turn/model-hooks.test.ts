/** What a host sets around the calls of models: hooks, middleware, metrics (A-38…A-44, H-21). */
import { describe, expect, it } from "vitest";
import type { AgentMiddleware, Hooks, MetricEvent } from "../../lib/extensions/index.js";
import { ModelCallError } from "../../lib/models/index.js";
import type { Bench } from "../harness/agent.js";
import { worker, workflow } from "./delegating.js";
import { aGraded, graded, passes } from "./graded.js";
import { advance, benches, calls, offered, ofType, says } from "./support.js";

const open = benches();

const SPEC = `
settings: { model: house }
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [ls, glob] }
    transitions: [{ to: close, description: Done. }]
  close: { instructions: Close. }
`;
const usage = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };

const contents = ({ requests }: Bench, index: number) =>
  requests[index]!.body.messages.filter(({ role }) => role !== "system").map(({ content }) => content);

describe("a host's code that does not return", () => {
  const hangsAfter = (stop: () => void) => () => {
    stop();
    return new Promise<never>(() => {});
  };

  it.each([
    ["beforeLLM", (stop: () => void) => ({ hooks: { beforeLLM: hangsAfter(stop) } })],
    ["afterLLM", (stop: () => void) => ({ hooks: { afterLLM: hangsAfter(stop) } })],
    ["wrapModelCall", (stop: () => void) => ({ middleware: [{ name: "m", wrapModelCall: hangsAfter(stop) }] })],
  ])("A-38 S-20 R-305 cannot hold a turn that is stopped: %s", async (_what, options) => {
    const abort = new AbortController();
    const bench = await open({ spec: SPEC, replies: [says("One.")], ...options(() => abort.abort()) });

    await expect(bench.agent.workflow.send("s1", { message: "Go." }, { signal: abort.signal })).rejects.toThrow();

    expect((await bench.agent.sessions.get("s1"))?.exit).toMatchObject({ code: "turn-cancelled" });
  });

  it("H-21 S-54 is cut off at the end of an invocation, whatever middleware makes of that", async () => {
    const middleware: AgentMiddleware[] = [
      {
        name: "m",
        async wrapModelCall(request, next) {
          if (bench.requests.length > 0 || ended) return next(request);
          ended = true;
          const aborted = new Promise((resolve) => request.signal?.addEventListener("abort", resolve));
          bench.clock.advance(120_000);
          await aborted;
          throw new Error("The provider is down.");
        },
      },
    ];
    let ended = false;
    const bench = await open({ spec: SPEC, middleware, replies: [says("One.")] });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    const now = bench.clock.now();

    const cut = await bench.agent.work("s1", { drainAt: now + 60_000, abortAt: now + 110_000 });
    const { settled } = await bench.agent.work("s1");

    expect(cut).toMatchObject({ settled: [], left: "handed-over" });
    expect(settled).toMatchObject([{ outcome: { kind: "completed", reply: "One." } }]);
  });
});

describe("beforeLLM and afterLLM", () => {
  it("A-38 are told of every call: its messages, tools, model, number in the turn, state and answer", async () => {
    const told: unknown[] = [];
    const hooks: Hooks = {
      beforeLLM: ({ messages, tools, ...call }) => {
        told.push([
          "before",
          messages.map(({ role }) => role),
          tools.some(({ name }) => name === "archmax_advance"),
          call,
        ]);
      },
      afterLLM: ({ response: { text, calls: made }, ...call }) => {
        told.push(["after", text, made.map(({ name }) => name), call]);
      },
    };
    const bench = await open({ spec: SPEC, hooks, replies: [advance("close"), says("One."), says("Two.")] });

    await bench.agent.workflow.send("s1", { message: "Go." });
    await bench.agent.workflow.send("s1", { message: "Again." });

    const call = (turn: number, state: string) => ({ model: "house", turn, state });
    expect(told.slice(0, 4)).toEqual([
      ["before", ["user"], true, call(1, "work")],
      ["after", "", ["archmax_advance"], call(1, "work")],
      ["before", ["user", "assistant", "tool"], false, call(2, "close")],
      ["after", "One.", [], call(2, "close")],
    ]);
    expect(told[4]).toMatchObject(["before", expect.anything(), expect.anything(), { turn: 1 }]);
  });

  it("A-42 what beforeLLM answers replaces what is sent, and never what is stored", async () => {
    const sentAlready: string[] = [];
    const bench = await open({
      spec: SPEC,
      hooks: {
        beforeLLM: async ({ messages }) => ({
          messages: messages.map((message) => ({ ...message, content: message.content.replace("4711", "****") })),
        }),
      },
      onEvent: (event) => {
        if (event.type === "agent-text") sentAlready.push(event.text);
      },
      replies: [says("Noted."), says("Again.")],
    });

    await bench.agent.workflow.send("s1", { message: "The PIN is 4711." });
    const outcome = await bench.agent.workflow.send("s1", { message: "Hm." });

    expect(JSON.stringify(bench.requests)).not.toContain("4711");
    expect(contents(bench, 1)[0]).toBe("The PIN is ****.");
    expect(outcome.messages[0]?.content).toBe("The PIN is 4711.");
    expect(sentAlready).toEqual(["Noted.", "Again."]);
  });

  it("A-42 F-66 gives a call no id that a message which was not sent has", async () => {
    const bench = await open({
      spec: SPEC,
      hooks: { beforeLLM: ({ messages }) => ({ messages: messages.slice(0, 1) }) },
      replies: [calls(["ls", { path: "/" }, "same"]), calls(["glob", { pattern: "*" }, "same"]), says("end")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    const ids = outcome.messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(2);
    expect(outcome.messages.filter(({ role }) => role === "tool")).toHaveLength(2);
  });

  it("A-42 A-41 can take tools away, and neither add one nor change what one is", async () => {
    const bench = await open({
      spec: SPEC,
      hooks: {
        beforeLLM: ({ tools }) => ({
          tools: [
            { name: "bash", description: "Anything.", parameters: { type: "object" } },
            ...tools.filter(({ name }) => name === "glob").map((tool) => ({ ...tool, description: "Changed." })),
          ],
        }),
      },
      replies: [says("end")],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(offered(bench.requests[0])).toEqual(["glob"]);
    expect(JSON.stringify(bench.requests[0]?.body.tools)).not.toContain("Changed.");
    expect(ofType(bench.events, "warning")).toMatchObject([
      { scope: "hooks", message: expect.stringContaining("bash") },
    ]);
  });

  it("A-43 a beforeLLM that throws vetoes the call: none is made, and the turn ends as turn-error", async () => {
    const vetoed = new Error("not on this route");
    const bench = await open({
      spec: SPEC,
      hooks: {
        beforeLLM: ({ state }) => {
          if (state === "close") throw vetoed;
        },
      },
      replies: [advance("close"), says("never")],
    });

    await expect(bench.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow("not on this route");

    expect(bench.requests).toHaveLength(1);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });

  it.each<[string, Hooks]>([
    ["an afterLLM that throws", { afterLLM: () => Promise.reject(new Error("no such answers")) }],
    ["an answer that is no list of messages", { beforeLLM: () => ({ messages: "all" as never }) }],
    ["a message that is none", { beforeLLM: () => ({ messages: [{ role: "system", content: "x" }] as never }) }],
    ["an answer that is no list of tools", { beforeLLM: () => ({ tools: {} as never }) }],
  ])("A-43 %s fails the turn", async (_what, hooks) => {
    const bench = await open({ spec: SPEC, hooks, replies: [says("end")] });

    await expect(bench.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow();

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });

  it("A-38 A-43 hold for a grader's calls as well: a veto fails the turn, and is no failure of the state", async () => {
    const seen: unknown[] = [];
    const { send, bench } = await aGraded(open, {
      grader: [passes],
      hooks: {
        beforeLLM: ({ state, turn }) => {
          seen.push([state, turn]);
          if (state === "grade") throw new Error("no graders here");
        },
      },
    });

    await expect(send()).rejects.toThrow("no graders here");

    expect(seen).toEqual([
      ["work", 1],
      ["grade", 2],
    ]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
    expect(ofType(bench.events, "state-error-routed")).toEqual([]);
  });

  it("A-39 A-40 a workflow's own hooks replace all of the assembly's, and what it leaves unset it keeps", async () => {
    const told: string[] = [];
    const bench = await open({
      spec: SPEC.replace("ls, glob", "archmax_workflow_helper"),
      files: workflow("helper", worker("house")),
      hooks: {
        beforeLLM: ({ state }) => void told.push(`all: ${state}`),
        afterLLM: () => void told.push("all: after"),
      },
      agents: {
        helper: { hooks: { beforeLLM: ({ state }) => void told.push(`helper: ${state}`) } },
        case: { guardrails: [] },
      },
      replies: [calls(["archmax_workflow_helper", {}]), says("helped"), says("end")],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(told).toEqual(["all: work", "all: after", "helper: work", "all: work", "all: after"]);
  });
});

describe("middleware around model calls", () => {
  const tells = (name: string, log: string[]): AgentMiddleware => ({
    name,
    async wrapModelCall(request, next) {
      log.push(`${name} before ${request.workflow}/${request.state} of ${request.sessionId}`);
      const reply = await next({
        ...request,
        system: { ...request.system, volatile: `${request.system.volatile}\n${name}` },
      });
      log.push(`${name} after ${reply.text}`);
      return { ...reply, text: `${reply.text}${name}` };
    },
  });

  it("H-21 is applied outermost first, inside hooks, events and figures", async () => {
    const log: string[] = [];
    const bench = await open({
      spec: SPEC,
      middleware: [tells("A", log), { name: "tools only" }, tells("B", log)],
      hooks: {
        beforeLLM: () => void log.push("hook before"),
        afterLLM: ({ response }) => void log.push(`hook after ${response.text}`),
      },
      replies: [{ text: "x", usage }],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(log).toEqual([
      "hook before",
      "A before case/work of s1",
      "B before case/work of s1",
      "B after x",
      "A after xB",
      "hook after xBA",
    ]);
    expect(outcome.reply).toBe("xBA");
    expect(String(bench.requests[0]?.body.messages[0]?.content)).toMatch(/\nA\nB$/);
    expect(ofType(bench.events, "model-usage")).toMatchObject([{ inputTokens: 30, outputTokens: 4 }]);
    expect(ofType(bench.events, "agent-text")).toMatchObject([{ text: "xBA" }]);
  });

  it("H-21 F-65 F-66 may answer in place of the model, and its calls are held to what a model's are", async () => {
    let asked = 0;
    const cached: AgentMiddleware = {
      name: "cached",
      async wrapModelCall(_request, _next) {
        asked += 1;
        const call = { id: "c", name: "ls", args: { path: "/" } };
        if (asked <= 2) return { text: "", calls: [call, { ...call, args: "[" as never }], invalid: [] };
        return { text: "from the cache", calls: [], invalid: [] };
      },
    };
    const bench = await open({ spec: SPEC, middleware: [cached], replies: [] });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome.reply).toBe("from the cache");
    const ids = outcome.messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(4);
    expect(outcome.messages.filter(({ status }) => status === "error")).toHaveLength(2);
    expect(bench.requests).toEqual([]);
  });

  it("H-21 R-53 fails the turn by throwing, or by an answer that is none", async () => {
    const of = (wrapModelCall: AgentMiddleware["wrapModelCall"]) =>
      open({ spec: SPEC, middleware: [{ name: "odd", wrapModelCall }], replies: [says("x")] });
    const thrown = await of(() => Promise.reject(new Error("no")));
    const none = await of(async () => undefined as never);

    await expect(thrown.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow("no");
    await expect(none.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow(/"odd" answered no reply/);
  });
});

describe("the metric of a model call", () => {
  const llm = (metrics: MetricEvent[]) => metrics.filter(({ event }) => event === "llm");

  it("A-44 tells model, tokens, time and place, of a grader's call too", async () => {
    const metrics: MetricEvent[] = [];
    const { bench, send } = await aGraded(open, {
      spec: graded(),
      agent: [{ ...advance("grade"), usage, model: "answered" }, says("end")],
      grader: [{ ...passes, usage }],
      onMetric: (metric) => void metrics.push(metric),
    });

    await send();

    const place = { sessionId: "s1", workflow: "case" };
    expect(llm(metrics)).toEqual([
      {
        event: "llm",
        model: "answered",
        status: "ok",
        ms: 0,
        inputTokens: 30,
        outputTokens: 4,
        state: "work",
        ...place,
      },
      {
        event: "llm",
        model: "test-model",
        status: "ok",
        ms: 0,
        inputTokens: 30,
        outputTokens: 4,
        state: "grade",
        ...place,
      },
      {
        event: "llm",
        model: "test-model",
        status: "ok",
        ms: 0,
        inputTokens: 0,
        outputTokens: 0,
        state: "send",
        ...place,
      },
    ]);
    expect(bench.requests).toHaveLength(3);
  });

  it("A-44 tells a call that failed as an error, and one that waits for another invocation when it ends", async () => {
    const metrics: MetricEvent[] = [];
    const replies = [{ status: 429, headers: { "Retry-After": "120" } }, { status: 400 }];
    const bench = await open({ spec: SPEC, onMetric: (metric) => void metrics.push(metric), replies });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    await bench.agent.work("s1", { abortAt: bench.clock.now() + 60_000 });
    expect(llm(metrics)).toEqual([]);
    bench.clock.advance(120_000);
    const report = await bench.agent.work("s1");

    expect(report.settled[0]?.error).toBeInstanceOf(ModelCallError);
    expect(llm(metrics)).toMatchObject([{ status: "error", model: "house", inputTokens: 0 }]);
  });
});
