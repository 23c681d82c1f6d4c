import { describe, expect, it } from "vitest";
import { openingState } from "./index.js";
import { aMachine } from "./testing.js";

const machine = aMachine({
  intake: { triggers: { manual: {} }, transitions: [{ to: "answer" }, { to: "send" }] },
  lookup: { triggers: { order_changed: {} }, transitions: [{ to: "answer" }] },
  answer: {},
  send: { type: "code", script: "scripts/send.js" },
  check: { type: "code", script: "scripts/check.js", transitions: [{ to: "send" }] },
});

describe("openingState", () => {
  it("R-30 opens a session that never ran at the entry of its trigger", () => {
    expect(openingState(machine, { trigger: "order_changed" })).toEqual({ state: "lookup", fromEntry: true });
  });

  it("W-101 R-30 refuses a first turn under a trigger no state declares, listing the declared ids", () => {
    expect(openingState(machine, { trigger: "constructor" })).toEqual({
      unknownTrigger: "constructor",
      declared: ["manual", "order_changed"],
    });
  });

  it("W-108 R-30 opens a further turn where the session stands, whatever the trigger", () => {
    for (const trigger of ["manual", "order_changed", "unknown"]) {
      expect(openingState(machine, { position: "answer", endedAs: "completed", trigger })).toEqual({
        state: "answer",
        fromEntry: false,
      });
    }
  });

  it("W-108 R-30 opens at the entry again after completing in a terminal code state", () => {
    const finished = { position: "send", endedAs: "completed" };

    expect(openingState(machine, { ...finished, trigger: "order_changed" })).toEqual({
      state: "lookup",
      fromEntry: true,
    });
    expect(openingState(machine, { ...finished, trigger: "unknown" })).toEqual({ state: "intake", fromEntry: true });
  });

  it("W-108 R-30 opens at the entry when the spec no longer has the state", () => {
    const gone = { position: "review", endedAs: "completed" };

    expect(openingState(machine, { ...gone, trigger: "order_changed" })).toEqual({ state: "lookup", fromEntry: true });
    expect(openingState(machine, { ...gone, trigger: "unknown" })).toEqual({ state: "intake", fromEntry: true });
  });

  it.each(["failed", "rejected"])(
    "R-31 W-108 opens in the code state again in which the session ended %s",
    (endedAs) => {
      expect(openingState(machine, { position: "send", endedAs, trigger: "manual" })).toEqual({
        state: "send",
        fromEntry: false,
      });
    },
  );

  it("R-30 stays in a code state that is not terminal", () => {
    expect(openingState(machine, { position: "check", endedAs: "completed", trigger: "manual" })).toEqual({
      state: "check",
      fromEntry: false,
    });
  });
});
