import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";

const STATES = "states: {a: {triggers: {manual: }}}\n";
const findings = (text: string) => parseSpec(text).diagnostics.filter(({ severity }) => severity === "error");
const says = (code: string, instead: string) => ({
  code,
  class: "load",
  message: expect.stringContaining(instead),
  hint: expect.stringContaining(instead),
});

describe("removed keys", () => {
  it.each([
    ["name: x", "removed/root-name", "`title`"],
    ["description: x", "removed/root-description", "`instructions`"],
    ["policy: {}", "removed/policy", "`tools.forbid_always` and `skills.forbid_always`"],
    ["triggers: {}", "removed/root-triggers", "`triggers` on the state"],
    ["budget: {}", "removed/root-budget", "`budget` on states"],
    ["extensions: []", "removed/extensions", "code states"],
    ["rubrics: {}", "removed/rubrics", "a grader state"],
    ["editor: {}", "removed/editor", "`metadata`"],
    ["variables: {}", "removed/variables", "set and not declared"],
    ["settings: {sub_workflows: 1}", "removed/settings-sub-workflows", "fixed"],
    ["settings: {prompt: x}", "removed/settings-prompt", "one rendering"],
    ["skills: {allow: [a]}", "removed/skills-root-allow", "`skills.allow_always`"],
    ["mounts: {allow: [a]}", "removed/mounts-root-allow", "`mounts.allow_always`"],
  ])("W-17 W-23 W-293 root: %s is %s and nothing else, and says: %s", (yaml, code, instead) => {
    expect(findings(`${STATES}${yaml}\n`)).toMatchObject([says(code, instead)]);
  });

  it.each([
    ["editor: {}", "removed/editor", "`metadata`"],
    ["before: []", "removed/hooks", "a code state in front"],
    ["after: []", "removed/hooks", "a code or grader state"],
    ["trigger: x", "removed/state-trigger", "`triggers: { <id>: }`"],
    ["workflow: x", "removed/state-workflow", "`archmax_workflow_<slug>` in `tools.allow`"],
    ["params: {}", "removed/state-params", "the call's arguments"],
    ["for_each: x", "removed/state-for-each", "one call per item"],
    ["result: x", "removed/state-result", "`requires` on the calling state"],
    ["parallel: []", "removed/parallel", "sequenced transitions"],
    ["join: x", "removed/parallel", "delegation calls"],
    ["max_iterations: 1", "removed/iterations", "a grader"],
    ["max_corrections: ", "removed/iterations", "a grader"],
    ["type: wait", "removed/type-wait", "`archmax_wait`"],
    ["type: trigger", "removed/type-trigger", "`triggers` on the entered state"],
    ["type: workflow", "removed/type-workflow", "the delegation tool"],
    ["transitions: [{to: a, on: x}]", "removed/transition-on", "the resumed state picks its transition"],
  ])("W-17 W-61 W-293 state: %s is %s and nothing else, and says: %s", (yaml, code, instead) => {
    expect(findings(`states: {a: {triggers: {manual: }, ${yaml}}}\n`)).toMatchObject([says(code, instead)]);
  });

  it("W-293 reports the trigger id sub-workflow as a check", () => {
    expect(findings("states: {a: {triggers: {sub-workflow: }}}\n")).toMatchObject([
      {
        code: "removed/trigger-sub-workflow",
        class: "check",
        field: "states.a.triggers.sub-workflow",
        hint: "`manual`",
      },
    ]);
  });
});
