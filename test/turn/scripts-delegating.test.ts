/** Scripts of the agent's that call workflows (R-226, R-187, R-191, S-43, S-55). */
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { byModel, type Scripts, worker, workflow } from "./delegating.js";
import { benches, calls, ofType, results, says, setting } from "./support.js";

const open = benches();

const DESK = `
tools: { allow_always: [archmax_eval] }
states:
  desk:
    instructions: Have others work.
    tools: { allow: [archmax_workflow_check] }
    triggers: { manual: }
`;
const MANUAL = "{ requires: [{ name: order, type: string }], returns: [total] }";

const both = `const all = await Promise.allSettled(["A", "B"].map((order) => tools.archmaxWorkflowCheck({ order })));
all.map((one) => one.status === "fulfilled" ? JSON.parse(one.value).returns.total : one.reason.message)`;

async function bench(code: string, child: Scripts[string], files: Record<string, string> = {}, spec = DESK) {
  return open({
    spec,
    files: { ...workflow("check", worker("child", MANUAL)), ...files },
    answer: byModel({ "test-model": [calls(["archmax_eval", { code }, "c1"]), says("Done.")], child }),
  });
}

describe("a script that calls workflows", () => {
  it("R-226 R-259 R-191 gets their answers, and the trail shows what they came to", async () => {
    const { agent, stores, events } = await open({
      spec: DESK,
      files: workflow("check", worker("child", MANUAL)),
      // The children run side by side, so each is answered by how far it is.
      answer: ({ body: { model, messages } }) => {
        const made = messages.flatMap((message) => message.tool_calls ?? []);
        if (made.some((call) => call.function.name !== "archmax_note")) return says("Done.");
        return model === "child" ? calls(setting({ total: 1 })) : calls(["archmax_eval", { code: both }, "c1"]);
      },
    });
    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ status: "success", text: "[1,1]" }]);
    expect(outcome.auditTrail.map(({ kind, workflow: called, status }) => [kind, called, status])).toEqual([
      ["trigger", undefined, undefined],
      ["sub-workflow", "check", "ok"],
      ["sub-workflow", "check", "ok"],
    ]);
    const { state } = (await loadState(stores.sessions, "s1"))!;
    expect(state.fields.dispatchCount).toBe(2);
    expect((await loadState(stores.sessions, "s1~2"))?.state.fields.status).toBe("completed");
    expect(
      ofType(events, "tool-called").filter(
        ({ tool, origin }) => tool.startsWith("archmax_workflow") && origin === "script",
      ),
    ).toHaveLength(2);
  });

  it("R-187 R-175 R-149 sees a failure and a refusal as rejections, recorded nowhere", async () => {
    const code = `const seen = [];
for (const args of [{ order: "A" }, { order: 1 }]) try { await tools.archmax_workflow_check(args) } catch (e) { seen.push([e.message, e.ruleId]) }
seen`;
    const { agent, stores } = await bench(code, [
      calls(["archmax_raise", { code: "closed", reason: "It is closed." }]),
    ]);
    const outcome = await agent.workflow.send("s1", { message: "Go." });

    const [failed, refused] = JSON.parse(results(outcome)[0]!.text) as [string, string | null][];
    expect(failed).toEqual([expect.stringContaining("It is closed."), null]);
    expect(refused).toEqual([expect.stringContaining("order"), "delegation:invalid-param"]);
    expect(outcome.kind).toBe("completed");
    expect((await loadState(stores.sessions, "s1"))?.state.fields.failedDelegations ?? []).toEqual([]);
    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "sub-workflow", status: "error" });
  });

  it("S-43 S-55 S-51 is evaluated again where the invocation ended, and its children go on", async () => {
    const code = `await tools.archmax_workflow_check({ order: "A" }) + await tools.archmax_workflow_check({ order: "B" })`;
    const child = [calls(setting({ total: 1 })), says("One."), calls(setting({ total: 2 })), says("Two.")];
    const whole = await (await bench(code, child)).agent.workflow.send("s1", { message: "Go." });

    const cut = await bench(code, child);
    const { arrivalId } = await cut.agent.accept("s1", { kind: "turn", message: "Go." });
    let legs = 0;
    for (; legs < 40; legs += 1) {
      const { left } = await (await cut.again()).work("s1", { drainAt: 0 });
      if (left !== "handed-over") break;
    }

    expect(legs).toBeGreaterThan(5);
    const { state } = (await loadState(cut.stores.sessions, "s1"))!;
    expect(results(state)).toEqual(results(whole));
    expect(state.trail.map(({ kind, status }) => [kind, status])).toEqual(
      whole.auditTrail.map(({ kind, status }) => [kind, status]),
    );
    expect(cut.requests).toHaveLength(6);
    expect(await cut.stores.sessions.read("s1~3")).toBeNull();
    expect((await cut.agent.receipt(arrivalId))?.status).toBe("settled");
  });

  it("S-55 R-253 leaves the later scripts of its message to the next invocation too", async () => {
    const cut = await open({
      spec: DESK,
      files: workflow("check", worker("child", MANUAL)),
      answer: byModel({
        "test-model": [
          calls(
            [
              "archmax_eval",
              { code: 'const first = await tools.archmax_workflow_check({ order: "A" }); first.length' },
              "c1",
            ],
            ["archmax_eval", { code: "JSON.parse(first).returns.total" }, "c2"],
          ),
          says("Done."),
        ],
        child: [calls(setting({ total: 7 })), says("One.")],
      }),
    });
    await cut.agent.accept("s1", { kind: "turn", message: "Go." });
    let legs = 1;
    while ((await (await cut.again()).work("s1", { drainAt: 0 })).left === "handed-over") legs += 1;

    expect(legs).toBeGreaterThan(3);
    const { state } = (await loadState(cut.stores.sessions, "s1"))!;
    expect(results(state).map(({ text }) => text)).toEqual(["40", "7"]);
  });

  it("R-260 R-307 stops its children when its time is up", async () => {
    const { agent, stores } = await open({
      spec: `settings: { timeoutMs: 300 }\n${DESK}`,
      files: workflow("check", worker("child", MANUAL)),
      answer: (request) => {
        if (request.body.model === "child") return { ...says("Late."), delayMs: 60_000 };
        return request.body.messages.some(({ role }) => role === "tool")
          ? says("Done.")
          : calls(["archmax_eval", { code: 'await tools.archmax_workflow_check({ order: "A" })' }]);
      },
    });
    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ status: "error", text: expect.stringContaining("300 ms") }]);
    expect((await loadState(stores.sessions, "s1~1"))?.state.fields).toMatchObject({
      status: "failed",
      exit: { code: "turn-cancelled" },
    });
  });
});
