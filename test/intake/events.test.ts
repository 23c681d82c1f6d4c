/** Events of a bus and schedules at an entrance (S-5, S-93, F-75). */
import { describe, expect, it } from "vitest";
import { fireEvent, fireSchedule } from "../../lib/intake/index.js";
import { InboxFullError, StoreUnavailableError } from "../../lib/session/errors.js";
import type { SessionStore } from "../../lib/session/ports.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { intakes } from "../harness/intake.js";
import { wrapStore } from "../harness/wrap-store.js";

const ORDERS = `
states:
  work:
    triggers:
      manual:
      ordered:
        message: false
        requires: [{ name: order, type: object }]
    instructions: Work.
`;

const bench = intakes();
const rule = {
  workflow: "orders",
  trigger: "ordered",
  pattern: { source: ["shop"], "detail-type": ["ordered"] },
  variables: { order: "detail.order", paid: "detail.payments.-1.ok", missing: "detail.no.such" },
  message: "detail.note",
  sessionPath: "order.id",
};

function anEvent(of: { id?: string; source?: string; detail?: unknown } = {}) {
  return {
    id: "event-1",
    source: "shop",
    "detail-type": "ordered",
    detail: { order: { id: 17 }, note: "Soon", payments: [{ ok: false }, { ok: true }] },
    ...of,
  };
}

/** The input of the session's next arrival. */
async function taken({ store }: { store: SessionStore }, sessionId: string) {
  const claim = await store.claim(sessionId, { owner: "o", now: Number.MAX_SAFE_INTEGER / 2, leaseMs: 1 });
  return claim.kind === "claimed" ? claim.work.arrival : claim;
}

