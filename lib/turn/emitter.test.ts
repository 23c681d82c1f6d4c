import { describe, expect, it } from "vitest";
import { manualClock } from "../../test/harness/clock.js";
import type { EngineEvent, EventDraft } from "../session/events.js";
import { createEmitter, shownOutput } from "./emitter.js";

const draft: EventDraft = { type: "state-enter", state: "a" };

function listening() {
  const events: EngineEvent[] = [];
  const clock = manualClock(1_000);
  return { events, clock, emitter: createEmitter({ clock, onEvent: (event) => events.push(event) }) };
}

describe("the emitter", () => {
  it("R-289 stamps level, time, a growing number, and the session where there is one", () => {
    const { events, clock, emitter } = listening();
    emitter.emit(draft, "s1");
    clock.advance(5);
    emitter.emit(draft);

    expect(events).toEqual([
      { ...draft, level: "info", ts: 1_000, seq: 1, sessionId: "s1" },
      { ...draft, level: "info", ts: 1_005, seq: 2 },
    ]);
    emitter.emit(draft, "s1~2", "2");
    expect(events[2]).toMatchObject({ seq: 3, sessionId: "s1~2", subWorkflowDispatchId: "2" });
  });

  const CALL = { state: "a", tool: "t", callId: "c" };
  const CHILD = { state: "a", workflow: "w", dispatchId: "1" };

  it.each<[EventDraft, string]>([
    [{ type: "warning", scope: "s", message: "m" }, "warn"],
    [{ type: "raised", state: "a", code: "c", reason: "r" }, "warn"],
    [{ type: "state-error-routed", state: "a", to: "b", reason: "r" }, "warn"],
    [{ type: "tool-blocked", state: "a", tool: "t", callId: "c", args: {}, reason: "r", rule: "x" }, "warn"],
    [{ type: "completion-failed", state: "a", attempt: 1, maxAttempts: 2, reason: "r" }, "warn"],
    [{ type: "code-result", state: "a", status: "error", durationMs: 1 }, "warn"],
    [{ type: "code-result", state: "a", status: "ok", durationMs: 1 }, "info"],
    [{ type: "grader-result", state: "a", status: "error", durationMs: 1 }, "warn"],
    [{ type: "tool-result", ...CALL, status: "error", durationMs: 1, output: "", truncated: false }, "warn"],
    [{ type: "tool-result", ...CALL, status: "success", durationMs: 1, output: "", truncated: false }, "info"],
    [{ type: "sub-workflow-result", ...CHILD, status: "error", durationMs: 1 }, "warn"],
    [{ type: "sub-workflow-result", ...CHILD, status: "parked", durationMs: 1 }, "info"],
    [{ type: "parked", state: "a", awaiting: "input" }, "info"],
    [{ type: "completion-passed", state: "a", attempt: 1 }, "info"],
  ])("R-290 the level of %j is %s", (event, level) => {
    const { events, emitter } = listening();
    emitter.emit(event);

    expect(events[0]?.level).toBe(level);
  });

  it("R-299 reports the rejection of a subscriber that is an async function", async () => {
    const reported: unknown[] = [];
    const failure = new Error("listener");
    const onEvent = async () => {
      throw failure;
    };
    const emitter = createEmitter({ clock: manualClock(), onEvent, onHandlerError: (error) => reported.push(error) });
    emitter.emit(draft);
    emitter.emit(draft);

    await expect.poll(() => reported).toEqual([failure]);
  });

  it("R-299 reports a subscriber's error once, and goes on", () => {
    const reported: unknown[] = [];
    let heard = 0;
    const emitter = createEmitter({
      clock: manualClock(),
      onEvent: () => {
        heard += 1;
        throw new Error("listener");
      },
      onHandlerError: (error) => reported.push(error),
    });
    emitter.emit(draft);
    emitter.emit(draft);

    expect(heard).toBe(2);
    expect(reported).toHaveLength(1);
  });

  it("R-295 shows the first 4,096 characters of an output", () => {
    expect(shownOutput("x".repeat(4_096))).toEqual({ output: "x".repeat(4_096), truncated: false });
    expect(shownOutput("x".repeat(4_097))).toEqual({ output: "x".repeat(4_096), truncated: true });
  });
});
