import { describe, expect, it } from "vitest";
import type { EventRuleConfig } from "../config/index.js";
import type { LifecycleEvent } from "../session/lifecycle.js";
import { type BusEvent, createLocalBus } from "./bus.js";

const settled: LifecycleEvent = {
  id: "s1/1/arr-1/1",
  type: "turn-settled",
  sessionId: "s1",
  workflow: "refund",
  at: Date.UTC(2026, 2, 20, 9, 0, 0, 500),
  detail: { turnId: "arr-1", kind: "completed", hops: 2 },
};
const paid: BusEvent = {
  version: "0",
  id: "e1",
  source: "shop",
  "detail-type": "order.paid",
  account: "1",
  time: "2026-03-20T09:00:00Z",
  region: "local",
  resources: [],
  detail: {},
};
const rule = (source: string, type: string, fields: Partial<EventRuleConfig> = {}): EventRuleConfig => ({
  workflow: "report",
  trigger: "told",
  pattern: { source: [source], "detail-type": [type] },
  ...fields,
});

function aBus(rules: Record<string, EventRuleConfig>) {
  const fired: { name: string; event: BusEvent }[] = [];
  const bus = createLocalBus({ rules, fire: async ({ name, event }) => void fired.push({ name, event }) });
  return { bus, fired };
}

describe("the bus on one machine", () => {
  it("S-97 N-47 tells rules of lifecycle events as EventBridge would", async () => {
    const { bus, fired } = aBus({
      done: rule("parkway", "turn-settled", {
        pattern: { source: ["parkway"], "detail-type": ["turn-settled"], detail: { kind: ["completed"] } },
      }),
      parked: rule("parkway", "parked"),
      elsewhere: rule("parkway", "turn-settled", { bus: "default" }),
    });

    await bus.publish([settled]);

    expect(fired).toEqual([
      {
        name: "done",
        event: {
          ...paid,
          id: "s1/1/arr-1/1",
          source: "parkway",
          "detail-type": "turn-settled",
          account: "000000000000",
          detail: {
            id: "s1/1/arr-1/1",
            workflow: "refund",
            sessionId: "s1",
            turnId: "arr-1",
            kind: "completed",
            hops: 2,
          },
        },
      },
    ]);
  });

  it("an event from elsewhere stands for one of either bus", async () => {
    const { bus, fired } = aBus({
      own: rule("shop", "order.paid"),
      default: rule("shop", "order.paid", { bus: "default" }),
      other: rule("shop", "order.sent"),
    });

    expect(await bus.put(paid)).toEqual({ fired: ["own", "default"] });
    expect(fired.map(({ name, event }) => [name, event])).toEqual([
      ["own", paid],
      ["default", paid],
    ]);
  });

  it("S-98 what a rule cannot take now is thrown, so that the event is published again", async () => {
    const bus = createLocalBus({
      rules: { done: rule("parkway", "turn-settled") },
      fire: () => Promise.reject(new Error("busy")),
    });

    await expect(bus.publish([settled])).rejects.toThrow("busy");
  });
});
