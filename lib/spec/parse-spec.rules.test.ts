import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";

/** `code field` of every load finding of a document with these states. */
function loads(states: string): string[] {
  return parseSpec(`instructions: I\nstates:\n${states}`)
    .diagnostics.filter((diagnostic) => diagnostic.class === "load")
    .map(({ code, field }) => `${code} ${field}`);
}

const ENTRY = "triggers: {manual: }";

describe("document rules", () => {
  it("W-85 W-174 names targets that are no state", () => {
    expect(loads(`  a: {${ENTRY}, transitions: [{to: x}, {to: toString}], on_error: y}\n`)).toEqual([
      "transition/undefined-target states.a.transitions.0.to",
      "transition/undefined-target states.a.transitions.1.to",
      "on-error/undefined-target states.a.on_error",
    ]);
  });

  it.each([
    ["type: human, instructions: x", "instructions: y", true],
    ["instructions: x", "type: grader, instructions: y", true],
    ["instructions: x", "type: code, script: scripts/x.js", true],
    ["instructions: x", "type: code, script: scripts/x.js, instructions: y", true],
    ["instructions: x", "summary: nothing to route by", true],
    ["instructions: x", "instructions: ' '", true],
    ["instructions: x", "instructions: y", false],
    ["instructions: x", "type: human, instructions: y", false],
    ["type: grader, instructions: x", "instructions: y", false],
    ["type: code, script: scripts/x.js", "type: grader, instructions: y", false],
    ["type: code, script: scripts/x.js", "summary: none", false],
  ])("W-86 W-87 W-88 from {%s} to {%s}: a description is required = %s", (source, target, required) => {
    const states = (description: string) =>
      `  a: {${ENTRY}, ${source}, transitions: [{to: b${description}}]}\n  b: {${target}}\n`;
    const finding = "transition/undescribed states.a.transitions.0.description";
    expect(loads(states(""))).toEqual(required ? [finding] : []);
    expect(loads(states(", description: ' '"))).toEqual(required ? [finding] : []);
    expect(loads(states(", description: D"))).toEqual([]);
  });

  it("W-61 W-62 asks a code state for its script, and no other", () => {
    expect(loads(`  a: {${ENTRY}, type: code}\n`)).toEqual(["code/no-script states.a.script"]);
    expect(loads(`  a: {${ENTRY}, type: code, script: ' '}\n`)).toEqual(["code/no-script states.a.script"]);
    for (const type of ["agent", "human", "grader"]) {
      expect(loads(`  a: {${ENTRY}, type: ${type}, script: scripts/x.js}\n`)).toEqual([
        "code/script-on-other-type states.a.script",
      ]);
    }
  });

  it("W-95 W-96 W-97 takes several ids on one state, of any type, and one id on one state only", () => {
    expect(loads("  a: {type: code, script: scripts/x.js, triggers: {x: , y: }}\n")).toEqual([]);
    expect(loads("  a: {triggers: {x: }}\n  b: {triggers: {y: , x: }}\n")).toEqual([
      "trigger/duplicate-id states.b.triggers.x",
    ]);
    const [finding] = parseSpec("instructions: I\nstates: {a: {triggers: {x: }}, b: {triggers: {x: }}}\n").diagnostics;
    expect(finding!.message).toMatch(/"a".*"b"/);
  });

  it("W-98 asks for a trigger", () => {
    expect(loads("  a:\n  b: {triggers: {}}\n")).toEqual(["trigger/none states"]);
  });

  it("W-99 takes any trigger id, manual or not", () => {
    expect(loads("  a: {triggers: {ticket_opened: }}\n")).toEqual([]);
  });

  it("W-152 gives a lock one owner, named in the finding with the other", () => {
    const states = `  first: {${ENTRY}, locks: [x, y]}\n  second: {locks: [z, x]}\n`;
    expect(loads(states)).toEqual(["locks/two-owners states.second.locks.1"]);
    const owners = parseSpec(`states:\n${states}`).diagnostics.find(({ code }) => code === "locks/two-owners");
    expect(owners?.message).toMatch(/"x".*"first".*"second"/);
  });

  it("W-22 hands out spec, order and hash exactly when there is no load finding", () => {
    const parsed = parseSpec(`states: {"2": {${ENTRY}, transitions: [{to: "1", description: D}]}, "1": }\n`);
    expect(parsed).toMatchObject({
      ok: true,
      stateOrder: ["2", "1"],
      specHash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(parsed.locate(["states", "1"])).toEqual({ line: 1, column: 81 });
    expect(parseSpec("states: {a: }\n").ok).toBe(false);
  });
});
