import { describe, expect, it } from "vitest";
import type { EngineEvent } from "./events.js";
import { createUsageTracker } from "./usage-tracker.js";

const call = (sessionId: string, inputTokens: number, costUsd?: number) =>
  ({
    type: "model-usage",
    state: "work",
    model: "m",
    inputTokens,
    outputTokens: 1,
    cacheReadTokens: 2,
    cacheCreationTokens: 3,
    ...(costUsd === undefined ? {} : { costUsd }),
    level: "info",
    ts: 0,
    seq: 1,
    sessionId,
  }) satisfies EngineEvent;

describe("H-117 the usage tracker", () => {
  it("H-117 sums each session's calls, a child's apart, and all of them", () => {
    const usage = createUsageTracker();
    for (const event of [call("a", 10, 0.5), call("a", 20), call("a~1", 5, 0.25)]) usage.handler(event);

    expect(usage.totals("a")).toEqual({
      inputTokens: 30,
      outputTokens: 2,
      cacheReadTokens: 4,
      cacheCreationTokens: 6,
      costUsd: 0.5,
    });
    expect(usage.totals()).toMatchObject({ inputTokens: 35, costUsd: 0.75 });
    expect([...usage.bySession().keys()]).toEqual(["a", "a~1"]);
    expect(usage.totals("unknown")).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
    });
  });

  it("H-117 hands on every event, and forgets one session or all", () => {
    const seen: string[] = [];
    const usage = createUsageTracker({ onEvent: ({ type }) => void seen.push(type) });
    usage.handler(call("a", 10));
    usage.handler({ type: "warning", scope: "x", message: "y", level: "warn", ts: 0, seq: 2 });
    usage.handler(call("b", 20));
    usage.reset("a");

    expect(seen).toEqual(["model-usage", "warning", "model-usage"]);
    expect(usage.totals()).toMatchObject({ inputTokens: 20 });
    usage.reset();
    expect(usage.bySession().size).toBe(0);
  });

  it("H-117 gives away no total that changes behind its back", () => {
    const usage = createUsageTracker();
    usage.handler(call("a", 10));
    usage.totals("a").inputTokens = 0;
    usage.bySession().get("a")!.inputTokens = 0;

    expect(usage.totals("a").inputTokens).toBe(10);
  });
});
