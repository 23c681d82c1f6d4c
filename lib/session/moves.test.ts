import { describe, expect, it } from "vitest";
import { compileMachine } from "../machine/index.js";
import type { StateSpec } from "../spec/types.js";
import { applyPatches, emptyState } from "./fold.js";
import { agentAdvance, automatedAdvance, enterState, raiseEnd, resetMove, routeFailure, type Step } from "./moves.js";
import type { SessionFields, SessionPatch, SessionState, Variable } from "./state.js";

const states: Record<string, StateSpec> = {
  work: { instructions: "W.", triggers: { manual: {} }, on_error: "ask", transitions: [{ to: "ask" }] },
  ask: {
    type: "human",
    instructions: " Decide. \n",
    evidence: ["/scratchpad/a.md", "scratchpad/b.md"],
    transitions: [{ to: "done", description: "Yes", type: "refine" }],
  },
  done: { instructions: "D.", triggers: { job: {} } },
};
const machine = compileMachine({ spec: { states }, stateOrder: Object.keys(states), specHash: "h" }, "case");
const moment = { now: Date.UTC(2026, 0, 1), arrivalId: "arrival-12345678" };

function at(fields: Partial<SessionFields>, more: Partial<SessionState> = {}): SessionState {
  return { ...emptyState(), fields: { status: "running", position: "work", visit: 1, ...fields }, ...more };
}
const resulting = (state: SessionState, step: Step | { patch: SessionPatch }) =>
  applyPatches(state, "patch" in step ? [step.patch] : step.patches);

describe("entering a state", () => {
  it("R-131 R-164 is a new visit, whose model calls are not counted yet", () => {
    const entered = enterState(machine, at({ stateTurns: { state: "done", count: 3 } }), "done", moment);

    expect(entered.set).toMatchObject({ position: "done", visit: 2, stateTurns: null });
    expect(entered.events).toEqual([{ type: "state-enter", state: "done" }]);
  });

  it("R-98 R-101 R-102 a human one presents a fresh record: declared evidence, then the attached, once each", () => {
    const entered = enterState(machine, at({ decisionCount: 4, parkOrdinal: 7 }), "ask", {
      ...moment,
      evidence: ["scratchpad/c.md", "scratchpad/a.md"],
    });

    expect(entered.set).toMatchObject({
      status: "awaiting_decision",
      parkPhase: "closing",
      decisionCount: 5,
      parkOrdinal: 8,
    });
    expect(entered.set.park).toEqual({
      channel: "decision",
      parkId: "park-8-12345678",
      state: "ask",
      instructions: "Decide.",
      transitions: [{ to: "done", description: "Yes", type: "refine" }],
      evidence: ["scratchpad/a.md", "scratchpad/b.md", "scratchpad/c.md"],
      parkedAt: "2026-01-01T00:00:00.000Z",
      seq: 5,
    });
    expect(entered.events.at(-1)).toEqual({ type: "parked", state: "ask", awaiting: "decision" });
  });
});

