import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../session/events.js";
import { createEventGate } from "./event-gate.js";

const event = (sessionId?: string): EngineEvent => ({
  type: "state-enter",
  state: "work",
  level: "info",
  ts: 0,
  seq: 1,
  ...(sessionId === undefined ? {} : { sessionId }),
});

describe("the events of a suite", () => {
  it("C-46 are those of the running case's session, its children's and those of no session", () => {
    const seen: (string | undefined)[] = [];
    const gate = createEventGate(({ sessionId }) => seen.push(sessionId));
    const emit = () => {
      for (const id of [undefined, "a", "a~1", "a~1~2", "b", "b~1", "ab"]) gate.handler(event(id));
      return seen.splice(0);
    };

    expect(emit()).toEqual([undefined]);
    gate.open("a");
    expect(emit()).toEqual([undefined, "a", "a~1", "a~1~2"]);
    gate.close();
    expect(emit()).toEqual([undefined]);
    gate.open("b");
    expect(emit()).toEqual([undefined, "b", "b~1"]);
  });

  it("C-46 go nowhere without a subscriber", () => {
    const gate = createEventGate();
    gate.open("a");

    expect(() => gate.handler(event("a"))).not.toThrow();
  });
});
