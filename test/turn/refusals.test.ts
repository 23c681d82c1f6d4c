import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { benches, calls, results, says, setting } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: { returns: [{ name: total, type: integer }] } }
    requires: [must]
    budget: { maxParks: 1 }
    tools: { allow: [probe, { tool: guarded, args: { id: "\${{absent}}" } }] }
    on_error: rescue
    transitions: [{ to: ask }, { to: owner }]
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: On }] }
  owner: { instructions: Own., locks: [theirs] }
  rescue: { instructions: Mend. }
`;
const tools = toolsFromMap(
  Object.fromEntries(
    ["probe", "guarded"].map((name) => [
      name,
      {
        description: name,
        inputSchema: { type: "object", properties: { n: { type: "integer" } } },
        handler: () => {
          throw new Error("probe is down");
        },
      },
    ]),
  ),
);

type Call = [string, Record<string, unknown>?];
const to = (target: string, more = {}): Call => ["archmax_advance", { to: target, reason: "r", ...more }];
const wait: Call = ["archmax_wait", { reason: "r" }];

/** The code, the calls of one message of which the last but `after` has it, and facts its text names. */
const TABLE: [code: string, made: Call[], names: RegExp, after?: number][] = [
  ["invalid-arguments", [to("owner", { reason: " " })], /reason/],
  ["already-moved", [["archmax_reset", { reason: "r" }], to("owner")], /work/],
  ["already-waiting", [wait, to("owner")], /parking/],
  ["no-edge", [setting({ must: 1 }), to("rescue")], /ask, owner/],
  ["requires-unset", [to("owner")], /must/],
  ["evidence-target", [to("owner", { evidence: ["a"] })], /owner/],
  ["evidence-count", [to("ask", { evidence: Array.from({ length: 21 }, (_, n) => `scratchpad/${n}`) })], /20/],
  ["evidence-path", [to("ask", { evidence: ["_specs/x"] })], /_specs\/x/],
  ["not-alone", [setting({ a: 1 }), ["archmax_raise", { code: "c", reason: "r" }]], /only call/],
  ["until-invalid", [["archmax_wait", { reason: "r", until: "later" }]], /30m/],
  [
    "state-failed",
    [
      ["archmax_reset", { reason: "r" }],
      ["guarded", { id: "1" }],
    ],
    /failed/,
    1,
  ],
  ["nothing-to-write", [setting({})], /No variable/],
  ["name-invalid", [setting({ "No!": 1 })], /No!/],
  ["variable-reserved", [setting({ trigger: 1 })], /trigger/],
  ["variable-locked", [setting({ given: 1 })], /given.*"seed"/],
  ["variable-owned", [setting({ theirs: 1 })], /theirs.*owner/],
  ["return-type", [setting({ total: 1.5 })], /total.*integer/],
  ["title-lock", [setting({ title: "t" }, true)], /title/],
  ["title-shape", [setting({ title: "" })], /title/],
  ["unset", [["archmax_get_variables", { name: "none" }]], /given/],
  ["path-missing", [["archmax_get_variables", { name: "given", path: "x" }]], /x/],
  ["unresolved-reference", [["probe", { id: "${{absent}}" }]], /\$\{\{absent\}\}[\s\S]*\$\$\{\{/],
  ["unknown-tool", [["no_such_tool"]], /no_such_tool/],
  ["tool-threw", [["probe"]], /probe is down/],
  ["blocked:tool.unresolved-variable", [["guarded", { id: "1" }]], /guarded/],
  ["blocked:zone.escapes", [["ls", { path: "../.." }]], /\.\.\/\.\./],
  ["blocked:tool.ungrantable", [["task", {}]], /task/],
];

describe("the codes of refused and failed calls", () => {
  it.each(TABLE)(
    "R-61 R-68 R-94 %s stands in `additional_kwargs.archmax.refusal` of an error answer, as stored",
    async (code, made, names, after = 0) => {
      const bench = await open({
        spec: SPEC,
        tools,
        answer: (_, ordinal) => (ordinal === 1 ? calls(...made) : says("end")),
      });
      await bench.agent.workflow.send("s1", { message: "go", variables: { given: "seed" } });
      const stored = (await loadState(bench.stores.sessions, "s1"))?.state;
      const answer = results(stored ?? { messages: [] }).at(made.length - 1 - after);

      expect(answer).toMatchObject({ status: "error", refusal: code, text: expect.stringMatching(names) });
    },
  );

  it("R-80 R-127 park-budget", async () => {
    const bench = await open({
      spec: SPEC,
      tools,
      answer: (_, n) => (n < 3 ? { ...calls(wait), text: "w" } : says("end")),
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } });

    expect(results(outcome).at(-1)).toMatchObject({ refusal: "park-budget", text: expect.stringMatching(/work.*1/) });
  });

  it("R-42 F-19 interrupted: calls that the turn's end left open are answered so, and the next message works", async () => {
    const bench = await open({
      spec: SPEC,
      tools,
      replies: [calls(["probe"], ["ls"]), calls(setting({ total: 1 })), says("end")],
    });
    await expect(bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 1 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "again" });

    expect(results(outcome).slice(0, 2)).toEqual(
      ["probe", "ls"].map((tool) => ({
        tool,
        status: "error",
        refusal: "interrupted",
        text: expect.stringMatching(/unknown/),
      })),
    );
    expect(outcome.kind).toBe("completed");
  });
});
