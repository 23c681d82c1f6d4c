import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { byModel, caller, type Scripts, worker, workflow } from "./delegating.js";
import { benches, calls, offered, ofType, results, says, setting } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";
const SIGNED = "{ requires: [{ name: order, type: string, minLength: 2 }, { name: count, type: integer }] }";
const GOOD = { order: "A-7", count: 2 };

async function run(
  args: Record<string, unknown>,
  given: {
    spec?: string;
    files?: Record<string, string>;
    child?: Scripts["child"];
    first?: Parameters<typeof calls>[0][];
  } = {},
) {
  const { spec = caller("check"), files = workflow("check", worker("child", SIGNED)), child = [], first = [] } = given;
  const bench = await open({
    spec,
    files,
    answer: byModel({ "test-model": [calls(...first, [CHECK, args, "c1"]), says("Done.")], child }),
  });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
  const answer = outcome.messages.find((message) => message.tool_call_id === "c1");
  return { bench, outcome, answer };
}

const nothingLeft = async ({ stores }: { stores: { sessions: { read(id: string): Promise<unknown> } } }) => {
  expect(await stores.sessions.read("s1~1")).toBeNull();
};

describe("a delegation that is refused", () => {
  it.each([
    ["missing-param", {}, "order, count"],
    ["missing-param", { count: "two" }, "order"],
    ["unresolved-param", { order: "${{nothing}}" }, "${{nothing}}"],
    ["invalid-param", { ...GOOD, count: "two" }, '"count" must be of type integer'],
    ["invalid-param", { ...GOOD, order: "A" }, "minLength"],
    ["invalid-param", { ...GOOD, "Not a name": 1 }, "Not a name"],
    ["invalid-param", { ...GOOD, trigger: "x" }, "trigger"],
    ["invalid-param", { ...GOOD, title: " " }, "title"],
    ["unresolved-param", { ...GOOD, order: "${{nothing}}" }, "${{nothing}}"],
    ["unresolved-param", { ...GOOD, order: "to ${{nothing}}" }, "${{nothing}}"],
  ])(
    "R-174 R-175 R-176 R-191 W-139 W-161 W-243 W-246 R-295 as %s for %j is a blocked call and leaves nothing",
    async (kind, args, names) => {
      const { bench, outcome, answer } = await run(args);

      expect(answer).toMatchObject({
        status: "error",
        content: expect.stringContaining(`(${kind})`),
        additional_kwargs: { governance_blocked: true, archmax: { refusal: `delegation:${kind}` } },
      });
      expect(answer?.content).toContain(names);
      expect(ofType(bench.events, "tool-blocked")).toMatchObject([
        { tool: CHECK, callId: "c1", rule: `delegation:${kind}` },
      ]);
      expect(ofType(bench.events, "tool-called")).toEqual([]);
      expect(ofType(bench.events, "sub-workflow-start")).toEqual([]);
      expect(outcome).toMatchObject({ kind: "completed", auditTrail: [{ kind: "trigger" }] });
      await nothingLeft(bench);
    },
  );

  it("R-172 H-26 W-246 binds a target that is missing or takes no calls with any object, warns once, and refuses the call", async () => {
    const spec = caller("check", "other");
    const files = workflow("other", "states: { a: { instructions: I., triggers: { hook: } } }");
    const { bench, answer } = await run(GOOD, { spec, files });

    expect(answer?.content).toContain("(unknown-workflow)");
    expect(ofType(bench.events, "warning").map(({ message }) => message)).toEqual([
      expect.stringContaining('"check"'),
      expect.stringContaining('"other"'),
    ]);
    const tool = bench.requests[0]?.body.tools?.find(({ function: { name } }) => name === CHECK);
    expect(tool?.function.parameters).toMatchObject({ type: "object", properties: {}, additionalProperties: true });
    expect(offered(bench.requests[0])).toContain("archmax_workflow_other");
  });

  it("R-175 R-176 W-246 as not-delegatable where the target has no trigger manual, out of service or not", async () => {
    const { answer } = await run(GOOD, {
      files: workflow("check", "disabled: true\nstates: { a: { instructions: I., triggers: { hook: } } }"),
    });

    expect(answer?.content).toContain("(not-delegatable)");
  });

  it("R-176 W-30 W-246 as disabled before anything about its arguments", async () => {
    const files = workflow("check", worker("child", SIGNED, "disabled: true"));
    const { bench, answer } = await run({ order: "${{nothing}}" }, { files });

    expect(answer?.additional_kwargs?.archmax?.refusal).toBe("delegation:disabled");
    await nothingLeft(bench);
  });

  it("R-175 R-179 W-30 W-31 reads whether the target is in service at the call", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child", SIGNED, "disabled: true")),
      answer: byModel({
        "test-model": [calls([CHECK, GOOD, "c1"]), says("No."), calls([CHECK, GOOD, "c2"]), says("Yes.")],
        child: [says("Worked.")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Go." });
    writeFileSync(join(bench.rootDir, "workflows/check/workflow.yaml"), worker("child", SIGNED));

    const outcome = await bench.agent.workflow.send("s1", { message: "Again." });

    expect(results(outcome).map(({ text }) => text)).toEqual([expect.stringContaining("(disabled)"), "Worked."]);
    expect(ofType(bench.events, "sub-workflow-start")).toMatchObject([{ dispatchId: "2" }]);
  });

  it("R-175 as unknown-workflow once the target is gone, though it was there at the assembly", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child", SIGNED)),
      answer: byModel({ "test-model": [calls([CHECK, GOOD]), says("No.")] }),
    });
    rmSync(join(bench.rootDir, "workflows/check"), { recursive: true });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ refusal: "delegation:unknown-workflow" }]);
  });

  it("R-175 R-190 R-221 as invalid-param where a file lies in a mount that the calling state is not given", async () => {
    const paper = "ledger/2026.csv";
    const mounts = { "/ledger/": { backend: createMemoryBackend({ "/2026.csv": "12" }), governed: true } };
    const ask = async (grant: string) => {
      const bench = await open({
        spec: caller("check").replace("instructions:", `${grant}\n    instructions:`),
        files: workflow("check", worker("child", "{ requires: [{ name: paper, type: file }] }")),
        workspace: { mounts },
        answer: byModel({ "test-model": [calls([CHECK, { paper }]), says("Done.")], child: [says("Read.")] }),
      });
      return { bench, answers: results(await bench.agent.workflow.send("s1", { message: "Go." })) };
    };

    const { bench, answers } = await ask("mounts: { allow: [] }");
    const given = await ask("mounts: { allow: [ledger] }");

    expect(answers).toMatchObject([{ refusal: "delegation:invalid-param", text: expect.stringContaining(paper) }]);
    await nothingLeft(bench);
    expect(given.answers).toMatchObject([{ status: "success", text: "Read." }]);
  });

  it("R-175 R-176 R-179 A-75 W-246 W-247 as a cycle wherever in the chain, and deeper than three delegations, which is asked first", async () => {
    const link = (slug: string, ...next: string[]) => workflow(slug, `settings: { model: ${slug} }${caller(...next)}`);
    const call = (slug: string) => calls([`archmax_workflow_${slug}`, {}]);
    const bench = await open({
      spec: caller("one"),
      files: {
        ...link("one", "two", "one"),
        ...link("two", "one", "three"),
        ...link("three", "four", "two"),
        ...link("four"),
      },
      answer: byModel({
        "test-model": [call("one"), says("0")],
        one: [call("one"), call("two"), says("1")],
        two: [call("one"), call("three"), says("2")],
        three: [call("four"), call("two"), says("3")],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", reply: "0" });
    expect(ofType(bench.events, "tool-blocked").map(({ rule, sessionId }) => [rule, sessionId])).toEqual([
      ["delegation:cycle", "s1~1"],
      ["delegation:cycle", "s1~1~2"],
      ["delegation:depth-exceeded", "s1~1~2~2"],
      ["delegation:depth-exceeded", "s1~1~2~2"],
    ]);
    expect(
      ofType(bench.events, "sub-workflow-start").map(({ dispatchId, depth, chain }) => [dispatchId, depth, chain]),
    ).toEqual([
      ["1", 1, ["case", "one"]],
      ["1~2", 2, ["case", "one", "two"]],
      ["1~2~2", 3, ["case", "one", "two", "three"]],
    ]);
  });

  it("R-179 takes a number too, so that a call's number does not depend on its siblings' fate", async () => {
    const { bench, outcome } = await run(GOOD, { child: [says("Worked.")], first: [[CHECK, {}, "c0"]] });

    expect(ofType(bench.events, "sub-workflow-start")).toMatchObject([{ dispatchId: "2" }]);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.dispatchCount).toBe(2);
    expect(outcome.messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      expect.stringContaining("missing-param"),
      "Worked.",
    ]);
  });

  it("R-174 W-161 an argument that is one reference keeps its type, any other text is text", async () => {
    const args = { order: "No. ${{count}}", count: "${{count}}", list: "${{ list }}", inner: { n: "${{count}}" } };
    const { bench, outcome } = await run(args, {
      first: [[...setting({ count: 3, list: [1, { a: null }] }), "c0"]],
      child: [says("Worked.")],
    });

    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.variables).toMatchObject({
      order: { value: "No. 3" },
      count: { value: 3 },
      list: { value: [1, { a: null }] },
      inner: { value: { n: "3" } },
    });
    expect(outcome.messages.find(({ tool_calls }) => tool_calls)?.tool_calls?.[1]?.args).toEqual(args);
    expect(ofType(bench.events, "tool-called").find(({ tool }) => tool === CHECK)?.args).toMatchObject({ count: 3 });
  });

  it("W-242 R-204 R-210 is governed like any other tool: a call that nothing grants is blocked by the kernel", async () => {
    const spec = `
states:
  desk:
    instructions: Work.
    tools: { allow: [{ tool: ${CHECK}, args: { order: "B-*" } }] }
    triggers: { manual: }
`;
    const { bench, answer } = await run(GOOD, { spec });

    expect(answer?.additional_kwargs?.archmax?.refusal).toMatch(/^blocked:tool\./);
    await nothingLeft(bench);
  });
});
