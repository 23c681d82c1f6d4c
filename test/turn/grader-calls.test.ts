/** The calls of a grader: governed against its own state, answered to it, and deciding. */
import { describe, expect, it } from "vitest";
import type { PolicyCall } from "../../lib/kernel/types.js";
import { aGraded, answersIn, graded, passes, probes, readsHistory } from "./graded.js";
import { advance, benches, calls, ofType, says, setting, types } from "./support.js";

const open = benches();

const decides = (to: string, reason = "It is.", id?: string): [string, Record<string, unknown>, string?] => [
  "archmax_advance",
  { to, reason },
  id,
];

describe("one message's calls", () => {
  it("R-55 runs ordinary ones at once and answers all in message order", async () => {
    const started: string[] = [];
    let letGo = () => {};
    const both = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const tools = probes([], {
      handler: async ({ what }) => {
        started.push(what as string);
        if (started.length === 2) letGo();
        await both;
        return what;
      },
    });
    const { send, graderRequests } = await aGraded(open, {
      tools,
      grader: [
        calls(["probe", { what: "a" }], ["archmax_get_variables", { name: "trigger" }], ["probe", { what: "b" }]),
        passes,
      ],
    });

    await send();

    expect(started.sort()).toEqual(["a", "b"]);
    expect(answersIn(graderRequests()[1])).toEqual(["a", expect.stringContaining('"manual"'), "b"]);
  });

  it("R-92 R-93 W-154 W-157 substitutes references, after the writes before them, and refuses what does not resolve", async () => {
    const { bench, ran, send, graderRequests } = await aGraded(open, {
      grader: [
        calls(
          setting({ order: { id: "o-7" } }),
          ["probe", { what: "${{order.id}}" }],
          ["probe", { what: "$${{order.id}}" }],
          ["probe", { what: "${{nothing}}" }, "p3"],
        ),
        advance("send", { reason: "Order ${{order.id}} is fine." }),
      ],
    });

    const outcome = await send();

    expect(ran).toEqual([{ what: "o-7" }, { what: "${{order.id}}" }]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { callId: "p3", rule: "unresolved-reference", args: { what: "${{nothing}}" } },
    ]);
    expect(ofType(bench.events, "tool-blocked")[0]).not.toHaveProperty("origin");
    expect(answersIn(graderRequests()[1]).at(-1)).toMatch(/\$\{\{nothing\}\}.*cannot be resolved/);
    expect(outcome.auditTrail.at(-1)?.reason).toBe("Order o-7 is fine.");
  });

  it("R-58 R-59 R-60 R-61 F-64 answers unknown names, misfits, throws and cut-off arguments, and the run goes on", async () => {
    const { bench, send, graderRequests } = await aGraded(open, {
      grader: [
        {
          toolCalls: [
            { name: "nowhere", id: "k1" },
            { name: "probe", id: "k2", args: { what: 5 } },
            { name: "probe", id: "k3", args: { fail: true } },
            { name: "probe", id: "k4", args: '{"what": "hal' },
          ],
        },
        passes,
      ],
    });

    expect(await send()).toMatchObject({ kind: "completed", state: "send" });
    const [unknown, misfit, thrown, cut] = answersIn(graderRequests()[1]);
    expect(unknown).toContain('"nowhere" is not a tool');
    expect(misfit).toContain("what");
    expect(thrown).toContain("The probe is down.");
    expect(cut).toContain("not run");
    expect(ofType(bench.events, "tool-blocked")).toEqual([]);
    expect(
      ofType(bench.events, "tool-result")
        .filter(({ callId }) => callId.startsWith("k"))
        .map(({ callId, status }) => [callId, status])
        .sort(),
    ).toEqual([
      ["k2", "error"],
      ["k3", "error"],
      ["k4", "error"],
    ]);
  });

  it("R-76 R-134 R-135 R-205 R-295 W-78 blocks what its own state has not, and the five of automated states whatever is granted", async () => {
    const { bench, send, graderRequests } = await aGraded(open, {
      spec: graded().replace(
        "instructions: Write the letter.",
        "instructions: Write the letter.\n    tools: { allow: [other] }",
      ),
      grader: [
        calls(
          ["archmax_wait", { reason: "r" }, "k1"],
          ["write_todos", { todos: [] }, "k2"],
          ["archmax_reset", { reason: "r" }, "k3"],
          ["read_file", { file_path: "checkpoints/x" }, "k4"],
          ["other", {}, "k5"],
        ),
        passes,
      ],
    });

    expect(await send()).toMatchObject({ state: "send" });
    expect(ofType(bench.events, "tool-blocked").map(({ callId, rule, level }) => [callId, rule, level])).toEqual([
      ["k1", "tool.ungrantable", "warn"],
      ["k2", "tool.ungrantable", "warn"],
      ["k3", "tool.ungrantable", "warn"],
      ["k4", "zone.runtime-internal", "warn"],
      ["k5", "tool.not-allowed", "warn"],
    ]);
    expect(answersIn(graderRequests()[1])[0]).toMatch(/archmax_wait/);
  });

  it("H-36 R-202 R-295 asks the kernel and the host's rules as a grader, and marks no event with it", async () => {
    const asked: PolicyCall[] = [];
    const { bench, send } = await aGraded(open, {
      policyRules: [
        (call) => {
          asked.push(call);
          return call.args.what === "no" ? { decision: "block", ruleId: "house.no", reason: "Not here." } : null;
        },
      ],
      grader: [calls(["probe", { what: "no" }]), passes],
    });

    await send();

    expect(asked.filter(({ state }) => state === "grade").map(({ tool, origin }) => [tool, origin])).toEqual([
      ["probe", "grader"],
      ["archmax_advance", "grader"],
    ]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { rule: "house.no", state: "grade", args: { what: "no" } },
    ]);
    expect(JSON.stringify(bench.events)).not.toContain('"origin"');
  });

  it("R-86 R-139 R-150 W-148 keeps its writes, under the ownership of its state, though the run fails", async () => {
    const { bench, send, graderRequests } = await aGraded(open, {
      spec: graded().replace("instructions: Write the letter.", "instructions: Write the letter.\n    locks: [letter]"),
      grader: [
        calls(setting({ score: 2 }), setting({ letter: "mine" }), ["archmax_get_variables", { name: "score" }]),
        says("Well."),
      ],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ state: "rescue", variables: { score: { value: 2, locked: false } } });
    expect(outcome.variables).not.toHaveProperty("letter");
    expect(answersIn(graderRequests()[1])[2]).toContain("2");
    expect(ofType(bench.events, "variables-set").at(-1)).toMatchObject({ state: "grade", names: ["score"] });
  });

  it("R-248 S-44 hands its tools the session and a key of the call's own", async () => {
    const seen: unknown[] = [];
    const { send } = await aGraded(open, {
      tools: probes([], {
        handler: (_args, context) => void seen.push([context.sessionId, context.idempotencyKey, context.attempt]),
      }),
      grader: [calls(["probe"], ["probe"]), calls(["probe"]), passes],
    });

    await send();

    const keys = seen.map((entry) => (entry as string[])[1]);
    expect(seen).toMatchObject([
      ["s1", expect.any(String), 1],
      ["s1", expect.any(String), 1],
      ["s1", expect.any(String), 1],
    ]);
    expect(new Set(keys).size).toBe(3);
  });

  it("R-246 R-293 tells its ids apart from those of the transcript", async () => {
    const long = "x".repeat(90_000);
    const { bench } = await aGraded(open, {
      agent: [calls(["archmax_get_variables", {}, "k2"]), advance("grade"), says("end")],
      grader: [calls(["archmax_get_variables", {}, "k2"]), passes],
    });

    await bench.agent.workflow.send("s1", { message: "Go.", variables: { letter: long } });

    const files = (await bench.stores.files.list("s1")).map(({ path }) => path);
    expect(files).toEqual([expect.stringMatching(/^large_tool_results\/g1-/), "large_tool_results/k2.txt"]);
  });
});

