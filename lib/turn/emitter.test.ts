import { expect, it } from "vitest";
import type { EngineEvent } from "../session/events.js";
import { createEmitter } from "./emitter.js";

const clock = { now: () => 7, sleep: async () => {} };
const draft = { type: "state-enter" as const, state: "work" };

it("H-38 hands every event to the subscriber before it goes on", () => {
  const events: EngineEvent[] = [];
  const emitter = createEmitter({ clock, onEvent: (event) => events.push(event) });

  emitter.emit(draft, "s1");

  expect(events).toEqual([{ ...draft, sessionId: "s1", level: "info", ts: 7, seq: 1 }]);
});

it("H-38 survives a subscriber that throws, and reports it once", () => {
  const reported: unknown[] = [];
  const seen: number[] = [];
  const emitter = createEmitter({
    clock,
    onEvent: ({ seq }) => {
      seen.push(seq);
      throw new Error(`at ${seq}`);
    },
    onHandlerError: (error) => reported.push(error),
  });

  emitter.emit(draft);
  emitter.emit(draft);

  expect(seen).toEqual([1, 2]);
  expect(reported).toEqual([new Error("at 1")]);
});
