/** Automated states that call workflows: what the call comes to, and what their session keeps of it. */
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import type { Outcome } from "../../lib/session/outcome.js";
import { byModel, type Scripts, worker, workflow } from "./delegating.js";
import { answersIn, probes } from "./graded.js";
import { advance, benches, calls, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";
const check = worker("child", "{ requires: [{ name: order, type: string }], returns: [total] }");
/** A workflow that waits for an event whatever it is asked. */
const waits = worker("child", "{ requires: [order] }");
const GRADED = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [${CHECK}] }
    transitions: [{ to: grade, description: Done. }]
  grade:
    type: grader
    model: judge
    instructions: Have the order checked.
    tools: { allow: [${CHECK}] }
    transitions: [{ to: end, description: Fine. }]
  end: { instructions: End., tools: { allow: [${CHECK}] } }
`;

async function graded(child: string, scripts: Scripts) {
  const bench = await open({ spec: GRADED, files: workflow("check", child), answer: byModel(scripts) });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go.", variables: { order: "A-7", n: 5 } });
  const judged = bench.requests.filter(({ body }) => body.model === "judge");
  return { bench, outcome, judged };
}

describe("a grader that calls a workflow", () => {
  it("R-174 R-184 R-187 R-191 W-242 is answered with its result, which stands in the trail and in no ledger", async () => {
    const { bench, outcome, judged } = await graded(check, {
      "test-model": [advance("grade"), says("end")],
      judge: [calls([CHECK, { order: "${{order}}", more: "${{n}}" }, "c1"]), advance("end")],
      child: [calls(setting({ total: 12 })), says("Summed up.")],
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "end" });
    expect(answersIn(judged[1])).toEqual(['{"message":"Summed up.","returns":{"total":12}}']);
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.variables).toMatchObject({ order: { value: "A-7" }, more: { value: 5 } });
    expect(outcome.auditTrail.slice(1)).toMatchObject([
      { kind: "agent", to: "grade" },
      { kind: "sub-workflow", to: "grade", workflow: "check", status: "ok" },
      { kind: "grader", to: "end" },
    ]);
    const told = types(bench.events, "sub-workflow-start", "sub-workflow-result", "grader-result");
    expect(told).toEqual(["sub-workflow-start", "sub-workflow-result", "grader-result"]);
    expect(ofType(bench.events, "tool-called").filter(({ callId }) => callId === "c1")).toMatchObject([
      { state: "grade", tool: CHECK, args: { order: "A-7", more: 5 } },
    ]);
    expect(JSON.stringify(bench.events)).not.toContain('"origin"');
  });

  it("R-161 R-186 R-187 W-79 fails the call with kind `parked` where the child parks, and goes on", async () => {
    const { bench, outcome, judged } = await graded(waits, {
      "test-model": [advance("grade"), says("end")],
      judge: [calls([CHECK, { order: "x" }]), advance("end")],
      child: [calls(["archmax_wait", { reason: "r" }]), says("I wait.")],
    });

    expect(answersIn(judged[1])[0]).toContain("(parked)");
    expect(outcome).toMatchObject({ kind: "completed", state: "end" });
    expect(outcome.auditTrail).toMatchObject([
      {},
      {},
      { kind: "sub-workflow", status: "error", reason: expect.stringContaining("parked") },
      { kind: "grader" },
    ]);
    const fields = (await loadState(bench.stores.sessions, "s1"))?.state.fields;
    expect(fields?.pendingDelegations).toBeUndefined();
    expect(fields?.failedDelegations).toBeUndefined();
  });

  it("R-175 R-179 R-295 a refused dispatch is a blocked call with a number of its own, which none is given again", async () => {
    const { bench, outcome } = await graded(check, {
      "test-model": [advance("grade"), calls([CHECK, { order: "B-8" }]), says("end")],
      judge: [
        calls([CHECK, { order: "${{nothing}}" }, "c1"], [CHECK, {}, "c2"], [CHECK, { order: "A-7" }]),
        advance("end"),
      ],
      child: [calls(setting({ total: 1 })), says("one"), calls(setting({ total: 2 })), says("two")],
    });

    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { callId: "c1", rule: "delegation:unresolved-param", args: { order: "${{nothing}}" } },
      { callId: "c2", rule: "delegation:missing-param" },
    ]);
    expect(ofType(bench.events, "sub-workflow-start").map(({ dispatchId, state }) => [dispatchId, state])).toEqual([
      ["3", "grade"],
      ["4", "end"],
    ]);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.dispatchCount).toBe(4);
    expect(results(outcome).at(-1)?.text).toContain('"total":2');
  });
});

it("R-139 R-191 a child that ended stands in the trail though the run it was called in ran out of time", async () => {
  const bench = await open({
    spec: GRADED.replace(
      `instructions: Have the order checked.
    tools: { allow: [${CHECK}] }`,
      `instructions: Have the order checked.
    budget: { timeoutMs: 1500 }
    tools: { allow: [${CHECK}, probe] }`,
    ),
    files: workflow("check", check),
    tools: probes([]),
    answer: byModel({
      "test-model": [advance("grade")],
      judge: [calls([CHECK, { order: "A-7" }], ["probe", { hang: true }])],
      child: [calls(setting({ total: 12 })), says("Summed up.")],
    }),
  });

  const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

  expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringContaining("1500 ms") });
  expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "sub-workflow", workflow: "check", status: "ok" });
});

describe("a run with a child that is cut into many invocations", () => {
  it("S-43 S-49 S-51 S-55 goes on with the same child, once", async () => {
    const scripts: Scripts = {
      "test-model": [advance("grade"), says("end")],
      judge: [calls([CHECK, { order: "A-7" }]), advance("end")],
      child: [calls(setting({ total: 12 })), says("Summed up.")],
    };
    const bench = await open({ spec: GRADED, files: workflow("check", check), answer: byModel(scripts) });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    let settled = false;
    for (let invocations = 0; !settled && invocations < 30; invocations += 1)
      settled = (await bench.agent.work("s1", { drainAt: 0 })).settled.length > 0;

    expect(bench.requests.map(({ body }) => body.model)).toEqual([
      ...["test-model", "judge", "child", "child", "judge", "test-model"],
    ]);
    const state = (await loadState(bench.stores.sessions, "s1"))?.state;
    expect(state?.fields).toMatchObject({ status: "completed", dispatchCount: 1 });
    expect(state?.trail.map(({ kind }) => kind)).toEqual(["trigger", "agent", "sub-workflow", "grader"]);
    expect(types(bench.events, "sub-workflow-start", "sub-workflow-result")).toHaveLength(2);
  });
});

describe("a code state that calls a workflow", () => {
  const CODED = `
