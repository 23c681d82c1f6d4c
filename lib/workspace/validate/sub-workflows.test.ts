import { describe, expect, it } from "vitest";
import { findings, type SampleFiles, SCRIPT, SPEC, spec, validateSample } from "./sample-workspace.fixture.js";

const calling = (...slugs: string[]) =>
  spec({ start: `tools: { allow: [${slugs.map((slug) => `archmax_workflow_${slug}`).join(", ")}] }` });
const at = (slug: string) => `workflows/${slug}/workflow.yaml`;
const grant = "states.start.tools.allow.0";

const waiting = spec({
  states: "ask:\n  type: human\n  instructions: Decide.\n  transitions: [{ to: done, description: Fine. }]",
  start: "on_error: ask",
});

describe("delegations", () => {
  it.each<[ids: string, files: SampleFiles, expected: string[]]>([
    ["W-248", { [SPEC]: calling("child"), [at("child")]: spec() }, []],
    ["W-248", { [SPEC]: calling("Bad_Name") }, [`subworkflow/bad-slug ${grant}`]],
    ["W-248", { [SPEC]: calling("child") }, [`subworkflow/missing ${grant}`]],
    ["W-248", { [SPEC]: calling("child"), [at("child")]: "title: 5\n" }, [`subworkflow/missing ${grant}`]],
    [
      "W-248 W-246",
      { [SPEC]: calling("child"), [at("child")]: spec().replace("manual", "mail") },
      [`subworkflow/no-manual ${grant}`],
    ],
    ["W-248", { [SPEC]: calling("w") }, [`subworkflow/cycle ${grant}`]],
    ["W-248", { [SPEC]: calling("child"), [at("child")]: calling("w") }, [`subworkflow/cycle ${grant}`]],
    [
      "W-33 W-248",
      { [SPEC]: calling("child"), [at("child")]: spec({ root: "disabled: true" }) },
      [`subworkflow/target-disabled ${grant}`],
    ],
    ["W-33 W-248", { [SPEC]: calling("child"), [at("child")]: spec({ root: "disabled: false" }) }, []],
    ["W-248", { [SPEC]: calling("a".repeat(47)), [at("a".repeat(47))]: spec() }, []],
    [
      "W-248",
      { [SPEC]: calling("a".repeat(48)), [at("a".repeat(48))]: spec() },
      [`subworkflow/name-too-long ${grant}`],
    ],
    ["W-248", { [SPEC]: calling("child"), [at("child")]: waiting }, []],
    ["W-248 W-247", { [SPEC]: calling("a"), [at("a")]: calling("b"), [at("b")]: calling("c"), [at("c")]: spec() }, []],
    [
      "W-248 W-247",
      {
        [SPEC]: calling("a"),
        [at("a")]: calling("b"),
        [at("b")]: calling("c"),
        [at("c")]: calling("d"),
        [at("d")]: spec(),
      },
      [`subworkflow/too-deep ${grant}`],
    ],
    [
      "W-248",
      { [SPEC]: spec({ states: "far:\n  tools: { allow: [archmax_workflow_gone] }" }) },
      ["state/unreachable states.far"],
    ],
    [
      "W-248",
      { [SPEC]: spec({ tools: "tools: { allow_always: [archmax_workflow_gone] }" }) },
      ["subworkflow/missing tools.allow_always.0"],
    ],
    ["W-248 W-246", { [SPEC]: spec({ tools: "tools: { forbid_always: [archmax_workflow_gone] }" }) }, []],
  ])("%s judges the grants of %j", async (_ids, files, expected) => {
    expect(await findings(files)).toEqual(expected);
  });

  it("W-248 warns an automated state of a child that may wait for a person", async () => {
    const code = spec({
      start: "on_error: work",
      states: "work:\n  type: code\n  script: scripts/a.js\n  tools: { allow: [archmax_workflow_child] }",
    });
    const files = { [SPEC]: code, "workflows/w/scripts/a.js": SCRIPT };
    expect(await findings({ ...files, [at("child")]: waiting })).toEqual([
      "subworkflow/may-park-in-script states.work.tools.allow.0",
    ]);
    const grader = spec({
      tools: "tools: { allow_always: [archmax_workflow_child] }",
      start: "on_error: work",
      states: "work:\n  type: grader\n  instructions: Judge.\n  transitions: [{ to: done, description: Fine. }]",
    });
    expect(await findings({ [SPEC]: grader, [at("child")]: waiting })).toEqual([
      "subworkflow/may-park-in-script tools.allow_always.0",
    ]);
    const aside = waiting.replace("on_error: ask", "summary: x");
    expect(await findings({ ...files, [at("child")]: aside })).toEqual([]);
  });

  it("W-248 reports a problem once for each granting state, in the document that grants", async () => {
    const twice = spec({
      start: "on_error: more\ntools: { allow: [archmax_workflow_child] }",
      states: "more:\n  tools: { allow: [archmax_workflow_child] }",
    });
    expect(await findings({ [SPEC]: twice })).toEqual([
      "subworkflow/missing states.start.tools.allow.0",
      "subworkflow/missing states.more.tools.allow.0",
    ]);
    const { diagnostics, valid } = await validateSample({
      [SPEC]: calling("a", "b"),
      [at("a")]: calling("c"),
      [at("b")]: calling("c"),
      [at("c")]: calling("gone"),
    });
    expect(diagnostics).toMatchObject([{ code: "subworkflow/missing", file: at("c"), line: 10 }]);
    expect(valid).toBe(false);
  });
});
