import { describe, expect, it } from "vitest";
import { type AdvanceRequest, checkAdvance, missingRequires } from "./index.js";
import { aMachine } from "./testing.js";

const machine = aMachine({
  work: { requires: ["order", "amount"], transitions: [{ to: "done" }, { to: "review", description: "A person." }] },
  done: {},
  review: { type: "human", instructions: "Decide.", transitions: [{ to: "done", description: "Fine." }] },
  hidden: { type: "human" },
});

function ask(request: Partial<AdvanceRequest>) {
  return checkAdvance(machine, {
    state: "work",
    to: "done",
    variables: { order: 1, amount: null },
    judgeEvidence: (path) =>
      path.includes("bad") ? { ok: false, reason: `${path} no` } : { ok: true, path: path.slice(1) },
    ...request,
  });
}

describe("checkAdvance", () => {
  it("R-64 W-93 takes a declared transition", () => {
    expect(ask({})).toEqual({ ok: true, transition: { to: "done" }, evidence: [] });
  });

  it("R-64 refuses an undeclared one, naming the valid slugs and no other state", () => {
    const verdict = ask({ to: "hidden" });

    expect(verdict).toMatchObject({ ok: false, code: "no-edge", ruleId: "transition.no-edge" });
    expect(verdict).toHaveProperty("reason", expect.stringContaining("done, review"));
  });

  it("W-5 has no transition to an inherited name", () => {
    expect(ask({ to: "constructor" })).toMatchObject({ code: "no-edge" });
  });

  it("R-65 W-145 names the unset variables and how to record them; null counts as set", () => {
    const verdict = ask({ variables: { amount: null } });

    expect(verdict).toMatchObject({ code: "requires-unset", ruleId: "transition.requires" });
    expect(verdict).toHaveProperty("reason", expect.stringMatching(/unset: order\..*archmax_set_variables/));
    expect(missingRequires(machine, "work", { amount: null })).toEqual(["order"]);
    expect(missingRequires(machine, "work", Object.create({ order: 1, amount: 1 }))).toEqual(["order", "amount"]);
  });

  it("R-208 R-63 W-145 asks for variables before it looks at the edge", () => {
    expect(ask({ to: "nowhere", variables: {} })).toMatchObject({
      code: "requires-unset",
      ruleId: "transition.requires",
    });
    expect(ask({ to: "nowhere" })).toMatchObject({ code: "no-edge", ruleId: "transition.no-edge" });
  });

  it("R-63 judges evidence before variables: its target, its count, its paths", () => {
    const many = Array.from({ length: 21 }, (_, index) => `/bad${index}`);

    expect(ask({ to: "done", evidence: many, variables: {} })).toMatchObject({ code: "evidence-target" });
    expect(ask({ to: "review", evidence: many, variables: {} })).toMatchObject({ code: "evidence-count" });
    expect(ask({ to: "review", evidence: ["/bad"], variables: {} })).toMatchObject({
      code: "evidence-path",
      reason: "/bad no",
    });
    expect(ask({ to: "review", evidence: ["/a"], variables: {} })).toMatchObject({ code: "requires-unset" });
  });

  it("R-66 accepts 20 paths, canonical and without repeats, and an empty list anywhere", () => {
    const twenty = Array.from({ length: 20 }, (_, index) => `/f${index % 19}`);

    expect(ask({ to: "review", evidence: twenty })).toMatchObject({
      ok: true,
      evidence: Array.from({ length: 19 }, (_, index) => `f${index}`),
    });
    expect(ask({ to: "done", evidence: [] })).toMatchObject({ ok: true });
  });
});