describe("the decision", () => {
  it("R-136 R-156 is the first accepted advance or raise; its batch is answered, and no call of the model follows", async () => {
    const { bench, ran, send, graderRequests } = await aGraded(open, {
      grader: [
        calls(
          ["probe", { what: "before" }],
          decides("nowhere", "x", "k1"),
          decides("send", "First.", "k2"),
          ["archmax_raise", { code: "late", reason: "r" }, "k3"],
          decides("work", "Second.", "k4"),
          ["probe", { what: "after" }],
        ),
      ],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ kind: "completed", state: "send" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "send", kind: "grader", reason: "First." });
    expect(graderRequests()).toHaveLength(1);
    expect(ran).toEqual([{ what: "before" }, { what: "after" }]);
    const result = (id: string) => ofType(bench.events, "tool-result").find(({ callId }) => callId === id);
    expect(result("k1")).toMatchObject({
      status: "error",
      output: expect.stringContaining("no transition to nowhere"),
    });
    expect(result("k2")).toMatchObject({ status: "success" });
    expect(result("k3")).toMatchObject({ status: "error", output: expect.stringContaining("decided already") });
    expect(result("k4")).toMatchObject({ status: "error", output: expect.stringContaining("decided already") });
  });

  it("R-63 R-136 W-146 refuses an advance that breaks `requires`, and the grader may still decide", async () => {
    const { send, graderRequests } = await aGraded(open, {
      spec: graded("requires: [score]"),
      grader: [passes, calls(setting({ score: 5 }), decides("send"))],
    });

    expect(await send()).toMatchObject({ state: "send", variables: { score: { value: 5 } } });
    expect(answersIn(graderRequests()[1])[0]).toContain("unset: score");
  });

  it("R-96 R-158 R-163 R-167 W-159 W-175 a guard that cannot be resolved fails the state when the batch is answered, whatever was decided in it", async () => {
    const { bench, ran, send, graderRequests } = await aGraded(open, {
      spec: graded().replace("allow: [probe, read_file", 'allow: [probe, { tool: read_file, paths: "${{folder}}/**" }'),
      grader: [
        calls(
          decides("send", "First.", "k1"),
          ["read_file", { file_path: "a.md" }, "k2"],
          decides("work", "Then.", "k3"),
          ["archmax_raise", { code: "c", reason: "r" }, "k4"],
          ["probe", { what: "x" }],
        ),
      ],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ state: "rescue" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({
      kind: "on_error",
      reason: expect.stringMatching(/read_file was refused/),
    });
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ callId: "k2", rule: "tool.unresolved-variable" }]);
    expect(ran).toEqual([{ what: "x" }]);
    expect(graderRequests()).toHaveLength(1);
    const told = ofType(bench.events, "tool-result").filter(({ callId }) => callId.startsWith("k"));
    expect(told.map(({ callId, status }) => [callId, status]).sort()).toEqual([
      ["k1", "error"],
      ["k3", "error"],
      ["k4", "error"],
    ]);
  });

  it("R-137 a raise accepted before the state fails stands", async () => {
    const { bench, send } = await aGraded(open, {
      spec: graded().replace("allow: [probe, read_file", 'allow: [probe, { tool: read_file, paths: "${{folder}}/**" }'),
      grader: [calls(["archmax_raise", { code: "c", reason: "r" }], ["read_file", { file_path: "a.md" }])],
    });

    expect(await send()).toMatchObject({ kind: "failed", exit: { code: "c" } });
    expect(types(bench.events, "state-error-routed")).toEqual([]);
  });

  it("R-158 R-167 a raise after the block in the same message has no effect", async () => {
    const { bench, send } = await aGraded(open, {
      spec: graded().replace("allow: [probe, read_file", 'allow: [probe, { tool: read_file, paths: "${{folder}}/**" }'),
      grader: [calls(["read_file", { file_path: "a.md" }], ["archmax_raise", { code: "c", reason: "r" }, "k1"])],
    });

    expect(await send()).toMatchObject({ kind: "completed", state: "rescue" });
    expect(ofType(bench.events, "tool-result").find(({ callId }) => callId === "k1")).toMatchObject({
      status: "error",
      output: expect.stringContaining("failed in the same message"),
    });
  });

  it("R-212 W-201 a denied control is neither offered nor run", async () => {
    const { bench, send } = await aGraded(open, {
      spec: graded().replace(
        "write_todos, archmax_wait, ls] }",
        "write_todos, archmax_wait, ls], forbid: [archmax_get_history] }",
      ),
      grader: [readsHistory, passes],
    });

    await send();

    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { tool: "archmax_get_history", rule: "tool.forbidden-here" },
    ]);
  });

  it("R-205 W-77 an agent is neither offered the history nor allowed to ask for it", async () => {
    const { bench, send } = await aGraded(open, { agent: [readsHistory, says("end")], grader: [] });

    await send();

    expect(JSON.stringify(bench.requests[0]?.body.tools)).not.toContain("archmax_get_history");
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "tool.ungrantable" }]);
  });
});
