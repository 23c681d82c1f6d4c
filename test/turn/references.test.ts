import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import { benches, calls, ofType, results, says, setting } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Do not resolve \${{name}} here.
    triggers: { manual: }
    tools:
      allow:
        - probe
        - { tool: lookup, args: { id: "case-\${{order_id}}" } }
        - write_file
      forbid:
        - { tool: probe, args: { text: "no-\${{banned}}" } }
    transitions: [{ to: done, description: on }]
  done: { instructions: Close. }
`;

const VALUES = { name: "Ada", n: 4, yes: true, list: [{ id: 7 }], order: { id: "x-1" }, empty: null, banned: "b" };

async function run(variables: Record<string, unknown>, ...made: Parameters<typeof calls>) {
  const got: unknown[] = [];
  const schema = { type: "object" };
  const handler = (args: unknown) => String(got.push(args));
  const bench = await open({
    spec: SPEC,
    tools: toolsFromMap({
      probe: { description: "p", inputSchema: schema, handler },
      lookup: { description: "l", inputSchema: schema, handler },
    }),
    replies: [calls(...made), says("end")],
  });
  const outcome = await bench.agent.workflow.send("s1", { message: "go", variables });
  return { bench, outcome, got, answered: results(outcome) };
}

describe("references in a model's call", () => {
  it("R-91 R-92 W-157 W-160 are replaced by the value as text, in nested values, keys and other values aside", async () => {
    const args = {
      text: "Hello ${{ name }}, ${{n}}/${{yes}}",
      nested: { list: ["${{list.0.id}}", "${{list.-1.id}}", 3], "${{name}}": true },
      whole: "${{n}}",
    };
    const { got } = await run(VALUES, ["probe", args]);

    expect(got).toEqual([
      { text: "Hello Ada, 4/true", nested: { list: ["7", "7", 3], "${{name}}": true }, whole: "4" },
    ]);
  });

  it("R-91 `$${{…}}` writes the characters", async () => {
    const { got } = await run(VALUES, ["probe", { text: "$${{name}} ${{name}}" }]);

    expect(got).toEqual([{ text: "${{name}} Ada" }]);
  });

  it("R-92 are replaced in control tools too", async () => {
    const { outcome } = await run(VALUES, setting({ greeting: "Hi ${{name}}" }));

    expect(outcome.variables.greeting?.value).toBe("Hi Ada");
  });

  it("R-93 W-160 the tool's event shows the value, the transcript what the model wrote", async () => {
    const { bench, outcome } = await run(VALUES, ["probe", { text: "${{name}}" }]);

    expect(ofType(bench.events, "tool-called")).toMatchObject([{ args: { text: "Ada" } }]);
    expect(outcome.messages.flatMap((message) => message.tool_calls ?? [])).toMatchObject([
      { args: { text: "${{name}}" } },
    ]);
    expect(JSON.stringify(bench.requests[1]?.body.messages)).toContain("${{name}}");
  });

  it("R-93 comes before the path is made canonical and judged", async () => {
    const { answered } = await run({ where: "checkpoints/x.md" }, [
      "write_file",
      { file_path: "./scratchpad/../${{where}}", content: "c" },
    ]);

    expect(answered).toMatchObject([{ status: "error", refusal: expect.stringMatching(/^blocked:zone\./) }]);
  });

  it.each([
    ["${{nothing}}", /nothing/],
    ["${{order}}", /order/],
    ["${{list}}", /list/],
    ["${{empty}}", /null/],
    ["${{order.missing}}", /path/],
    ["${{list.length}}", /path/],
    ["${{order.constructor}}", /path/],
    ["${{list.00}}", /list/],
    ["${{Not A Name}}", /Not A Name/],
  ])("R-94 F-37 W-160 refuses %s before any rule, recoverably, naming it, why, and the escape", async (text, why) => {
    const { bench, got, answered, outcome } = await run(VALUES, ["probe", { text, other: "${{name}}" }]);

    expect(got).toEqual([]);
    expect(answered).toMatchObject([
      { status: "error", refusal: "unresolved-reference", text: expect.stringMatching(why) },
    ]);
    expect(answered[0]?.text).toContain(text);
    expect(answered[0]?.text).toContain("$${{");
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ args: { text, other: "${{name}}" } }]);
    expect(outcome.status).toBe("completed");
  });

  it("R-56 sees what an earlier call of the same message wrote", async () => {
    const { got } = await run({ banned: "b" }, setting({ late: "now" }), ["probe", { text: "${{late}}" }]);

    expect(got).toEqual([{ text: "now" }]);
  });

  it("W-157 are plain text in instructions", async () => {
    const { bench } = await run(VALUES);

    expect(JSON.stringify(bench.requests[0]?.body.messages)).toContain("Do not resolve ${{name}} here.");
  });
});

describe("references in guards", () => {
  it("R-95 W-158 match only the value itself, resolved at every call", async () => {
    const { got, answered } = await run(
      {},
      setting({ order_id: "*" }),
      ["lookup", { id: "case-*" }],
      ["lookup", { id: "case-7" }],
      setting({ order_id: "7" }),
      ["lookup", { id: "case-7" }],
    );

    expect(got).toEqual([{ id: "case-*" }, { id: "case-7" }]);
    expect(answered.map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      "blocked:tool.not-allowed",
      undefined,
      undefined,
    ]);
  });

  it("R-96 R-163 W-159 an unresolvable guard of the only grant fails the state at the end of the batch", async () => {
    const { bench, outcome, got, answered } = await run(
      { banned: "b" },
      ["lookup", { id: "case-1" }],
      ["probe", { text: "still runs" }],
    );

    expect(answered).toMatchObject([{ refusal: "blocked:tool.unresolved-variable" }, { status: "success" }]);
    expect(got).toEqual([{ text: "still runs" }]);
    expect(outcome).toMatchObject({ kind: "rejected", state: "work" });
    expect(outcome.rejected).toMatch(/work[\s\S]*lookup/);
    expect(bench.requests).toHaveLength(1);
  });

  it("R-96 W-159 in a denial an unresolvable guard counts as matching", async () => {
    const { answered, outcome } = await run({}, ["probe", { text: "anything" }]);

    expect(answered).toMatchObject([{ refusal: "blocked:tool.forbidden-here" }]);
    expect(outcome.status).toBe("completed");
  });
});
