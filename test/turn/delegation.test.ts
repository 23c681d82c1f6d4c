import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { byModel, caller, type Scripts, worker, workflow } from "./delegating.js";
import { benches, calls, offered, ofType, results, says, setting, system, types } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";
const SIGNATURE = "{ description: Checks an order., requires: [{ name: order, type: string }], returns: [total] }";

async function run(files: Record<string, string>, scripts: Scripts, spec = caller("check")) {
  const bench = await open({ spec, files, answer: byModel(scripts) });
  const outcome = await bench.agent.workflow.send("s1", { message: "Check the order." });
  return { bench, outcome };
}

describe("calling a workflow", () => {
  it("R-177 R-178 R-184 A-75 W-115 W-143 W-244 W-245 runs a session of its own and answers message and returns", async () => {
    const { bench, outcome } = await run(workflow("check", worker("child", SIGNATURE)), {
      "test-model": [calls([CHECK, { order: "A-7", extra: [1] }, "c1"]), says("It is 12.")],
      child: [calls(setting({ total: 12 })), says("Summed up.")],
    });

    expect(outcome).toMatchObject({ kind: "completed", reply: "It is 12." });
    expect(results(outcome)).toEqual([
      { tool: CHECK, text: '{"message":"Summed up.","returns":{"total":12}}', status: "success" },
    ]);
    expect(outcome.variables).not.toHaveProperty("total");
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.fields.status).toBe("completed");
    expect(child?.messages[0]?.content).toMatch(/^\[opening\] .*order = "A-7"/);
    expect(child?.variables).toMatchObject({
      order: { value: "A-7", locked: true },
      extra: { value: [1], locked: true },
      trigger: { value: "manual" },
    });
    expect(types(bench.events, "tool-called", "sub-workflow-start", "sub-workflow-result", "tool-result")).toEqual([
      "tool-called",
      "sub-workflow-start",
      "tool-called",
      "tool-result",
      "sub-workflow-result",
      "tool-result",
    ]);
    expect(outcome.auditTrail).toMatchObject([
      { kind: "trigger" },
      { kind: "sub-workflow", to: "desk", workflow: "check", status: "ok" },
    ]);
    expect(ofType(bench.events, "sub-workflow-start")).toMatchObject([
      { state: "desk", workflow: "check", dispatchId: "1", toolCallId: "c1", depth: 1, sessionId: "s1" },
    ]);
    expect(offered(bench.requests[0])).toContain(CHECK);
    expect(system(bench.requests[1])).toContain("Secret instructions of child.");
    expect(system(bench.requests[0])).not.toContain("Secret");
  });

  it("W-242 R-172 needs no more than its name in a list: the state's, or that of the whole workflow", async () => {
    const everywhere = caller().replace("states:", `tools: { allow_always: [${CHECK}] }\nstates:`);
    for (const spec of [caller("check"), everywhere]) {
      const { bench, outcome } = await run(
        workflow("check", worker("child")),
        { "test-model": [calls([CHECK, {}, "c1"]), says("Done.")], child: [says("Worked.")] },
        spec,
      );

      expect(offered(bench.requests[0])).toContain(CHECK);
      expect(results(outcome)).toEqual([{ tool: CHECK, text: "Worked.", status: "success" }]);
    }
  });
});
