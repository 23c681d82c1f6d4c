import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { advance, benches, calls, offered, ofType, results, says, setting, system, types } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: , other: }
    requires: [amount]
    transitions: [{ to: check }, { to: review }, { to: compute, description: Work it out. }]
  compute: { type: code, script: scripts/compute.js }
  check:
    instructions: Check.
    transitions: [{ to: work, type: refine }, { to: done }]
  review:
    type: human
    instructions: Decide.
    evidence: [scratchpad/draft.md]
    transitions: [{ to: done, description: Approve }]
  done: { instructions: Close. }
`;

const SIMPLE = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: done }, { to: other }]
  other: { instructions: Look aside., transitions: [{ to: work }] }
  done: { instructions: Close. }
`;

const run = async (spec: string, ...replies: Parameters<typeof calls>[0][][]) => {
  const bench = await open({ spec, replies: [...replies.map((made) => calls(...made)), says("end")] });
  return { bench, outcome: await bench.agent.workflow.send("s1", { message: "go" }) };
};

describe("archmax_advance", () => {
  it("R-62 is offered where there is a way out, and not in a terminal state", async () => {
    const { bench } = await run(SIMPLE, [["archmax_advance", { to: "done", reason: "r" }]]);

    expect(offered(bench.requests[0])).toContain("archmax_advance");
    expect(offered(bench.requests[1])).not.toContain("archmax_advance");
  });

  it("R-67 R-69 W-92 moves: position, trail, answer, and the target's block and tools in the next call", async () => {
    const bench = await open({
      spec: SIMPLE.replace("done: {", "done: { tools: { forbid: [grep] }, "),
      replies: [advance("done"), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({ status: "completed", state: "done" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "done", kind: "agent", reason: "on to done" });
    expect(results(outcome)).toEqual([
      { tool: "archmax_advance", text: expect.stringContaining("done"), status: "success" },
    ]);
    expect(offered(bench.requests[0])).toContain("grep");
    expect(offered(bench.requests[1])).not.toContain("grep");
    expect(system(bench.requests[1])).toContain("You are in state done");
  });

  it.each([
    ["a code state runs at once", "compute", ["agent", "code"], "done", 2],
    ["a grader state runs at once", "judge", ["agent", "grader"], "done", 3],
    ["a human state parks", "ask", ["agent"], "ask", 2],
  ])("R-69 after the commit %s", async (_what, to, kinds, state, requests) => {
    const bench = await open({
      spec: `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions:
      - { to: compute, description: Work it out. }
      - { to: judge, description: Have it judged. }
      - { to: ask }
  compute: { type: code, script: scripts/compute.js, transitions: [{ to: done }] }
  judge: { type: grader, instructions: Judge., transitions: [{ to: done, description: Fine. }] }
  ask: { type: human, instructions: Decide., transitions: [{ to: done, description: Fine. }] }
  done: { instructions: Close. }
`,
      files: {
        "workflows/case/scripts/compute.js": `export default ({ tools }) => tools.archmax_advance({ to: "done", reason: "r" });`,
      },
      replies: [advance(to), ...(to === "judge" ? [advance("done")] : []), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome.auditTrail.slice(1).map(({ kind }) => kind)).toEqual(kinds);
    expect(outcome).toMatchObject({ state, kind: to === "ask" ? "parked" : "completed", reply: "end" });
    expect(bench.requests).toHaveLength(requests);
  });

  it("R-67 R-298 tells of the move between the call and its result", async () => {
    const { bench } = await run(SIMPLE, [["archmax_advance", { to: "done", reason: "ready" }, "call-a"]]);
    const from = bench.events.findIndex((event) => event.type === "tool-called");

    expect(bench.events.slice(from, from + 5)).toMatchObject([
      { type: "tool-called", tool: "archmax_advance", callId: "call-a", state: "work" },
      { type: "advance", from: "work", to: "done", reason: "ready", callId: "call-a" },
      { type: "state-leave", state: "work", next: "done" },
      { type: "state-enter", state: "done" },
      { type: "tool-result", callId: "call-a", status: "success", state: "work" },
    ]);
  });

  it("R-64 R-68 W-92 W-93 refuses a target that is no transition, names the valid ones, and changes nothing", async () => {
    const { bench, outcome } = await run(
      SIMPLE,
      [["archmax_advance", { to: "nowhere", reason: "r" }]],
      [["archmax_advance", { to: "work", reason: "r" }]],
    );

    const refused = { status: "error", refusal: "no-edge", text: expect.stringMatching(/done, other/) };
    expect(results(outcome)).toEqual([1, 2].map(() => ({ tool: "archmax_advance", ...refused })));
    expect(outcome).toMatchObject({ status: "completed", state: "work" });
    expect(ofType(bench.events, "advance").map(({ from }) => from)).toEqual(["__start__"]);
    expect(ofType(bench.events, "tool-result")).toMatchObject([1, 2].map(() => ({ status: "error", level: "warn" })));
    expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger"]);
  });

  it("R-64 W-55 W-57 judges any token by the edges: a state whose key is no slug is reached, a title is not", async () => {
    const spec = `
states:
  work:
    triggers: { manual: }
    transitions: [{ to: "Nächster Schritt", description: on }]
  "Nächster Schritt": { title: Next }
`;
    const { outcome } = await run(
      spec,
      [["archmax_advance", { to: "Next", reason: "r" }]],
      [["archmax_advance", { to: "Nächster Schritt", reason: "r" }]],
    );

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual(["no-edge", undefined]);
    expect(outcome.state).toBe("Nächster Schritt");
  });

  it("R-65 W-145 refuses while a required variable is unset, and null counts as set", async () => {
    const { outcome } = await run(
      SPEC,
      [["archmax_advance", { to: "check", reason: "r" }]],
      [setting({ amount: null }), ["archmax_advance", { to: "check", reason: "r" }]],
    );

    expect(results(outcome)).toMatchObject([
      { refusal: "requires-unset", text: expect.stringMatching(/amount[\s\S]*archmax_set_variables/) },
      { status: "success" },
      { status: "success" },
    ]);
    expect(outcome.state).toBe("check");
  });

  it("W-145 a seeded value satisfies `requires`", async () => {
    const bench = await open({ spec: SPEC, replies: [advance("check"), says("end")] });

    expect(await bench.agent.workflow.send("s1", { message: "go", variables: { amount: 1 } })).toMatchObject({
      state: "check",
    });
  });

  it("R-63 R-208 W-145 asks arguments, then evidence, then `requires`, then the edge", async () => {
    const { outcome } = await run(
      SPEC,
      [["archmax_advance", { to: "nowhere", reason: " ", evidence: ["a"] }]],
      [["archmax_advance", { to: "nowhere", reason: "r", evidence: ["a"] }]],
      [["archmax_advance", { to: "nowhere", reason: "r" }]],
      [setting({ amount: 1 })],
      [["archmax_advance", { to: "nowhere", reason: "r" }]],
    );

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      "invalid-arguments",
      "evidence-target",
      "requires-unset",
      undefined,
      "no-edge",
    ]);
  });

  it("R-63 asks arguments before it looks whether the message has moved, and that before the rest", async () => {
    const { outcome } = await run(SIMPLE, [
      ["archmax_advance", { to: "done", reason: "r" }],
      ["archmax_advance", { to: "done", reason: " " }],
      ["archmax_advance", { to: "other", reason: "r", evidence: ["../a"] }],
      ["archmax_advance", { to: "nowhere", reason: "r" }],
    ]);

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      undefined,
      "invalid-arguments",
      "already-moved",
      "already-moved",
    ]);
  });

  it("R-208 reports a refused move as the advance's own result, not as a blocked call", async () => {
    const { bench } = await run(SIMPLE, [["archmax_advance", { to: "nowhere", reason: "r" }]]);

    expect(ofType(bench.events, "tool-blocked")).toEqual([]);
    expect(types(bench.events, "tool-called", "tool-result")).toEqual(["tool-called", "tool-result"]);
  });

  it.each([
    ["evidence-target", "check", ["scratchpad/a.md"], /check/],
    ["evidence-target", "compute", ["scratchpad/a.md"], /compute/],
    ["evidence-count", "review", Array.from({ length: 21 }, (_, i) => `scratchpad/${i}`), /20/],
    ["evidence-path", "review", ["../secret"], /\.\.\/secret/],
    ["evidence-path", "review", ["scratchpad/ok", ""], /""/],
    ["evidence-path", "review", ["checkpoints/x"], /checkpoints\/x/],
  ])("R-66 refuses evidence with %s for %s", async (code, to, evidence, names) => {
    const { outcome } = await run(SPEC, [setting({ amount: 1 })], [["archmax_advance", { to, reason: "r", evidence }]]);

    expect(results(outcome).at(-1)).toMatchObject({ refusal: code, text: expect.stringMatching(names) });
    expect(outcome.state).toBe("work");
  });

  it("R-66 W-66 stores the declared evidence, then the attached, canonical and without repeats", async () => {
    const evidence = ["/scratchpad//b.md", "scratchpad/draft.md", "large_tool_results/c.txt", "scratchpad/x/../b.md"];
    const { outcome } = await run(
      SPEC,
      [setting({ amount: 1 })],
      [["archmax_advance", { to: "review", reason: "r", evidence }]],
    );

    expect(outcome.pending).toMatchObject({
      evidence: ["scratchpad/draft.md", "scratchpad/b.md", "large_tool_results/c.txt"],
    });
  });
});

describe("several calls in one message", () => {
  it.each([
    ["advance", ["archmax_advance", { to: "done", reason: "r" }], "done"],
    ["reset", ["archmax_reset", { reason: "r" }], "work"],
  ] as const)("R-57 F-37 refuses every further move after a %s, naming where the session is", async (_, first, now) => {
    const { outcome } = await run(SIMPLE, [
      [first[0], first[1]],
      ["archmax_advance", { to: "other", reason: "r" }],
      ["archmax_reset", { reason: "r" }],
      ["archmax_wait", { reason: "r" }],
    ]);

    expect(results(outcome)).toMatchObject([
      { status: "success" },
      ...Array.from({ length: 3 }, () => ({ refusal: "already-moved", text: expect.stringContaining(now) })),
    ]);
    expect(outcome.state).toBe(now);
  });

  it("R-57 refuses every further move after a wait, and the session parks", async () => {
    const { outcome } = await run(SIMPLE, [
      ["archmax_wait", { reason: "mail" }],
      ["archmax_advance", { to: "other", reason: "r" }],
      ["archmax_reset", { reason: "r" }],
      ["archmax_wait", { reason: "again" }],
    ]);

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      undefined,
      "already-waiting",
      "already-waiting",
      "already-waiting",
    ]);
    expect(outcome).toMatchObject({ status: "awaiting_input", state: "work", pending: { reason: "mail" } });
  });

  it("R-57 lets a later call move when the earlier attempt was refused", async () => {
    const { outcome } = await run(SIMPLE, [
      ["archmax_advance", { to: "nowhere", reason: "r" }],
      ["archmax_advance", { to: "done", reason: "r" }],
    ]);

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual(["no-edge", undefined]);
    expect(outcome.state).toBe("done");
  });

  it("F-37 F-59 runs nothing after the batch that parked, and answers every call in order", async () => {
    const ran: string[] = [];
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    tools: { allow: [probe] }"),
      tools: toolsFromMap({
        probe: {
          description: "Notes that it ran.",
          inputSchema: { type: "object", properties: { at: { type: "string" } } },
          handler: ({ at }) => String(ran.push(String(at))),
        },
      }),
      replies: [
        calls(["probe", { at: "before" }], ["archmax_wait", { reason: "mail" }], ["probe", { at: "after" }]),
        says("Waiting."),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(ran.sort()).toEqual(["after", "before"]);
    expect(results(outcome).map(({ tool }) => tool)).toEqual(["probe", "archmax_wait", "probe"]);
    expect(outcome.status).toBe("awaiting_input");
    expect(bench.requests).toHaveLength(2);
  });

  it("R-297 R-298 tells of a move only when the batch's running calls have answered", async () => {
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    tools: { allow: [probe] }"),
      tools: toolsFromMap({ probe: { description: "d", inputSchema: { type: "object" }, handler: () => "ok" } }),
      replies: [calls(["archmax_advance", { to: "done", reason: "r" }], ["probe"]), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const told = bench.events
      .filter((event) => "tool" in event || ["advance", "state-leave"].includes(event.type))
      .map((event) => `${event.type} ${"tool" in event ? event.tool : ""}`.trim());

    expect(told.slice(1)).toEqual([
      "tool-called archmax_advance",
      "tool-called probe",
      "tool-result probe",
      "advance",
      "state-leave",
      "tool-result archmax_advance",
      "state-leave",
    ]);
  });
});

describe("archmax_reset", () => {
  it("R-70 R-298 goes back to where the session began, releases the agent's locks and keeps everything else", async () => {
    const { bench, outcome } = await run(
      SIMPLE,
      [setting({ mine: 1 }, true)],
      [["archmax_advance", { to: "other", reason: "r" }]],
      [["archmax_reset", { reason: "start over" }, "call-r"]],
    );

    expect(outcome.state).toBe("work");
    expect(outcome.variables).toMatchObject({ mine: { value: 1, locked: false }, trigger: { locked: true } });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "work", kind: "reset", reason: "start over" });
    const from = bench.events.findIndex((event) => "callId" in event && event.callId === "call-r");
    expect(bench.events.slice(from + 1, from + 5)).toMatchObject([
      { type: "state-leave", state: "other", next: "work" },
      { type: "workflow-reset", entry: "work" },
      { type: "state-enter", state: "work" },
      { type: "tool-result", tool: "archmax_reset" },
    ]);
  });

  it("R-70 leaves transcript, files, trail, todos, usage and the count of waits as they were", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 };
    const todos = [{ content: "Look.", status: "pending" }];
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    budget: { maxParks: 1 }\n    on_error: other"),
      replies: [
        {
          ...calls(["write_todos", { todos }], ["write_file", { file_path: "/scratchpad/a.md", content: "A" }]),
          usage,
        },
        calls(["archmax_wait", { reason: "mail" }]),
        says("w"),
        calls(["archmax_reset", { reason: "again" }]),
        calls(["archmax_wait", { reason: "mail" }]),
        says("end"),
      ],
    });
    const waiting = await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } });
    const stored = await loadState(bench.stores.sessions, "s1");

    expect(outcome.messages.slice(0, waiting.messages.length)).toEqual(waiting.messages);
    expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "trigger", "reset", "on_error"]);
    expect(results(outcome).at(-1)).toMatchObject({ refusal: "park-budget" });
    expect(outcome.usage).toMatchObject({ inputTokens: 7 });
    expect(stored?.state.fields).toMatchObject({ todos, parkCounts: { work: 1 } });
    expect((await bench.stores.files.list("s1")).map(({ path }) => path)).toContain("scratchpad/a.md");
  });

  it("R-70 W-93 goes back to where the session began, whatever trigger opened the turn", async () => {
    const bench = await open({
      spec: SIMPLE.replace("other: {", "other: { triggers: { second: },"),
      replies: [says("one"), advance("done"), calls(["archmax_reset", { reason: "again" }]), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.send("s1", { message: "more", trigger: { id: "second" } });

    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "work", kind: "reset" });
    expect(outcome.state).toBe("work");
  });

  it("R-70 R-87 W-144 leaves a host's lock alone", async () => {
    const bench = await open({
      spec: SIMPLE,
      replies: [calls(["archmax_reset", { reason: "r" }]), calls(setting({ given: 2 })), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go", variables: { given: 1 } });

    expect(results(outcome).at(-1)).toMatchObject({ refusal: "variable-locked", text: expect.stringContaining("1") });
    expect(outcome.variables.given).toEqual({ value: 1, locked: true });
  });

  it("R-70 is offered in terminal states too, and asks for a reason", async () => {
    const { bench, outcome } = await run(
      SIMPLE,
      [["archmax_advance", { to: "done", reason: "r" }]],
      [["archmax_reset", { reason: "  " }]],
    );

    expect(offered(bench.requests[1])).toContain("archmax_reset");
    expect(results(outcome).at(-1)).toMatchObject({ refusal: "invalid-arguments", text: /reason/ });
    expect(outcome.state).toBe("done");
  });

  it("R-71 runs an automated entry at once", async () => {
    const bench = await open({
      spec: `
states:
  first:
    triggers: { manual: }
    type: code
    script: scripts/first.js
    transitions: [{ to: work }]
  work: { instructions: Work. }
`,
      files: {
        "workflows/case/scripts/first.js": `export default ({ tools }) => tools.archmax_advance({ to: "work", reason: "r" });`,
      },
      replies: [calls(["archmax_reset", { reason: "again" }]), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "code", "reset", "code"]);
    expect(bench.requests).toHaveLength(2);
  });

  it("R-71 R-98 parks at a human entry", async () => {
    const bench = await open({
      spec: `
states:
  ask:
    triggers: { manual: }
    type: human
    instructions: Decide.
    transitions: [{ to: work, description: Start }]
  work: { instructions: Work. }
`,
      replies: [says("Please decide."), calls(["archmax_reset", { reason: "again" }]), says("Please decide again.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.decide("s1", { target: "work" });

    expect(outcome).toMatchObject({ status: "awaiting_decision", state: "ask", pending: { seq: 2 } });
  });
});

describe("archmax_raise", () => {
  it("R-72 is offered in terminal states too", async () => {
    const { bench } = await run(SIMPLE, [["archmax_advance", { to: "done", reason: "r" }]]);

    expect(offered(bench.requests[1])).toEqual(expect.arrayContaining(["archmax_raise", "archmax_wait"]));
  });

  it("R-74 W-64 W-176 ends the session failed, with no further model call, trail step, or returns check", async () => {
    const bench = await open({
      spec: `
states:
  work:
    triggers: { manual: { returns: [answer] } }
    on_error: rescue
    transitions: [{ to: rescue }]
  rescue: { instructions: Mend. }
`,
      replies: [calls(["archmax_raise", { code: " no-stock ", reason: " Sold out. " }, "call-x"])],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({
      kind: "failed",
      status: "failed",
      state: "work",
      exit: { success: false, code: "no-stock", reason: "Sold out." },
    });
    expect(outcome.auditTrail).toHaveLength(1);
    expect(bench.requests).toHaveLength(1);
    expect(bench.events.slice(-4)).toMatchObject([
      { type: "tool-called", callId: "call-x" },
      { type: "raised", state: "work", sessionId: "s1", code: "no-stock", reason: "Sold out.", callId: "call-x" },
      { type: "state-leave", state: "work", next: "work" },
      { type: "tool-result", callId: "call-x" },
    ]);
    expect((await bench.agent.sessions.get("s1"))?.exit).toEqual({
      code: "no-stock",
      reason: "Sold out.",
      state: "work",
    });
  });

  it("R-73 is refused among siblings, which run normally", async () => {
    const { outcome } = await run(SIMPLE, [setting({ a: 1 }), ["archmax_raise", { code: "x", reason: "r" }]]);

    expect(results(outcome)).toMatchObject([
      { status: "success" },
      { refusal: "not-alone", text: expect.stringMatching(/only call/) },
    ]);
    expect(outcome).toMatchObject({ status: "completed", variables: { a: { value: 1 } } });
  });

  it.each([
    ["code", { code: "a\nb", reason: "r" }],
    ["code", { code: "x".repeat(65), reason: "r" }],
    ["reason", { code: "x", reason: "" }],
  ])("R-72 names a bad %s, and the session goes on", async (field, args) => {
    const { outcome } = await run(SIMPLE, [["archmax_raise", args]]);

    expect(results(outcome)).toMatchObject([{ refusal: "invalid-arguments", text: expect.stringContaining(field) }]);
    expect(outcome.status).toBe("completed");
  });

  it("R-75 the next input is an ordinary turn in the state it raised in, without the exit", async () => {
    const bench = await open({
      spec: SIMPLE,
      replies: [advance("other"), calls(["archmax_raise", { code: "x", reason: "r" }]), says("Better now.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.send("s1", { message: "again" });

    expect(outcome).toMatchObject({ kind: "completed", state: "other", disposition: "turn", exit: { success: true } });
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields).not.toHaveProperty("exit");
  });
});

describe("archmax_wait", () => {
  it("R-76 asks for a reason", async () => {
    const { outcome } = await run(SIMPLE, [["archmax_wait", { reason: " " }]]);

    expect(results(outcome)).toMatchObject([{ refusal: "invalid-arguments", text: expect.stringContaining("reason") }]);
    expect(outcome.status).toBe("completed");
  });

  it.each(["0m", "-1h", "1.5h", "2 weeks", "2026-02-30", "2026-03-20T9:00Z", "soon", "", " "])(
    "R-77 F-25 refuses until %j with the accepted forms, and does not park",
    async (until) => {
      const { outcome } = await run(SIMPLE, [["archmax_wait", { reason: "r", until }]]);

      expect(results(outcome)).toMatchObject([
        { refusal: "until-invalid", text: expect.stringMatching(/30m[\s\S]*2026-03-01/) },
      ]);
      expect(outcome.status).toBe("completed");
    },
  );

  it.each([
    ["30m", "2026-03-20T09:30:00.000Z"],
    ["2h", "2026-03-20T11:00:00.000Z"],
    ["1d", "2026-03-21T09:00:00.000Z"],
    ["500ms", "2026-03-20T09:00:00.500Z"],
    ["2026-04-01", "2026-04-01T00:00:00.000Z"],
    ["2026-04-01 08:15", "2026-04-01T08:15:00.000Z"],
    ["2026-04-01T08:15:30.5+02:00", "2026-04-01T06:15:30.500Z"],
    ["2020-01-01", "2020-01-01T00:00:00.000Z"],
  ])("R-77 R-78 F-24 F-25 turns until %s into %s at the call", async (until, resumeAt) => {
    const { bench, outcome } = await run(SIMPLE, [["archmax_wait", { reason: "r", until }, "call-w"]]);

    expect(outcome).toMatchObject({ status: "awaiting_input", pending: { resumeAt } });
    expect(ofType(bench.events, "parked")).toMatchObject([
      { state: "work", sessionId: "s1", awaiting: "input", reason: "r", resumeAt, callId: "call-w" },
    ]);
  });

  it("F-25 R-78 the instant does not move afterwards", async () => {
    const { bench } = await run(SIMPLE, [["archmax_wait", { reason: "r", until: "30m" }]]);
    bench.clock.advance(60_000);

    expect((await bench.agent.sessions.get("s1"))?.resumeAt).toBe("2026-03-20T09:30:00.000Z");
  });

  it("R-79 W-64 parks where it stands, without a trail step, and tells the model to stop", async () => {
    const { bench, outcome } = await run(SIMPLE, [["archmax_wait", { reason: "mail" }]]);

    expect(outcome).toMatchObject({ kind: "parked", parkedChannel: "input", state: "work" });
    expect(outcome.exit).toBeUndefined();
    expect(outcome.auditTrail).toHaveLength(1);
    expect(results(outcome)[0]?.text).toMatch(/stop/i);
    expect(types(bench.events, "state-leave")).toEqual([]);
    expect(ofType(bench.events, "parked")).toMatchObject([
      { state: "work", awaiting: "input", reason: "mail", callId: "call_1_1" },
    ]);
    expect(ofType(bench.events, "parked")[0]).not.toHaveProperty("resumeAt");
  });

  it("R-79 R-189 commits the record, the count and the phase, and leaves what failed before outstanding", async () => {
    const bench = await open({
      spec: caller("stuck"),
      files: workflow("stuck", worker("stuck")),
      answer: byModel({
        "test-model": [calls(["archmax_workflow_stuck"]), calls(["archmax_wait", { reason: "mail" }]), says("w")],
        stuck: [calls(["archmax_raise", { code: "stuck", reason: "No way." }])],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields).toMatchObject({
      status: "awaiting_input",
      position: "desk",
      park: { channel: "input", state: "desk", reason: "mail" },
      parkPhase: "suspended",
      parkCounts: { desk: 1 },
      failedDelegations: [{ workflow: "stuck" }],
    });
  });

  it("R-80 R-127 W-172 counts a state's parks over a turn, and the one too many fails the state", async () => {
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    budget: { maxParks: 2 }"),
      answer: () => calls(["archmax_wait", { reason: "mail" }]),
    });
    const { workflow } = bench.agent;
    await workflow.send("s1", { message: "go" });
    await workflow.deliver("s1", { trigger: { id: "mail" } });
    const outcome = await workflow.deliver("s1", { trigger: { id: "mail" } });

    expect(outcome).toMatchObject({ kind: "rejected", status: "rejected", state: "work" });
    expect(outcome.rejected).toMatch(/work[\s\S]*2/);
    expect(results(outcome).at(-1)).toMatchObject({ refusal: "park-budget", text: expect.stringMatching(/work.*2/) });
    expect(ofType(bench.events, "parked")).toHaveLength(2);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.parkCounts).toEqual({ work: 2 });
  });

  it("R-127 W-172 counts each state's parks by themselves", async () => {
    const wait = { ...calls(["archmax_wait", { reason: "mail" }]), text: "w" };
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    budget: { maxParks: 1 }").replace(
        "other: {",
        "other: { budget: { maxParks: 1 },",
      ),
      replies: [wait, advance("other"), wait],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } })).toMatchObject({
      status: "awaiting_input",
      state: "other",
    });
  });

  it("R-127 W-172 the count outlives leaving the state and is cleared when a new turn opens", async () => {
    const answers = [
      calls(["archmax_wait", { reason: "one" }]),
      says("w"),
      advance("other"),
      advance("work"),
      calls(["archmax_wait", { reason: "two" }]),
      says("rejected by then"),
    ];
    const bench = await open({
      spec: SIMPLE.replace("work:", "work:\n    budget: { maxParks: 1 }"),
      replies: [...answers.slice(0, 5), calls(["archmax_wait", { reason: "three" }]), says("w")],
    });
    const { workflow } = bench.agent;
    await workflow.send("s1", { message: "go" });
    expect(await workflow.deliver("s1", { trigger: { id: "mail" } })).toMatchObject({ status: "rejected" });

    expect(await workflow.send("s1", { message: "again" })).toMatchObject({ status: "awaiting_input" });
  });
});
