/** Workflows called by code states and graders, and mocked ones (R-186, R-187, C-22, S-43, S-47). */
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import type { Lease } from "../../lib/session/ports.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import type { LegOptions } from "../../lib/turn/types.js";
import type { BenchOptions } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { byModel, caller, type Scripts, worker, workflow } from "./delegating.js";
import { benches, calls, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";
const CODE = `
states:
  run:
    type: code
    script: scripts/run.js
    triggers: { manual: }
    tools: { allow: [${CHECK}] }
    transitions: [{ to: talk }]
  talk: { instructions: Talk. }
`;
const RETURNING = "{ requires: [order], returns: [total] }";

function coded(body: string, scripts: Scripts, target = worker("child", RETURNING), more: Partial<BenchOptions> = {}) {
  return open({
    spec: CODE,
    files: {
      ...workflow("check", target),
      "workflows/case/scripts/run.js": `export default async function ({ tools }) {\n${body}\n await tools.archmax_advance({ to: "talk", reason: "on" });\n}`,
    },
    answer: byModel({ "test-model": [says("end")], ...scripts }),
    ...more,
  });
}

const lines = ({ events }: Awaited<ReturnType<typeof open>>) => ofType(events, "code-output").map(({ line }) => line);

describe("a code state that calls a workflow", () => {
  it("R-187 R-191 W-208 W-242 gets the result, and its trail has the step", async () => {
    const bench = await coded(
      `const { message, returns } = JSON.parse(await tools.archmaxWorkflowCheck({ order: "A" })); console.log(message, returns.total);`,
      {
        child: [calls(setting({ total: 3 })), says("Three.")],
      },
    );

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(lines(bench)).toEqual(["Three. 3"]);
    expect(outcome.auditTrail.map(({ kind, to, status }) => [kind, to, status])).toEqual([
      ["trigger", "run", undefined],
      ["sub-workflow", "run", "ok"],
      ["code", "talk", undefined],
    ]);
    expect(ofType(bench.events, "tool-called").filter(({ tool }) => tool === CHECK)).toMatchObject([
      { origin: "script" },
    ]);
    expect(types(bench.events, "sub-workflow-start", "sub-workflow-result", "code-result")).toEqual([
      "sub-workflow-start",
      "sub-workflow-result",
      "code-result",
    ]);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.dispatchCount).toBe(1);
  });

  it("R-149 R-175 R-179 sees a refusal with its rule, and a number is taken for it", async () => {
    const bench = await coded(
      `try { await tools.archmaxWorkflowCheck({}); } catch (error) { console.log(error.ruleId, error.message); }
       console.log(JSON.parse(await tools.archmaxWorkflowCheck({ order: "A" })).message);`,
      { child: [says("Well.")] },
    );
    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(lines(bench)).toEqual([expect.stringMatching(/^delegation:missing-param .*order/), "Well."]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { rule: "delegation:missing-param", origin: "script" },
    ]);
    expect(ofType(bench.events, "sub-workflow-start")).toMatchObject([{ dispatchId: "2" }]);
  });

  it("R-186 R-187 W-79 a child that parks, or fails, rejects the call, and nothing is recorded", async () => {
    const asks = `settings: { model: child }
states:
  work: { instructions: I., triggers: { manual: }, transitions: [{ to: ask, description: Ask. }] }
  ask: { type: human, instructions: Fine?, transitions: [{ to: work, description: Yes. }] }
`;
    const bench = await coded(
      `try { await tools.archmaxWorkflowCheck({}); } catch (error) { console.log(error.message); }`,
      { child: [calls(["archmax_advance", { to: "ask", reason: "Ask." }]), says("Please.")] },
      asks,
    );
    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(lines(bench)[0]).toMatch(/\(parked\).*ask/);
    expect(outcome).toMatchObject({ kind: "completed", reply: "end" });
    const { fields } = (await loadState(bench.stores.sessions, "s1"))!.state;
    expect(fields.failedDelegations).toBeUndefined();
    expect(fields.pendingDelegations).toBeUndefined();
    expect(ofType(bench.events, "sub-workflow-result")).toMatchObject([{ status: "error" }]);
    expect((await bench.agent.sessions.get("s1~1"))?.status).toBe("awaiting_decision");
  });

  it("S-43 S-47 S-55 is replayed over many invocations with one child for each call, and the same outcome", async () => {
    const body = `for (const order of ["A", "B"]) console.log(JSON.parse(await tools.archmaxWorkflowCheck({ order })).message);`;
    const scripts = () => ({
      child: [calls(setting({ total: 1 })), says("One."), calls(setting({ total: 2 })), says("Two.")],
    });
    const whole = await coded(body, scripts());
    const expected = await whole.agent.workflow.send("s1", { message: "Go." });
    const bench = await coded(body, scripts());
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    let report = await bench.agent.work("s1", { drainAt: 0 });
    for (let n = 0; n < 30 && report.left !== "idle"; n += 1) report = await bench.agent.work("s1", { drainAt: 0 });

    const [settled] = report.settled;
    expect(settled?.outcome?.auditTrail.map(({ ts: _ts, ...step }) => step)).toEqual(
      expected.auditTrail.map(({ ts: _ts, ...step }) => step),
    );
    expect(lines(bench).slice(-2)).toEqual(["One.", "Two."]);
    expect((await bench.agent.sessions.list()).map(({ sessionId }) => sessionId).sort()).toEqual([
      "s1",
      "s1~1",
      "s1~2",
    ]);
    expect(bench.requests.filter(({ body: { model } }) => model === "child")).toHaveLength(4);
    expect(types(bench.events, "sub-workflow-result")).toHaveLength(2);
  });

  it("S-43 A-76 a process that dies after the child has finished takes its result from the child", async () => {
    const sessions = createMemorySessionStore();
    let isDead = false;
    const journaledAtClaim: unknown[] = [];
    const bench = await coded(
      `console.log(JSON.parse(await tools.archmaxWorkflowCheck({ order: "A" })).message);`,
      { child: [says("Only once.")] },
      undefined,
      {
        stores: {
          sessions: wrapStore(sessions, async ({ name, args }, run) => {
            if (isDead) return new Promise<never>(() => {});
            if (name === "claimChild") {
              const { thread = [] } = (await sessions.read("s1")) ?? {};
              journaledAtClaim.push(
                ...thread.filter(({ key }) => key.startsWith("J")).map(({ value }) => JSON.parse(value)),
              );
            }
            const result = await run();
            const finished = name === "commit" && (args[0] as Lease).sessionId === "s1~1";
            if (finished && (await loadState(sessions, "s1~1"))?.state.fields.status === "completed") isDead = true;
            return isDead ? new Promise<never>(() => {}) : result;
          }),
          files: createMemoryFileStore(),
        },
      },
    );
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    void bench.agent.work("s1");
    await expect.poll(() => isDead).toBe(true);
    bench.clock.advance(3_600_000);

    const { settled } = await (await bench.again({ stores: { sessions, files: bench.stores.files } })).work("s1");

    expect(settled[0]?.outcome).toMatchObject({ kind: "completed", reply: "end" });
    expect(bench.requests.filter(({ body: { model } }) => model === "child")).toHaveLength(1);
    expect(await sessions.read("s1~2")).toBeNull();
    expect(journaledAtClaim).toMatchObject([{ tool: CHECK, dispatch: 1 }]);
  });
});

