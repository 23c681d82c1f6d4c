import { describe, expect, it } from "vitest";
import type { WorkflowSpec } from "../spec/types.js";
import { compileMachine, entryStateFor, stateOf, transitionTo } from "./index.js";
import { aMachine } from "./testing.js";

describe("compileMachine", () => {
  it("keeps the document order of the states, also of slugs that look like numbers", () => {
    const spec: WorkflowSpec = { states: { b: {}, "1": {}, a: {} } };

    const machine = compileMachine({ spec, stateOrder: ["b", "1", "a"], specHash: "h" }, "w");

    expect([...machine.states.keys()]).toEqual(["b", "1", "a"]);
    expect(machine).toMatchObject({ workflow: "w", specHash: "h" });
  });

  it("W-61 reads a state without type as an agent state, and grader and code states as automated", () => {
    const machine = aMachine({ a: {}, h: { type: "human" }, g: { type: "grader" }, c: { type: "code" } });

    expect([...machine.states.values()].map(({ type, automated }) => [type, automated])).toEqual([
      ["agent", false],
      ["human", false],
      ["grader", true],
      ["code", true],
    ]);
  });

  it("calls a state terminal that has no transitions, the list absent or empty", () => {
    const machine = aMachine({ a: { transitions: [{ to: "b" }] }, b: { transitions: [] }, c: {} });

    expect([...machine.states.values()].map(({ terminal }) => terminal)).toEqual([false, true, true]);
  });

  it.each([
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
    ["no", true],
    [0, true],
    ["", true],
  ])("W-27 reads disabled: %j as %s", (value, expected) => {
    expect(aMachine({ a: {} }, { disabled: value as boolean }).disabled).toBe(expected);
  });

  it("W-95 places each trigger on the state that declares it, several of one state in the order written", () => {
    const machine = aMachine({
      a: { triggers: { second: { session: "x.id", message: false }, first: {} } },
      b: { triggers: { third: { requires: ["order"] } } },
    });

    expect([...machine.triggers.values()].map(({ id, state }) => `${id}@${state}`)).toEqual([
      "second@a",
      "first@a",
      "third@b",
    ]);
    expect(machine.triggers.get("second")).toMatchObject({ session: "x.id", message: false });
    expect(machine.triggers.get("third")?.signature.requires).toEqual([{ name: "order" }]);
    expect(entryStateFor(machine, "third")).toBe("b");
    expect(entryStateFor(machine, "fourth")).toBeNull();
  });

  it.each([
    ["the manual entry state", { a: { triggers: { x: {} } }, b: { triggers: { manual: {} } } }, "b"],
    ["the first trigger's entry state", { a: {}, b: { triggers: { x: {} } }, c: { triggers: { y: {} } } }, "b"],
    ["the first state", { a: {}, b: {} }, "a"],
  ])("W-100 enters by default at %s", (_what, states, expected) => {
    expect(aMachine(states).defaultEntry).toBe(expected);
  });

  it("W-82 is model-free without agent and grader states only", () => {
    expect(aMachine({ a: { type: "code" }, b: { type: "human" } }).modelFree).toBe(true);
    expect(aMachine({ a: { type: "code" }, b: {} }).modelFree).toBe(false);
    expect(aMachine({ a: { type: "code" }, b: { type: "grader" } }).modelFree).toBe(false);
  });
});

describe("lookups", () => {
  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("W-5 finds nothing called %s", (name) => {
    const machine = aMachine({ a: { transitions: [{ to: "b" }] }, b: {} });

    expect(stateOf(machine, name)).toBeNull();
    expect(entryStateFor(machine, name)).toBeNull();
    expect(transitionTo(machine, "a", name)).toBeNull();
    expect(transitionTo(machine, name, "b")).toBeNull();
  });

  it("W-57 resolves a state by its slug and never by its title", () => {
    const machine = aMachine({ a: { title: "Intake" } });

    expect(stateOf(machine, "a")?.slug).toBe("a");
    expect(stateOf(machine, "Intake")).toBeNull();
  });

  it("W-90 takes the first of two transitions to one target", () => {
    const machine = aMachine({
      a: {
        transitions: [
          { to: "b", description: "first" },
          { to: "b", description: "second" },
        ],
      },
      b: {},
    });

    expect(transitionTo(machine, "a", "b")?.description).toBe("first");
  });
});
