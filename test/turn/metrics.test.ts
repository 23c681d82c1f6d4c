/** What a metric sink is told of calls and turns, and that nothing changes without one. */
import { describe, expect, it } from "vitest";
import type { MetricEvent, MetricSink } from "../../lib/extensions/types.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { aGraded, passes } from "./graded.js";
import { advance, benches, calls, ofType, says, setting } from "./support.js";

const open = benches();

const spec = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [probe, read_file, archmax_eval, archmax_wait] }
    transitions: [{ to: end }]
  end: { instructions: End. }
`;

function probe(run: () => unknown = () => "seen") {
  return toolsFromMap({ probe: { description: "Looks.", inputSchema: { type: "object" }, handler: run } });
}

type Of<E extends MetricEvent["event"]> = Extract<MetricEvent, { event: E }>;

/** A sink, and what it was told of one kind. */
function sink() {
  const told: MetricEvent[] = [];
  const onMetric: MetricSink = (metric) => told.push(metric);
  const of = <E extends MetricEvent["event"]>(event: E) => told.filter((metric) => metric.event === event) as Of<E>[];
  return { onMetric, told, of };
}

describe("the figures of tool calls", () => {
  it("A-44 name each governed call once, with its source, its end and its time", async () => {
    const { onMetric, of } = sink();
    const bench = await open({
      spec,
      tools: probe(() => {
        bench.clock.advance(40);
        return "seen";
      }),
      guardrails: [({ name }) => (name === "archmax_advance" ? "no" : undefined)],
      onMetric,
      replies: [
        calls(["probe"], ["read_file", {}], ["archmax_eval", { code: "await tools.probe({})" }]),
        advance("end"),
        calls(setting({ x: 1 }), ["made_up_by_a_model", {}]),
        says("done"),
      ],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    const shown = of("tool").map(({ tool, source, isError, blocked }) => [tool, source, isError, blocked]);
    expect(shown.sort()).toEqual(
      [
        ["probe", "host", false, false],
        ["read_file", "builtin", true, false],
        ["probe", "host", false, false],
        ["archmax_eval", "builtin", false, false],
        ["archmax_advance", "control", true, true],
        ["archmax_set_variables", "control", false, false],
      ].sort(),
    );
    expect(of("tool").find(({ tool }) => tool === "probe")).toEqual({
      event: "tool",
      tool: "probe",
      source: "host",
      isError: false,
      blocked: false,
      ms: 40,
      state: "work",
      sessionId: "s1",
      workflow: "case",
    });
  });

  it("A-44 A-81 a wait is pending and no error; one that is refused is", async () => {
    const { onMetric, of } = sink();
    const bench = await open({
      spec,
      onMetric,
      replies: [
        calls(["archmax_wait", { reason: "for mail", until: "nonsense" }]),
        calls(["archmax_wait", { reason: "for mail" }]),
        says("waiting"),
      ],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome.kind).toBe("parked");
    expect(of("tool").map(({ isError, pending }) => [isError, pending])).toEqual([
      [true, undefined],
      [false, true],
    ]);
    expect(of("run")).toMatchObject([{ kind: "parked" }]);
    expect(of("run")[0]).not.toHaveProperty("error");
  });

  it("A-44 A-81 a delegation whose child parks is pending, and the child tells its own sink", async () => {
    const root = sink();
    const child = sink();
    const bench = await open({
      spec: caller("child"),
      files: workflow("child", worker("child").replace("triggers:", "tools: { allow: [archmax_wait] }\n    triggers:")),
      onMetric: root.onMetric,
      agents: { child: { onMetric: child.onMetric } },
      answer: byModel({
        "test-model": [calls(["archmax_workflow_child"]), says("waiting")],
        child: [calls(["archmax_wait", { reason: "for mail" }]), says("later")],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome.kind).toBe("parked");
    expect(root.of("tool")).toMatchObject([
      { tool: "archmax_workflow_child", source: "workflow", isError: false, pending: true, sessionId: "s1" },
    ]);
    expect(child.of("tool")).toMatchObject([
      { tool: "archmax_wait", pending: true, sessionId: "s1~1", workflow: "child" },
    ]);
    expect(child.of("run")).toMatchObject([{ kind: "parked", workflow: "child", turns: 2 }]);
    expect(root.of("run")).toMatchObject([{ kind: "parked", workflow: "case" }]);
  });
});

describe("the figures of turns", () => {
  it("A-44 tell how a turn settled, and what it took", async () => {
    const { onMetric, of } = sink();
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    const bench = await open({
      spec,
      tools: probe(() => {
        bench.clock.advance(40);
        return "seen";
      }),
      onMetric,
      replies: [
        { ...calls(["probe"], ["probe"]), usage },
        { ...says("done"), usage },
        { ...says("again"), usage },
      ],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });
    await bench.agent.workflow.send("s1", { message: "More." });

    const common = { event: "run", model: "test-model", kind: "completed", sessionId: "s1", workflow: "case" };
    const [first, second] = of("run");
    expect(first).toEqual({ ...common, turns: 2, toolCalls: 2, totalTokens: 24, ms: expect.any(Number) });
    expect(first!.ms).toBeGreaterThanOrEqual(40);
    expect(second).toMatchObject({ ...common, turns: 1, toolCalls: 0, totalTokens: 12 });
  });

  it("A-44 tell of a turn that failed with its error, and of none that was refused", async () => {
    const { onMetric, of } = sink();
    const bench = await open({ spec, onMetric, replies: [{ status: 400, error: { message: "no such model" } }] });

    await expect(bench.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow();
    await expect(bench.agent.workflow.decide("s1", { target: "end" })).rejects.toThrow();

    expect(of("run")).toMatchObject([{ kind: "error", error: expect.stringContaining("no such model") }]);
  });

  it("A-44 R-35 tell of a turn that was refused its opening without the figures of the one before", async () => {
    const { onMetric, of } = sink();
    const bench = await open({
      spec: spec.replace("manual: ", "mail: { requires: [order] }, manual: "),
      onMetric,
      replies: [{ ...says("done"), usage: { prompt_tokens: 10, completion_tokens: 2 } }],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });
    await bench.agent.workflow.send("s1", { message: "Go.", trigger: { id: "mail" } });

    expect(of("run")).toMatchObject([
      { kind: "completed", turns: 1, totalTokens: 12 },
      { kind: "rejected", turns: 0, toolCalls: 0, totalTokens: 0 },
    ]);
  });

  it("A-44 A-8 count a grader's model calls among the session's", async () => {
    const { onMetric, of } = sink();
    const { send } = await aGraded(open, { onMetric, grader: [calls(["probe", {}]), passes] });

    await send();

    expect(of("run")).toMatchObject([{ turns: 4, kind: "completed" }]);
  });
});

describe("a sink that fails", () => {
  it.each([
    ["throws", () => raise(new Error("full"))],
    ["rejects", async () => raise(new Error("full"))],
  ])("A-44 that %s is ignored, with one warning", async (_what, onMetric) => {
    const bench = await open({ spec, tools: probe(), onMetric, replies: [calls(["probe"], ["probe"]), says("done")] });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
    await Promise.resolve();

    expect(outcome.kind).toBe("completed");
    const warnings = ofType(bench.events, "warning").filter(({ scope }) => scope === "metrics");
    expect(warnings).toMatchObject([{ message: expect.stringContaining("full") }]);
  });
});

describe("with none of it set", () => {
  it("A-2 A-41 requests, transcripts, trails and outcomes are byte by byte those of an empty layer", async () => {
    const play = async (layer: object) => {
      const bench = await open({
        spec: spec.replace("archmax_wait]", "archmax_wait, archmax_workflow_child]"),
        files: workflow("child", worker("child", "{ returns: [total] }")),
        tools: probe(),
        answer: byModel({
          "test-model": [
            calls(["probe", { a: 1 }]),
            calls(["archmax_workflow_child"]),
            calls(["archmax_eval", { code: "await tools.probe({ b: 2 })" }]),
            calls(setting({ x: 1 })),
            advance("end"),
            says("done"),
          ],
          child: [calls(setting({ total: 3 })), says("Three.")],
        }),
        ...layer,
      });
      const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
      return JSON.stringify({ requests: bench.requests.map(({ body }) => body), outcome, events: bench.events });
    };
    const empty = {
      guardrails: [],
      hooks: {},
      middleware: [],
      agents: { case: {}, child: { guardrails: [], hooks: {} } },
      limits: {},
    };
    const watching = {
      guardrails: [() => undefined],
      hooks: { beforeTool: () => {}, afterTool: () => ({}), beforeLLM: () => {}, afterLLM: () => {} },
      onMetric: () => {},
      middleware: [
        { name: "through", wrapToolCall: (request: never, next: (request: never) => unknown) => next(request) },
      ],
    };

    const without = await play({});

    // Not compared as texts: a difference would print them whole.
    expect((await play(empty)) === without).toBe(true);
    expect((await play(watching)) === without).toBe(true);
    expect(without.length).toBeGreaterThan(10_000);
  });
});

function raise(error: Error): never {
  throw error;
}
