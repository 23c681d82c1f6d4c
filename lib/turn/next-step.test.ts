import { describe, expect, it } from "vitest";
import type { SessionFields } from "../session/state.js";
import { aState, machineOf } from "../session/testing.js";
import { nextStep } from "./next-step.js";

const machine = machineOf(`
states:
  work:
    triggers: { manual: }
    instructions: Work.
    transitions: [{ to: check, description: Check. }, { to: review }]
  check: { type: code, script: scripts/c.js, transitions: [{ to: work }] }
  review: { type: human, instructions: Decide., transitions: [{ to: work, description: Back. }] }
`);
const park = {
  channel: "input" as const,
  parkId: "p",
  state: "work",
  reason: "r",
  parkedAt: "2026-03-20T09:00:00.000Z",
};
const batch = { calls: ["a"], answers: [] };

const running = { status: "running" as const, position: "work" };
const next = (fields: Partial<SessionFields>, rest = {}) =>
  nextStep(machine, aState({ ...running, ...fields }, rest), 10);

describe("the next step", () => {
  it.each<[string, Partial<SessionFields>, object, string]>([
    ["nothing, once finished", { status: "completed", failure: "f" }, {}, "end"],
    ["a failure's route, before the step limit", { failure: "f", stepsUsed: 10 }, {}, "settle"],
    [
      "a failure's route, before the automated state",
      { failure: "f", position: "check", visit: 2, ranVisit: 1 },
      {},
      "settle",
    ],
    ["the step limit, before a model call", { stepsUsed: 10 }, {}, "settle"],
    ["the step limit, before the automated state", { stepsUsed: 10, position: "check", visit: 2 }, {}, "settle"],
    ["the step limit, before the handoff", { stepsUsed: 10, park, parkPhase: "closing" }, {}, "settle"],
    ["the open batch", {}, { batch }, "tools"],
    ["the automated state, not yet run in this visit", { position: "check", visit: 2, ranVisit: 1 }, {}, "automated"],
    ["a closing park's handoff", { park, parkPhase: "closing", status: "awaiting_input" }, {}, "handoff"],
    [
      "the end, at a suspended park",
      { park, parkPhase: "suspended", status: "awaiting_input", stepsUsed: 10 },
      {},
      "end",
    ],
    ["the reply that is owed at a suspended park", { park, parkPhase: "suspended", replyOwed: true }, {}, "handoff"],
    ["a model call in the current state", { stepsUsed: 9 }, {}, "model"],
    [
      "a model call, where the automated state has run in this visit",
      { position: "check", visit: 2, ranVisit: 2 },
      {},
      "model",
    ],
  ])("R-48 is %s", (_what, fields, rest, expected) => {
    expect(next(fields, rest)).toBe(expected);
  });

  it("R-47 is limited only when the next step would exceed the limit", () => {
    expect(next({ stepsUsed: 9 })).toBe("model");
    expect(next({ stepsUsed: 10 })).toBe("settle");
  });
});