states:
  run: { type: code, script: scripts/run.js, triggers: { manual: }, tools: { allow: [${CHECK}] }, transitions: [{ to: end }] }
  end: { instructions: End., tools: { allow: [${CHECK}] } }
`;
  const script = (body: string) => `export default async function ({ tools }) {\n${body}\n}`;
  async function coded(child: string, body: string, scripts: Scripts, drainAt?: number) {
    const files = { ...workflow("check", child), "workflows/case/scripts/run.js": script(body) };
    const bench = await open({ spec: CODED, files, answer: byModel(scripts) });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    let outcome: Outcome | undefined;
    for (let invocations = 0; outcome === undefined && invocations < 30; invocations += 1)
      outcome = (await bench.agent.work("s1", drainAt === undefined ? {} : { drainAt })).settled[0]?.outcome;
    return { bench, outcome };
  }
  const advances = `await tools.archmax_advance({ to: "end", reason: "r" });`;

  it.each([undefined, 0])(
    "R-187 R-191 S-43 S-55 resolves to its result, which stands in the trail, in one invocation or in many (%s)",
    async (drainAt) => {
      const { bench, outcome } = await coded(
        check,
        `const answer = await tools.archmaxWorkflowCheck({ order: "A-7" });
         await tools.archmax_set_variables({ variables: { answer: JSON.parse(answer) } }); ${advances}`,
        { "test-model": [says("end")], child: [calls(setting({ total: 12 })), says("Summed up.")] },
        drainAt,
      );

      expect(outcome).toMatchObject({
        kind: "completed",
        variables: { answer: { value: { message: "Summed up.", returns: { total: 12 } } } },
      });
      expect(outcome?.auditTrail).toMatchObject([
        { kind: "trigger" },
        { kind: "sub-workflow", to: "run", workflow: "check", status: "ok" },
        { kind: "code", to: "end" },
      ]);
      expect(bench.requests).toHaveLength(3);
      expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.dispatchCount).toBe(1);
    },
  );

  it("R-149 R-161 R-175 R-187 rejects where the child parks or is refused, and the script goes on", async () => {
    const { bench, outcome } = await coded(
      waits,
      `const told = [];
       for (const args of [{ order: "x" }, {}])
         await tools.${CHECK}(args).catch((error) => told.push([error.message, error.ruleId ?? null]));
       await tools.archmax_set_variables({ variables: { told } }); ${advances}`,
      { "test-model": [says("end")], child: [calls(["archmax_wait", { reason: "r" }]), says("I wait.")] },
    );

    expect(outcome?.variables.told?.value).toEqual([
      [expect.stringContaining("(parked)"), null],
      [expect.stringContaining("missing-param"), "delegation:missing-param"],
    ]);
    expect(outcome).toMatchObject({ kind: "completed" });
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { rule: "delegation:missing-param", origin: "script" },
    ]);
    const fields = (await loadState(bench.stores.sessions, "s1"))?.state.fields;
    expect(fields).toMatchObject({ dispatchCount: 2 });
    expect(fields).not.toHaveProperty("failedDelegations");
  });
});