describe("a mocked workflow", () => {
  const mocked = async (
    mocks: LegOptions["mocks"],
    target = worker("child", "{ returns: [{ name: total, type: number }] }"),
  ) => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", target),
      answer: byModel({ "test-model": [calls([CHECK, {}, "c1"]), says("Done.")] }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    const { settled } = await bench.agent.work("s1", mocks ? { mocks } : {});
    return { bench, outcome: settled[0]!.outcome! };
  };
  const answered = (outcome: Parameters<typeof results>[0]) => results(outcome)[0];

  it("C-22 emits its events and its trail step, and no child runs", async () => {
    const { bench, outcome } = await mocked(() => ({ message: "Twelve.", returns: { total: 12 } }));

    expect(answered(outcome)?.text).toBe('{"message":"Twelve.","returns":{"total":12}}');
    expect(types(bench.events, "sub-workflow-start", "sub-workflow-result")).toHaveLength(2);
    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "sub-workflow", status: "ok" });
    expect(await bench.stores.sessions.read("s1~1")).toBeNull();
  });

  it.each([
    [{ text: "Words." }, /"message":"Words\.".*"total":null.*"note"/, undefined],
    [{ error: "It broke." }, /\(error\): It broke\./, "delegation:error"],
    [{ returns: { total: "many" } }, /\(invalid-return\)/, "delegation:invalid-return"],
  ])("C-22 answers %j as a real one would", async (mock, text, refusal) => {
    const { outcome } = await mocked(() => mock);

    expect(answered(outcome)?.text).toMatch(text);
    expect(answered(outcome)?.refusal).toBe(refusal);
  });

  it("R-176 W-30 never outranks that the target is out of service", async () => {
    const { outcome } = await mocked(() => ({ text: "x" }), worker("child", "", "disabled: true"));

    expect(answered(outcome)?.refusal).toBe("delegation:disabled");
  });
});
