import { describe, expect, it } from "vitest";
import { completeTurn } from "./completion.js";
import { applyPatches } from "./fold.js";
import type { Variable } from "./state.js";
import { aState, machineOf } from "./testing.js";

const machine = machineOf(`
states:
  work:
    triggers:
      manual: { returns: [outcome, { name: amount, type: integer, minimum: 1 }] }
      free:
      other: { returns: [else] }
    instructions: Work.
    transitions: [{ to: end }]
  end:
    instructions: End.
`);

const set = (value: unknown): Variable => ({ value, locked: false });

function completed(
  variables: Record<string, Variable>,
  fields: { turnTrigger: string; trigger?: string },
  fileIssue?: string,
  isChild = false,
) {
  const state = aState({ status: "running", position: "work", ...fields }, { variables });
  const { patches, events } = completeTurn(machine, state, {
    now: 1_000,
    isChild,
    ...(fileIssue ? { fileIssue } : {}),
  });
  return { fields: applyPatches(state, patches).fields, events };
}

describe("completing a turn", () => {
  it("R-51 completes, tells so, and stays where it is", () => {
    const { fields, events } = completed({}, { turnTrigger: "free" });

    expect(fields).toMatchObject({ status: "completed", endedAs: "completed", position: "work" });
    expect(events).toEqual([{ type: "state-leave", state: "work", next: "work" }]);
  });

  it.each([
    ["both set", { outcome: set("sent"), amount: set(4) }, "completed", []],
    ["a null that is untyped", { outcome: set(null), amount: set(4) }, "completed", []],
    ["a name unset", { amount: set(4) }, "rejected", ["work", "outcome", "manual"]],
    ["both unset", {}, "rejected", ["outcome", "amount"]],
    ["a wrong type", { outcome: set("sent"), amount: set("4") }, "rejected", ["amount", "integer"]],
    ["a typed null", { outcome: set("sent"), amount: set(null) }, "rejected", ["amount"]],
    ["a broken rule", { outcome: set("sent"), amount: set(0) }, "rejected", ["amount"]],
  ])("R-52 W-134 ends with %s", (_what, variables, status, facts) => {
    const { fields } = completed(variables, { turnTrigger: "manual" });

    expect(fields).toMatchObject({ status, endedAs: status });
    for (const fact of facts) expect(fields.rejected).toContain(fact);
  });

  it("R-52 W-134 holds the turn to the trigger that opened it, not to one delivered since", () => {
    expect(completed({ else: set(1) }, { turnTrigger: "manual", trigger: "other" }).fields.status).toBe("rejected");
    expect(completed({}, { turnTrigger: "free", trigger: "other" }).fields.status).toBe("completed");
  });

  it.each([
    ["nothing set", {}, "completed"],
    ["a name unset", { amount: set(4) }, "completed"],
    ["a wrong type", { outcome: set("sent"), amount: set("4") }, "rejected"],
    ["a typed null beside a name unset", { amount: set(null) }, "rejected"],
  ])("R-52 R-185 ends a child with %s", (_what, variables, status) => {
    const { fields } = completed(variables, { turnTrigger: "manual" }, undefined, true);

    expect(fields).toMatchObject({ status, endedAs: status });
    if (status === "rejected") expect(fields.rejected).toMatch(/amount.*integer/);
    expect(fields.rejected ?? "").not.toContain("outcome");
  });

  it("R-52 W-134 rejects for a returned file that is not there", () => {
    const { fields } = completed(
      { outcome: set("sent"), amount: set(4) },
      { turnTrigger: "manual" },
      "scan names the file a.pdf, which does not exist.",
    );

    expect(fields).toMatchObject({ status: "rejected", rejected: expect.stringContaining("a.pdf") });
  });
});