describe("an event of a bus", () => {
  it("F-9 S-5 fires the rule's trigger once however often it comes, with values found by their paths", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const fire = () => fireEvent(on.intake, { name: "ordered", rule, event: anEvent() });

    const [first, again] = [await fire(), await fire()];

    expect(first).toMatchObject({ kind: "accepted", repeated: false, receipt: { sessionId: "17" } });
    expect(again).toMatchObject({ kind: "accepted", repeated: true });
    expect(await taken(on.host, "17")).toMatchObject({
      source: "bus",
      input: { kind: "turn", trigger: "ordered", message: "Soon", variables: { order: { id: 17 }, paid: true } },
    });
    expect(await on.intake.deadLetters()).toEqual([]);
  });

  it("S-4 S-5 F-9 is the same event when it comes again with another body", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const fire = (note: string) =>
      fireEvent(on.intake, { name: "ordered", rule, event: anEvent({ detail: { order: { id: 17 }, note } }) });

    const [first, changed] = [await fire("Soon"), await fire("Now")];

    expect(changed).toEqual({ ...first, repeated: true });
  });

  it("S-6 fires each of two rules that one event matches", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const { sessionPath: _path, ...unnamed } = rule;

    const fired = [
      await fireEvent(on.intake, { name: "one", rule: unnamed, event: anEvent() }),
      await fireEvent(on.intake, { name: "two", rule: unnamed, event: anEvent() }),
    ];

    expect(fired).toMatchObject([{ repeated: false }, { repeated: false }]);
    expect(new Set(on.rung).size).toBe(2);
  });

  it.each<[string, Partial<typeof rule>, object, string]>([
    ["lacks what the trigger requires", {}, { detail: {} }, "invalid-variables"],
    ["fires a trigger that is gone", { trigger: "gone" }, { id: "event-1" }, "unknown-trigger"],
    ["fires a workflow that is gone", { workflow: "gone" }, { id: "event-1" }, "unknown-workflow"],
    ["names what can be no session", {}, { detail: { order: { id: "a/../b" } } }, "session-id"],
    ["has no id and no detail", {}, { id: undefined, detail: undefined }, "invalid-variables"],
  ])("S-93 is kept as a dead letter, once, when it %s", async (_what, ofRule, ofEvent, code) => {
    const on = bench({ specs: { orders: ORDERS } });
    const fire = () => fireEvent(on.intake, { name: "ordered", rule: { ...rule, ...ofRule }, event: anEvent(ofEvent) });

    const [first, again] = [await fire(), await fire()];

    expect(first).toMatchObject({ kind: "kept", letter: { attempts: 0, reason: expect.stringMatching(`^${code}: `) } });
    expect(again).toEqual(first);
    expect(await on.intake.deadLetters()).toHaveLength(1);
    expect(on.rung).toEqual([]);
  });

  it("S-93 S-102 is counted once as dead, which the alarm for dead letters reads", async () => {
    const counted: [string, object][] = [];
    const metrics = { count: (name: string, _value: number, of: object) => void counted.push([name, of]) };
    const on = bench({ specs: { orders: ORDERS }, host: { metrics } });
    const gone = { ...rule, trigger: "gone" };

    await fireEvent(on.intake, { name: "ordered", rule: gone, event: anEvent() });
    on.clock.advance(1_000);
    await fireEvent(on.intake, { name: "ordered", rule: gone, event: anEvent() });

    expect(counted).toEqual([["dead", { workflow: "orders" }]]);
  });

  it("S-93 S-96 is redriven with all it brought, into the session it named", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const fired = await fireEvent(on.intake, { name: "ordered", rule: { ...rule, trigger: "gone" }, event: anEvent() });
    const { letter } = fired as Extract<typeof fired, { kind: "kept" }>;

    expect(await on.intake.redrive(letter.id)).toMatchObject({ status: "queued", sessionId: "17" });

    expect(await taken(on.host, "17")).toMatchObject({
      source: "redrive",
      redrives: letter.id,
      input: { trigger: "gone", message: "Soon", variables: { order: { id: 17 }, paid: true } },
    });
  });

  it("S-94 is delivered again by the platform when the store fails or the inbox is full", async () => {
    for (const error of [
      new StoreUnavailableError("accept", "busy"),
      new InboxFullError("17", 1_000),
      new Error("x"),
    ]) {
      const store = wrapStore(createMemorySessionStore(), async (op, run) => {
        if (op.name === "accept") throw error;
        return run();
      });
      const on = bench({ specs: { orders: ORDERS }, host: { store } });

      await expect(fireEvent(on.intake, { name: "ordered", rule, event: anEvent() })).rejects.toBe(error);
      expect(await on.intake.deadLetters()).toEqual([]);
    }
  });

  it("F-75 counts the sessions that led to it by our own events only, and ends a chain after 10 hops", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const own = (id: string, hops?: number) =>
      anEvent({ id, source: "parkway", detail: { order: { id }, ...(hops === undefined ? {} : { hops }) } });
    const fire = (event: object) => fireEvent(on.intake, { name: "chain", rule, event });

    expect(await fire({ ...own("foreign", 50), source: "shop" })).toMatchObject({ kind: "accepted" });
    expect(await fire(own("first"))).toMatchObject({ kind: "accepted" });
    expect(await fire(own("tenth", 9))).toMatchObject({ kind: "accepted" });
    expect(await fire(own("eleventh", 10))).toMatchObject({
      kind: "kept",
      letter: { reason: expect.stringMatching(/^too-many-hops: /) },
    });

    expect(await taken(on.host, "foreign")).not.toHaveProperty("hops");
    expect(await taken(on.host, "first")).toMatchObject({ hops: 1 });
    expect(await taken(on.host, "tenth")).toMatchObject({ hops: 10 });
    expect(on.rung).not.toContain("eleventh");
  });
});

describe("a schedule", () => {
  const schedule = { workflow: "orders", trigger: "ordered", schedule: "rate(1 day)", variables: { order: {} } };

  it("S-5 S-7 fires once for each of its times, each time in a session of its own", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const fire = (at: string) => fireSchedule(on.intake, { name: "daily", schedule, at });

    const fired = [
      await fire("2026-03-20T08:00:00Z"),
      await fire("2026-03-20T08:00:00Z"),
      await fire("2026-03-21T08:00:00Z"),
    ];

    expect(fired).toMatchObject([{ repeated: false }, { repeated: true }, { repeated: false }]);
    expect(on.rung[1]).toBe(on.rung[0]);
    expect(on.rung[2]).not.toBe(on.rung[0]);
  });

  it("S-93 is kept when it cannot be accepted, and goes to the session it names otherwise", async () => {
    const on = bench({ specs: { orders: ORDERS } });
    const fire = (more: object, at: string) =>
      fireSchedule(on.intake, { name: "daily", schedule: { ...schedule, ...more }, at });

    expect(await fire({ sessionId: "desk", message: "Go" }, "1")).toMatchObject({ receipt: { sessionId: "desk" } });
    expect(await fire({ variables: {} }, "2")).toMatchObject({ kind: "kept", letter: { arrival: { sessionId: "" } } });
  });
});