describe("moves", () => {
  it("R-67 R-189 an advance clears failed delegations and the visit's model calls, and adds one agent step", () => {
    const before = at({ failedDelegations: [{}] as never, stateTurns: { state: "work", count: 3 } });
    const state = resulting(before, agentAdvance(machine, before, { ...moment, to: "done", reason: "r", callId: "c" }));

    expect(state.fields).toMatchObject({ position: "done", visit: 2 });
    expect(state.fields).not.toHaveProperty("failedDelegations");
    expect(state.fields).not.toHaveProperty("stateTurns");
    expect(state.trail).toEqual([{ to: "done", kind: "agent", reason: "r", ts: moment.now }]);
  });

  it("R-138 R-270 an automated advance carries its note in the same patch as the move, which clears stateTurns", () => {
    const before = at({ stateTurns: { state: "work", count: 3 } });
    const step = automatedAdvance(machine, before, {
      ...moment,
      kind: "code",
      to: "done",
      reason: "fine",
      callId: "c",
    });

    expect(step.patches).toHaveLength(1);
    expect(step.patches[0]).toMatchObject({ set: { position: "done" }, trail: [{ kind: "code" }] });
    expect(step.patches[0]?.messages?.[1]?.content).toMatch(/^\[code\][\s\S]*fine/);
    expect(applyPatches(before, step.patches).fields).not.toHaveProperty("stateTurns");
  });

  it.each<[string, Partial<SessionFields>, string]>([
    ["where the session began", { entryState: "ask", turnTrigger: "job" }, "ask"],
    ["else the turn trigger's entry", { entryState: "gone", turnTrigger: "job" }, "done"],
    ["else the default entry", { entryState: "gone", turnTrigger: "unknown" }, "work"],
  ])("R-70 a reset goes to %s", (_, fields, to) => {
    expect(resetMove(machine, at(fields), { ...moment, reason: "r", callId: "c" }).to).toBe(to);
  });

  it("R-70 R-87 R-189 a reset releases the agent's locks, keeps every value and the host's locks, and clears failed delegations", () => {
    const variables: Record<string, Variable> = {
      mine: { value: 1, locked: true, lockedBy: "agent" },
      theirs: { value: 2, locked: true, lockedBy: "host" },
      free: { value: 3, locked: false },
    };
    const fields = { entryState: "work", parkCounts: { work: 2 }, failedDelegations: [{}] as never };
    const state = at({ ...fields, stateTurns: { state: "work", count: 3 } }, { variables });
    const moved = resulting(state, resetMove(machine, state, { ...moment, reason: "r", callId: "c" }));

    expect(moved.variables).toEqual({ ...variables, mine: { value: 1, locked: false } });
    expect(moved.fields.parkCounts).toEqual({ work: 2 });
    expect(moved.fields).not.toHaveProperty("failedDelegations");
    expect(moved.fields).not.toHaveProperty("stateTurns");
  });

  it("R-74 R-189 a raise ends the session where it stands, without a trail step, and clears failed delegations", () => {
    const end = raiseEnd(at({ failedDelegations: [{}] as never }), { code: "c", reason: "r", callId: "id" });

    expect(end.set).toMatchObject({
      status: "failed",
      endedAs: "failed",
      failedDelegations: null,
      exit: { code: "c", reason: "r", state: "work" },
    });
    expect(end.events.map(({ type }) => type)).toEqual(["raised", "state-leave"]);
  });

  it("R-168 a route is one patch: position, note, trail, and the park of a human target", () => {
    const state = at({ failure: "f", rejected: "old" });
    const routed = resulting(state, routeFailure(machine, state, { ...moment, reason: "spent." }));

    expect(routed.fields).toMatchObject({ position: "ask", status: "awaiting_decision", handoffBy: "route" });
    expect(routed.fields).not.toHaveProperty("failure");
    expect(routed.fields).not.toHaveProperty("rejected");
    expect(routed.trail).toEqual([
      { to: "ask", kind: "on_error", reason: "State work failed: spent.", ts: moment.now },
    ]);
  });

  it("R-169 R-170 without a route, or to a state that is gone, the session ends rejected with the reason", () => {
    const state = at({ position: "done", failure: "f" });
    const ended = resulting(state, routeFailure(machine, state, { ...moment, reason: "spent." }));

    expect(ended.fields).toMatchObject({ status: "rejected", position: "done", rejected: "State done failed: spent." });
    expect(ended.trail).toEqual([]);

    const states = new Map([...machine.states].filter(([slug]) => slug !== "ask"));
    const astray = at({ failure: "f" });
    const gone = resulting(astray, routeFailure({ ...machine, states }, astray, { ...moment, reason: "spent." }));
    expect(gone.fields).toMatchObject({ status: "rejected", position: "work", rejected: "State work failed: spent." });
  });

  it("R-106 a park that a note led to says so, one that an advance made does not", () => {
    const by = (step: { patches: SessionPatch[] }) => step.patches[0]?.set?.handoffBy;
    const code = automatedAdvance(machine, at({}), { ...moment, kind: "code", to: "ask", reason: "r", callId: "c" });
    const agent = agentAdvance(machine, at({}), { ...moment, to: "ask", reason: "r", callId: "c" });

    expect([by(code), by({ patches: [agent.patch] })]).toEqual(["route", "work"]);
  });
});
