import { describe, expect, it } from "vitest";
import { compileMachine } from "../machine/index.js";
import { emptyState } from "../session/fold.js";
import type { Batch, Park, SessionFields, SessionState } from "../session/state.js";
import { nextStep, overLimit } from "./next-step.js";

const machine = compileMachine(
  {
    spec: {
      states: {
        work: { instructions: "W." },
        way: { type: "code", script: "s.js", transitions: [{ to: "work", description: "On." }] },
        gate: { type: "code", script: "s.js" },
      },
    },
    stateOrder: ["work", "way", "gate"],
    specHash: "h",
  },
  "case",
);
const park = { channel: "input", parkId: "p", state: "work", reason: "r", parkedAt: "t" } as Park;
const pendingDelegations = [{ sessionId: "s~1" }] as SessionFields["pendingDelegations"];
const childInput: SessionFields["childInput"] = { kind: "decision", target: "done" };
const batch: Batch = { calls: ["c"], answers: [] };

function next(fields: Partial<SessionFields>, open: Batch | null = null, limit = 10) {
  const state: SessionState = {
    ...emptyState(),
    fields: { status: "running", position: "work", ...fields },
    batch: open,
  };
  return nextStep(machine, state, limit);
}

describe("nextStep", () => {
  it.each<[string, Partial<SessionFields>, Batch | null, string]>([
    ["a finished session is at its end", { status: "failed", failure: "x" }, null, "end"],
    [
      "a failure is settled before all else",
      { failure: "x", park, parkPhase: "suspended", pendingDelegations, childInput },
      batch,
      "settle",
    ],
    [
      "a check that is owed comes before the step limit",
      { run: { start: 0, due: true }, stepsUsed: 99 },
      null,
      "verify",
    ],
    ["the step limit is settled before a new run", { position: "gate", visit: 1, stepsUsed: 10 }, null, "settle"],
    ["an automated state runs once a visit", { position: "gate", visit: 2, ranVisit: 1 }, null, "automated"],
    ["a park that is closing is served", { park, parkPhase: "closing" }, null, "handoff"],
    ["a park that is suspended is left", { park, parkPhase: "suspended", stepsUsed: 99 }, null, "end"],
    ["a reply that is owed is answered", { park, parkPhase: "suspended", replyOwed: true }, null, "handoff"],
    ["a reply over the limit is not", { park, parkPhase: "suspended", replyOwed: true, stepsUsed: 10 }, null, "settle"],
    ["an open batch waits for its answers", {}, batch, "tools"],
    ["otherwise the model is called", {}, null, "model"],
    ["a parked child is presented before the model is called", { pendingDelegations }, null, "present"],
    [
      "not while the session has a park of its own",
      { pendingDelegations, park, parkPhase: "closing" },
      null,
      "handoff",
    ],
    ["nor before an automated state", { pendingDelegations, position: "way", visit: 2 }, null, "automated"],
    ["but before one that may end the work", { pendingDelegations, position: "gate", visit: 2 }, null, "present"],
    ["what answers a child runs that child on", { pendingDelegations, childInput, stepsUsed: 10 }, null, "delegated"],
    ["and after an automated state has run, too", { position: "gate", visit: 1, ranVisit: 1 }, null, "model"],
  ])("R-48 %s", (_, fields, open, step) => {
    expect(next(fields, open)).toBe(step);
  });

  it("R-47 the step that would exceed the limit is not taken", () => {
    const used = (stepsUsed: number) => ({ ...emptyState(), fields: { stepsUsed } });

    expect([9, 10, 11].map((steps) => overLimit(used(steps), 10))).toEqual([false, true, true]);
    expect(overLimit(emptyState(), 1)).toBe(false);
  });
});
