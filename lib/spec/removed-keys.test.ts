import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";

const STATES = "states: {a: {triggers: {manual: }}}\n";
const findings = (text: string) => parseSpec(text).diagnostics.filter(({ severity }) => severity === "error");

describe("removed keys", () => {
  it.each([
    ["name: x", "removed/root-name"],
    ["description: x", "removed/root-description"],
    ["policy: {}", "removed/policy"],
    ["triggers: {}", "removed/root-triggers"],
    ["budget: {}", "removed/root-budget"],
    ["extensions: []", "removed/extensions"],
    ["rubrics: {}", "removed/rubrics"],
    ["editor: {}", "removed/editor"],
    ["variables: {}", "removed/variables"],
    ["settings: {sub_workflows: 1}", "removed/settings-sub-workflows"],
    ["settings: {prompt: x}", "removed/settings-prompt"],
    ["skills: {allow: [a]}", "removed/skills-root-allow"],
    ["mounts: {allow: [a]}", "removed/mounts-root-allow"],
  ])("W-17 W-23 W-293 root: %s is %s and nothing else", (yaml, code) => {
    expect(findings(`${STATES}${yaml}\n`)).toMatchObject([{ code, class: "load", hint: expect.any(String) }]);
  });

  it.each([
    ["editor: {}", "removed/editor"],
    ["before: []", "removed/hooks"],
    ["after: []", "removed/hooks"],
    ["trigger: x", "removed/state-trigger"],
    ["workflow: x", "removed/state-workflow"],
    ["params: {}", "removed/state-params"],
    ["for_each: x", "removed/state-for-each"],
    ["result: x", "removed/state-result"],
    ["parallel: []", "removed/parallel"],
    ["join: x", "removed/parallel"],
    ["max_iterations: 1", "removed/iterations"],
    ["max_corrections: ", "removed/iterations"],
    ["type: wait", "removed/type-wait"],
    ["type: trigger", "removed/type-trigger"],
    ["type: workflow", "removed/type-workflow"],
    ["transitions: [{to: a, on: x}]", "removed/transition-on"],
  ])("W-17 W-61 W-293 state: %s is %s and nothing else", (yaml, code) => {
    expect(findings(`states: {a: {triggers: {manual: }, ${yaml}}}\n`)).toMatchObject([{ code, class: "load" }]);
  });

  it("W-293 reports the trigger id sub-workflow as a check", () => {
    expect(findings("states: {a: {triggers: {sub-workflow: }}}\n")).toMatchObject([
      { code: "removed/trigger-sub-workflow", class: "check", field: "states.a.triggers.sub-workflow" },
    ]);
  });
});
