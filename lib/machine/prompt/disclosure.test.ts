import { describe, expect, it } from "vitest";
import type { StateSpec, WorkflowSpec } from "../../spec/types.js";
import { type Machine, renderParkedBlock, renderStateBlock, renderStaticPrompt } from "../index.js";
import { aMachine } from "../testing.js";

/** A state that holds the canary in every key a state may have. */
function canaryState(type: StateSpec["type"], targets: string[]): StateSpec {
  return {
    type,
    title: "CANARY",
    summary: "CANARY",
    instructions: "CANARY",
    script: "scripts/CANARY.js",
    triggers: {
      [`canary_${type}`]: {
        description: "CANARY",
        requires: ["canary_in"],
        returns: ["canary_out"],
        connection: "CANARY",
      },
    },
    transitions: targets.map((to) => ({ to, description: "CANARY" })),
    tools: { allow: ["CANARY"], forbid: ["CANARY"] },
    skills: { allow: ["canary"] },
    mounts: { allow: ["canary"] },
    requires: ["canary_required"],
    locks: ["canary_locked"],
    model: "CANARY",
    budget: { maxTurns: 424242 },
    on_error: "near",
    evidence: ["CANARY"],
    approvers: ["CANARY"],
    metadata: { x: "CANARY" },
  };
}

const here: StateSpec = {
  triggers: { manual: {} },
  instructions: "Work.",
  transitions: [
    { to: "near", description: "Go on." },
    { to: "near-code", description: "Check." },
    { to: "near-human", description: "Ask." },
  ],
};

function callsIn(machine: Machine): string[] {
  const block = renderStateBlock({
    machine,
    state: "here",
    clock: "CLOCK",
    trigger: "manual",
    child: false,
    offered: ["archmax_advance", "archmax_reset"],
    skills: [],
    mounts: [],
    variables: [],
    argumentLimits: [],
  });
  return [
    renderStaticPrompt({ machine, child: false, mounts: [] }),
    block,
    renderParkedBlock({ clock: "CLOCK", notice: { kind: "handoff" } }),
  ];
}

describe("what the model is shown of the graph", () => {
  it("W-259 R-272 is nothing of a state the session never enters, and of its neighbours only slug, kind and end", () => {
    const machine = aMachine({
      here,
      near: canaryState("agent", ["canary-far"]),
      "near-code": { ...canaryState("code", ["canary-far"]) },
      "near-human": canaryState("human", ["canary-far"]),
      "canary-far": canaryState("agent", ["canary-grader", "canary-human"]),
      "canary-grader": canaryState("grader", ["here"]),
      "canary-human": canaryState("human", ["here"]),
    });

    for (const text of callsIn(machine)) expect(text).not.toMatch(/canary|424242/i);
    expect(callsIn(machine)[1]).toContain("- `near-human` (human decision node): Ask.");
  });

  it("W-259 R-272 W-274 W-276 does not change with the number of states", () => {
    const few = aMachine({ here, near: {}, "near-code": { type: "code" }, "near-human": { type: "human" } });
    const many = aMachine({
      here,
      near: {},
      "near-code": { type: "code" },
      "near-human": { type: "human" },
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, {}])),
    });

    expect(callsIn(many)).toEqual(callsIn(few));
  });

  it("W-58 W-273 R-275 has no byte of titles, summaries, metadata, evidence, approvers, budgets, routes and scripts", () => {
    const quiet: WorkflowSpec["states"] = {
      here,
      near: { type: "grader", instructions: "Criteria.", transitions: [{ to: "here", description: "Back." }] },
      "near-code": { type: "code", script: "scripts/a.js" },
      "near-human": { type: "human", instructions: "Decide.", transitions: [{ to: "here", description: "Back." }] },
    };
    const loud: WorkflowSpec["states"] = {
      here: { ...here, title: "Here", summary: "S", metadata: { a: 1 }, budget: { maxTurns: 3 }, on_error: "near" },
      near: { ...quiet.near, instructions: "Other criteria." },
      "near-code": { ...quiet["near-code"], script: "scripts/b.js" },
      "near-human": { ...quiet["near-human"], evidence: ["x"], approvers: ["boss"], title: "T" },
    };

    expect(callsIn(aMachine(loud))).toEqual(callsIn(aMachine(quiet)));
  });

  it("R-275 quotes a target's instructions only under a transition without description", () => {
    const quoted = aMachine({
      here: { ...here, transitions: [{ to: "near" }] },
      near: { title: "CANARY", instructions: "Near work.", transitions: [{ to: "far", description: "CANARY" }] },
      far: { instructions: "CANARY" },
    });

    expect(callsIn(quoted)[1]).toContain("the work there is:\n  > Near work.");
    expect(callsIn(quoted).join()).not.toContain("CANARY");
  });
});
