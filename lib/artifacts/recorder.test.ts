import { expect, it } from "vitest";
import type { EngineEvent } from "../session/events.js";
import { createTrajectoryRecorder } from "./recorder.js";

it("H-111 text that broke off is shown, and is no final answer", () => {
  const { handler, trajectory } = createTrajectoryRecorder();
  const said = { type: "agent-text", level: "info", ts: 1, sessionId: "s1", state: "work", messageId: "m1" } as const;
  const events: EngineEvent[] = [
    { type: "state-enter", level: "info", ts: 0, seq: 1, sessionId: "s1", state: "work" },
    { ...said, seq: 2, text: "All of it." },
    { ...said, seq: 3, text: "Half of", partial: true },
  ];
  for (const event of events) handler(event);

  const { finalAnswer, segments } = trajectory("s1", { workflow: "desk" });

  expect(finalAnswer).toBe("All of it.");
  expect(segments[0]?.items).toMatchObject([{ content: "All of it." }, { content: "Half of" }]);
});
