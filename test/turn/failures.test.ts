import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { advance, benches, blocks, calls, notes, ofType, results, says, setting, system, types } from "./support.js";

const open = benches();

/** `work` with further keys, then states to route to. */
const spec = (keys: string) => `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${keys}
    transitions: [{ to: done }]
  done: { instructions: Close., transitions: [{ to: work }] }
  rescue: { instructions: Mend., budget: { maxTurns: 1 }, transitions: [{ to: work }] }
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: On }] }
  mend: { type: code, script: scripts/mend.js, transitions: [{ to: done }] }
`;

const ROUTE = "on_error: rescue";

async function run(keys: string, options: Omit<BenchOptions, "spec">, config = {}) {
  const bench = await open({ spec: spec(keys), ...options });
  const outcome = await bench.agent.workflow.send("s1", { message: "go" }, config);
  return { bench, outcome };
}

describe("budget.maxTurns", () => {
  it("R-163 R-164 R-169 R-170 W-170 W-177 the call that would exceed it is not made; without a route the session is rejected", async () => {
    const { bench, outcome } = await run("budget: { maxTurns: 2 }", { answer: () => calls(["ls"]) });

    expect(bench.requests).toHaveLength(2);
    expect(outcome).toMatchObject({ kind: "rejected", status: "rejected", state: "work" });
    expect(outcome.rejected).toMatch(/work[\s\S]*2/);
    expect(outcome.exit).toBeUndefined();
    expect(bench.events.at(-1)).toMatchObject({ type: "state-leave", state: "work", next: "work" });
    expect(outcome.auditTrail).toHaveLength(1);
  });

  it("R-164 W-170 the count starts anew with every visit, and a turn that ends in text within it completes", async () => {
    const { outcome } = await run("budget: { maxTurns: 2 }", {
      replies: [calls(["ls"]), advance("done"), advance("work"), calls(["ls"]), says("end")],
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "work" });
  });

  it("R-164 W-170 and at a turn boundary", async () => {
    const bench = await open({ spec: spec("budget: { maxTurns: 1 }"), replies: [says("one"), says("two")] });
    await bench.agent.workflow.send("s1", { message: "a" });

    expect(await bench.agent.workflow.send("s1", { message: "b" })).toMatchObject({ kind: "completed", reply: "two" });
  });

  it("R-164 an on_error target's first call is its call 1", async () => {
    const { outcome } = await run(`budget: { maxTurns: 1 }\n    ${ROUTE}`, {
      replies: [calls(["ls"]), says("mended")],
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue", reply: "mended" });
  });
});

describe("budget.timeoutMs", () => {
  it("R-163 R-165 W-171 W-175 abandons the call, drops its result, and the state has failed", async () => {
    const { bench, outcome } = await run(`budget: { timeoutMs: 60 }\n    ${ROUTE}`, {
      // By the state, not by number: on a busy machine the time may have passed before the request is sent.
      answer: (request) =>
        system(request).includes("## You are in state work") ? { ...says("too late"), delayMs: 400 } : says("mended"),
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue", reply: "mended" });
    expect(notes(outcome)[0]).toMatch(/^\[error\][\s\S]*work[\s\S]*60 ms/);
    expect(JSON.stringify(outcome.messages)).not.toContain("too late");
    expect(types(bench.events, "model-usage")).toEqual([]);
  });

  it("R-165 tells what had been streamed by then, as partial, and keeps none of it", async () => {
    const { bench, outcome } = await run(`budget: { timeoutMs: 1000 }\n    ${ROUTE}`, {
      replies: [{ ...says("Half of it. The other half."), pauseMs: 3_000 }, says("mended")],
    });

    expect(outcome).toMatchObject({ state: "rescue", reply: "mended" });
    expect(ofType(bench.events, "agent-text")).toMatchObject([
      { state: "work", partial: true, text: expect.stringMatching(/^Half/) },
      { state: "rescue", text: "mended" },
    ]);
  });

  it("R-171 R-47 a cycle of such failures ends at the step limit", async () => {
    const bench = await open({
      spec: `
states:
  a: { instructions: A., triggers: { manual: }, budget: { timeoutMs: 10 }, on_error: b }
  b: { instructions: B., budget: { timeoutMs: 10 }, on_error: a }
`,
      answer: () => ({ ...says("late"), delayMs: 100 }),
    });

    await expect(bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 4 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
    expect(types(bench.events, "state-error-routed")).toHaveLength(4);
  });
});

describe("on_error", () => {
  it("R-168 W-93 W-177 moves with a note and a trail step, and tells of it in order", async () => {
    const { bench, outcome } = await run(`budget: { maxTurns: 1 }\n    ${ROUTE}`, {
      replies: [calls(["ls"]), says("ok")],
    });
    const reason = outcome.auditTrail[1]?.reason;

    expect(outcome.auditTrail[1]).toMatchObject({ to: "rescue", kind: "on_error" });
    expect(reason).toMatch(/work/);
    expect(notes(outcome)).toEqual([expect.stringContaining(reason ?? "?")]);
    expect(notes(outcome)[0]).toMatch(/^\[error\][\s\S]*rescue/);
    const from = bench.events.findIndex(({ type }) => type === "state-error-routed");
    expect(bench.events.slice(from, from + 3)).toMatchObject([
      { type: "state-error-routed", state: "work", to: "rescue", reason, level: "warn" },
      { type: "state-leave", state: "work", next: "rescue" },
      { type: "state-enter", state: "rescue" },
    ]);
    expect(blocks(bench.requests[1]).volatile).toContain("You are in state rescue");
  });

  it("R-131 R-168 W-174 to a human state parks with its handoff, to a code state runs it", async () => {
    const human = await run("budget: { maxTurns: 1 }\n    on_error: ask", {
      replies: [calls(["ls"]), says("Please.")],
    });
    const code = await run("budget: { maxTurns: 1 }\n    on_error: mend", {
      files: {
        "workflows/case/scripts/mend.js": `export default ({ tools }) => tools.archmax_advance({ to: "done", reason: "mended" });`,
      },
      replies: [calls(["ls"]), says("closed")],
    });

    expect(human.outcome).toMatchObject({ status: "awaiting_decision", state: "ask", reply: "Please." });
    expect(code.outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "on_error", "code"]);
  });

  it("R-169 a target the spec does not declare cannot be loaded, so a route is always one that exists", async () => {
    await expect(run("on_error: nowhere", {})).rejects.toMatchObject({ code: "workflow-load" });
  });

  it("F-20 R-168 is committed once: another process that takes the session up finds one step of it", async () => {
    const { bench } = await run(`budget: { maxTurns: 1 }\n    on_error: ask`, {
      replies: [calls(["ls"]), says("Please.")],
    });
    const other = await bench.again();
    const report = await other.work("s1");

    expect(report.settled).toEqual([]);
    expect(types(bench.events, "state-error-routed")).toHaveLength(1);
    expect(await other.sessions.get("s1")).toMatchObject({ status: "awaiting_decision", workflowState: "ask" });
  });

  it("R-163 W-175 a code state that fails takes it at once", async () => {
    const bench = await open({
      spec: spec("").replace("mend: { type: code,", "mend: { type: code, triggers: { job: }, on_error: rescue,"),
      files: { "workflows/case/scripts/mend.js": `export default () => { throw new Error("no disk"); };` },
      replies: [says("mended")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go", trigger: { id: "job" } });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
    expect(outcome.auditTrail.at(-1)?.reason).toMatch(/mend[\s\S]*no disk/);
  });
});

describe("a failure inside a batch", () => {
  const guarded = `tools: { allow: [{ tool: probe, args: { id: "\${{missing}}" } }, ls, other] }\n    ${ROUTE}`;
  const ran: string[] = [];
  const tools = toolsFromMap({
    probe: { description: "p", inputSchema: { type: "object" }, handler: () => "p" },
    other: { description: "o", inputSchema: { type: "object" }, handler: () => String(ran.push("other")) },
  });
  const broken: [string, Record<string, unknown>] = ["probe", { id: "1" }];

  it.each([
    ["before", [["archmax_advance", { to: "done", reason: "r" }], broken]],
    ["after", [broken, ["archmax_advance", { to: "done", reason: "r" }]]],
    ["a wait", [["archmax_wait", { reason: "r" }], broken]],
    ["a reset", [broken, ["archmax_reset", { reason: "r" }]]],
  ] as [string, [string, Record<string, unknown>][]][])(
    "R-167 R-96 overrules a move of the same batch (%s), which is answered state-failed",
    async (_, made) => {
      const { bench, outcome } = await run(guarded, { tools, replies: [calls(...made), says("mended")] });
      const moved = results(outcome).find(({ tool }) => tool !== "probe");

      expect(moved).toMatchObject({ status: "error", refusal: "state-failed" });
      expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
      expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "on_error"]);
      expect(types(bench.events, "parked", "advance", "workflow-reset")).toEqual(["workflow-reset", "advance"]);
      expect(ofType(bench.events, "tool-result").filter(({ tool }) => tool.startsWith("archmax_"))).toMatchObject([
        { status: "error" },
      ]);
      expect(bench.requests).toHaveLength(2);
    },
  );

  it("R-167 lets the batch's other calls finish, and tells of the overruled move after them", async () => {
    ran.length = 0;
    const { bench, outcome } = await run(guarded, {
      tools,
      replies: [calls(broken, ["other"], ["archmax_advance", { to: "done", reason: "r" }]), says("mended")],
    });

    expect(ran).toEqual(["other"]);
    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      "blocked:tool.unresolved-variable",
      undefined,
      "state-failed",
    ]);
    expect(ofType(bench.events, "tool-result").map(({ tool, status }) => [tool, status])).toEqual([
      ["other", "success"],
      ["archmax_advance", "error"],
    ]);
    expect(outcome.state).toBe("rescue");
  });

  it("R-80 R-163 R-167 W-172 a spent maxParks routes at the end of its batch", async () => {
    const bench = await open({
      spec: spec(`budget: { maxParks: 1 }\n    ${ROUTE}`),
      replies: [
        { ...calls(["archmax_wait", { reason: "r" }]), text: "w" },
        calls(["archmax_wait", { reason: "r" }], setting({ a: 1 })),
        says("mended"),
      ],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue", variables: { a: { value: 1 } } });
    expect(results(outcome).at(-2)).toMatchObject({ refusal: "park-budget" });
  });
});

describe("what is no failure of the state", () => {
  it.each([
    ["an edge that does not exist", [["archmax_advance", { to: "ask", reason: "r" }]]],
    ["unset requires", [["archmax_advance", { to: "done", reason: "r" }]]],
    ["a blocked call", [["read_file", { file_path: "checkpoints/x" }]]],
    ["bad arguments", [["read_file", { wrong: 1 }]]],
    ["an unresolved reference", [["ls", { path: "${{nothing}}" }]]],
    ["a refused write", [setting({ trigger: 1 })]],
    ["a tool that throws", [["probe"]]],
  ] as [string, [string, Record<string, unknown>?][]][])(
    "R-162 W-176 %s is answered, and the agent stays and tries again",
    async (_, made) => {
      const { bench, outcome } = await run(`requires: [must]\n    tools: { allow: [probe] }\n    ${ROUTE}`, {
        tools: toolsFromMap({
          probe: {
            description: "p",
            inputSchema: { type: "object" },
            handler: () => {
              throw new Error("down");
            },
          },
        }),
        replies: [calls(...made), says("end")],
      });

      expect(results(outcome)).toMatchObject([{ status: "error" }]);
      expect(outcome).toMatchObject({ kind: "completed", state: "work" });
      expect(bench.requests).toHaveLength(2);
    },
  );

  it("R-162 R-53 W-173 the step limit and a provider's failure end the turn failed, without a route", async () => {
    const limit = await open({ spec: spec(ROUTE), answer: () => calls(["ls"]) });
    await expect(limit.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 5 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
    const provider = await open({ spec: spec(ROUTE), replies: [{ status: 400, error: { message: "bad" } }] });
    await expect(provider.agent.workflow.send("s1", { message: "go" })).rejects.toThrow(/bad/);

    expect((await limit.agent.sessions.get("s1"))?.exit).toMatchObject({ code: "recursion-limit", state: "work" });
    expect((await provider.agent.sessions.get("s1"))?.exit).toMatchObject({ code: "turn-error", state: "work" });
    for (const { events } of [limit, provider]) expect(types(events, "state-error-routed")).toEqual([]);
  });

  it("R-162 R-74 a raise ends the session failed, without a route", async () => {
    const { bench, outcome } = await run(ROUTE, {
      replies: [calls(["archmax_raise", { code: "no-stock", reason: "Nothing is left." }])],
    });

    expect(outcome).toMatchObject({ kind: "failed", state: "work", exit: { code: "no-stock" } });
    expect(types(bench.events, "state-error-routed")).toEqual([]);
  });

  it("R-162 R-166 a returns shortfall rejects without a route", async () => {
    const { bench, outcome } = await run(ROUTE, {
      spec: undefined,
      files: { "workflows/case/workflow.yaml": spec(ROUTE).replace("manual:", "manual: { returns: [answer] }") },
      replies: [says("end")],
    } as never);

    expect(outcome).toMatchObject({ kind: "rejected", state: "work" });
    expect(types(bench.events, "state-error-routed")).toEqual([]);
  });

  it("W-169 a budget takes positive integers only", async () => {
    for (const budget of ["maxTurns: 0", "timeoutMs: 1.5", "maxParks: many", "maxCalls: 3"])
      await expect(run(`budget: { ${budget} }`, {})).rejects.toMatchObject({ code: "workflow-load" });
  });

  it("W-173 R-166 nothing but the leg's step limit bounds the work: a leg has 400 steps, and a delivery a new leg", async () => {
    const bench = await open({
      spec: spec(""),
      answer: (_, ordinal) =>
        ordinal % 3 === 0 ? { ...calls(["archmax_wait", { reason: "r" }]), text: "w" } : calls(["ls"]),
    });
    const config = { recursionLimit: 7 };
    await bench.agent.workflow.send("s1", { message: "go" }, config);
    for (let leg = 0; leg < 3; leg += 1)
      expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } }, config)).toMatchObject({
        kind: "parked",
      });
  });
});
