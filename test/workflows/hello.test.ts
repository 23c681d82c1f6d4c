/** The two hello workflows, from the first turn to the end, through the command. */
import { describe, expect, it } from "vitest";
import { converse, movesOf } from "./command.js";

const SLOW_MS = 90_000;

describe("hello-park", { timeout: SLOW_MS }, () => {
  const visit = { visit_id: "visit-1", plate: "ab-12 cd", visitor: "Ada" };

  it("C-64 C-69 parks, is held, is decided, and goes on in the same session when the car leaves", async () => {
    const { run, decide, session } = converse({ workflow: "hello-park", sessionId: "visit-1" });

    const asked = await run({ trigger: "gate_camera", variables: visit });
    const held = await decide("hold-car");
    const admitted = await decide("open-barrier", "In the book.");
    const left = await run({ trigger: "exit_camera", variables: { visit_id: "visit-1" } });

    expect([asked, held]).toMatchObject([
      { kind: "parked", state: "ask-guard", parkedChannel: "decision" },
      { kind: "parked", state: "ask-guard", parkedChannel: "decision" },
    ]);
    expect(admitted).toMatchObject({ kind: "completed", variables: { outcome: { value: "admitted" } } });
    expect(left).toMatchObject({ kind: "completed", variables: { outcome: { value: "left" } } });
    expect(movesOf(left)).toEqual([
      "trigger check-in",
      "code ask-guard",
      "human hold-car",
      "code ask-guard",
      "human open-barrier",
      "trigger check-out",
    ]);
    expect(await session()).toMatchObject({
      status: "completed",
      variables: { plate_key: { value: "AB12CD" }, title: { value: "Visit of Ada" } },
    });
  });
});

describe("hello-wait", { timeout: SLOW_MS }, () => {
  it("C-64 C-69 waits for a time, and an event ends the wait early", async () => {
    const { run, deliver, session } = converse({
      workflow: "hello-wait",
      sessionId: "pause-1",
      replies: "workflows/hello-wait/demo/replies.yaml",
    });

    const waiting = await run({ message: "Cool the barrier down.", variables: { minutes: 5 } });
    const resumed = await deliver("gate_opened");

    expect(waiting).toMatchObject({
      kind: "parked",
      parkedChannel: "input",
      reply: "The barrier is cooling down.",
      pending: { reason: "barrier cooling down", resumeAt: expect.any(String) },
    });
    expect(resumed).toMatchObject({ kind: "completed", variables: { outcome: { value: "resumed" } } });
    expect(movesOf(resumed)).toEqual(["trigger cool-down", "trigger cool-down", "agent resumed"]);
    expect(await session()).toMatchObject({ status: "completed", classification: "finished" });
  });
});
