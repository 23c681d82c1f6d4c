import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../memory-backend.js";
import { findings, type SampleFiles, SPEC, spec, validateSample } from "./sample-workspace.fixture.js";

const CASE = "workflows/w/tests/a.test.yaml";
const head = "title: A case\ndescription: What it shows.\n";
const judged = (source: string, files: SampleFiles = {}) => findings({ [SPEC]: spec(), [CASE]: source, ...files });

describe("cases", () => {
  it("W-290 C-1 finds two files that are one case by their names, once and in the second", async () => {
    const { diagnostics } = await validateSample({
      [SPEC]: spec(),
      [CASE]: head,
      "workflows/w/tests/a.test.yml": head,
    });

    expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["case/schema", "workflows/w/tests/a.test.yml"],
    ]);
    expect(diagnostics[0]?.message).toContain("a.test.yaml");
  });

  it.each<[ids: string, source: string, expected: string[]]>([
    ["W-290", `${head}steps: [{ send: x }, { succeeded: true }]`, []],
    ["W-290", `${head}stages: []`, ["case/schema stages"]],
    ["W-290", `${head}steps: [{ send: x, decide: { to: done } }]`, ["case/schema steps.0"]],
    ["W-290", `${head}steps: [{ succeeded: true }]`, ["case/schema steps.0"]],
    ["W-290", "title: [\n", ["case/schema"]],
    ["W-290", "description: d\n", ["case/title"]],
    ["W-290", `title: ${"x".repeat(61)}\ndescription: d\n`, ["case/title title"]],
    ["W-290", `title: ${"x".repeat(60)}\ndescription: ${"y".repeat(200)}\n`, []],
    ["W-290", 'title: "a\\nb"\ndescription: d\n', ["case/title title"]],
    ["W-290", "title: t\n", ["case/description"]],
    ["W-290", `title: t\ndescription: ${"x".repeat(201)}\n`, ["case/description description"]],
    ["W-290", `${head}steps: [{ send: x }, { reply: { includes: "/(/" } }]`, ["case/regex steps.1.reply.includes"]],
    ["W-290 C-56", `${head}trigger: { id: mail }`, ["case/unknown-trigger trigger.id"]],
    ["W-290 C-56", `${head}trigger: { id: manual }`, []],
    ["W-290 C-56", `${head}workspace: { a.json: { from: gone.json } }`, ["case/fixture-missing workspace.a.json.from"]],
    ["W-290 C-56", `${head}workspace: { a.json: { from: fixtures/a.json } }`, []],
    [
      "W-290",
      `${head}workspace: { a.json: { from: ../workflow.yaml } }`,
      ["case/fixture-escapes workspace.a.json.from"],
    ],
    ["W-290", `${head}workspace: { artifacts/a: x }`, ["case/workspace-path workspace.artifacts/a"]],
    ["W-290", `${head}workspace: { workflows: x }`, ["case/workspace-path workspace.workflows"]],
    ["W-290", `${head}workspace: { checkpoints: x }`, ["case/workspace-path workspace.checkpoints"]],
    ["W-290", `${head}workspace: { report.md: x, scratchpad/a/b.md: y }`, []],
    ["W-290 C-13", `${head}workspace: { AGENTS.md: x }`, ["case/workspace-path workspace.AGENTS.md"]],
    ["W-290", `${head}mocks: [{ tool: archmax_raise, result: x }]`, ["case/control-mock mocks.0.tool"]],
    ["W-290", `${head}mocks: [{ tool: archmax_get_history, result: x }]`, ["case/control-mock mocks.0.tool"]],
    ["W-290", `${head}mocks: [{ tool: archmax_run, result: x }]`, []],
    [
      "W-290 C-56",
      `${head}steps: [{ send: x }, { grade: { closedQA: ok, atLeast: 1 } }]`,
      ["case/grade-without-judge steps.1.grade"],
    ],
    ["W-290 C-56", `${head}steps: [{ send: x }, { reachedState: nope }]`, ["case/unknown-state steps.1.reachedState"]],
    [
      "W-290 C-56",
      `${head}steps: [{ send: x }, { trail: { to: nope, count: 1 } }]`,
      ["case/unknown-state steps.1.trail.to"],
    ],
    ["W-290 C-56", `${head}steps: [{ decide: { to: nope } }]`, ["case/unknown-state steps.0.decide.to"]],
    [
      "W-290 C-56",
      `${head}steps: [{ send: x }, { parked: { state: nope } }]`,
      ["case/unknown-state steps.1.parked.state"],
    ],
    ["W-290", `${head}steps: [{ deliver: { trigger: anything } }, { reachedState: done }]`, []],
  ])("%s judges the case %j", async (_ids, source, expected) => {
    expect(await judged(source, { "workflows/w/tests/fixtures/a.json": "{}" })).toEqual(expected);
  });

  it("W-290 counts prose as the case grammar does, and C-1 ignores what is no case", async () => {
    const folded = `title: t\ndescription: >-\n  ${"word\n    ".repeat(40)}\n`;
    const others = {
      "workflows/w/tests/notes.md": "x",
      "workflows/w/tests/tests.config.js": "x",
      "workflows/w/tests/b.test.js": "x",
      "workflows/w/hooks/a.js": "x",
    };
    expect(await judged(folded, others)).toEqual([]);
  });

  it("W-290 takes the trigger manual though no state declares it", async () => {
    const files = { [SPEC]: spec().replace("manual", "mail"), [CASE]: `${head}trigger: { id: manual }` };
    expect(await findings(files)).toEqual([]);
  });

  it("W-290 finds a judge in the document", async () => {
    const source = `${head}steps: [{ send: x }, { grade: { closedQA: ok, atLeast: 1 } }]`;
    expect(await findings({ [SPEC]: spec({ root: "tests: { judge: {} }" }), [CASE]: source })).toEqual([]);
  });

  it("W-290 C-2 reads every depth and both endings, in the order of their paths", async () => {
    const { diagnostics } = await validateSample({
      [SPEC]: spec(),
      "workflows/w/tests/b.test.yaml": "title: t\n",
      "workflows/w/tests/deep/er/a.test.yml": "title: t\n",
      "workflows/w/tests/a.test.yaml": "title: t\n",
    });
    expect(diagnostics.map(({ file }) => file)).toEqual([
      "workflows/w/tests/a.test.yaml",
      "workflows/w/tests/b.test.yaml",
      "workflows/w/tests/deep/er/a.test.yml",
    ]);
  });

  it("W-2 points at line and column of the case", async () => {
    const { diagnostics } = await validateSample({
      [SPEC]: spec(),
      [CASE]: `${head}steps:\n  - send: x\n  - reachedState: nope\n  - parked: never\n`,
    });
    expect(diagnostics).toMatchObject([
      { code: "case/schema", file: CASE, line: 6, column: 5, field: "steps.2.parked" },
    ]);
  });

  it("W-2 hints at the name that was meant", async () => {
    const { diagnostics } = await validateSample({
      [SPEC]: spec(),
      [CASE]: `${head}steps: [{ send: x }, { reachedState: dome }]`,
    });
    expect(diagnostics).toMatchObject([{ hint: "Did you mean done?" }]);
  });

  it("C-13 refuses a path in a mount the host declares", async () => {
    const mounts = { "/catalog.json": createMemoryBackend() };
    const source = `${head}workspace: { catalog.json: x }`;
    expect(await findings({ [SPEC]: spec(), [CASE]: source }, { mounts })).toEqual([
      "case/workspace-path workspace.catalog.json",
    ]);
    expect(await judged(source)).toEqual([]);
  });
});
