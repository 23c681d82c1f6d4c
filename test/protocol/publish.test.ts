import { expect, it } from "vitest";
import { publishEvents } from "../../lib/session/index.js";
import type { LifecycleEvent } from "../../lib/session/lifecycle.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { anAccept, anEvent, aSettlement, LEASE_MS, lease, T0, won } from "../harness/builders.js";

const request = { sessionId: "s1", now: T0 };

async function storeWithEvents(count: number) {
  const store = createMemorySessionStore();
  await store.accept(anAccept());
  const { lease: mine } = won(await store.claim("s1", { owner: "a", now: T0, leaseMs: LEASE_MS }));
  const events = Array.from({ length: count }, (_, n) => anEvent(n));
  await store.settle(mine, aSettlement("arr-1", { events }), lease);
  return { store, events };
}

it("S-97 S-99 publishes a session's events in order and marks them", async () => {
  const { store, events } = await storeWithEvents(23);
  const seen: LifecycleEvent[] = [];
  const bus = { publish: async (batch: LifecycleEvent[]) => void seen.push(...batch) };

  expect(await publishEvents(store, bus, request)).toEqual({ published: 23 });
  expect(seen).toEqual(events);
  expect(await store.due(T0, { limit: 1 })).toEqual([]);
  expect(await publishEvents(store, bus, request)).toEqual({ published: 0 });
});

it("S-97 S-98 keeps what could not be published, with its due mark, and fails nobody", async () => {
  const { store, events } = await storeWithEvents(12);
  let calls = 0;
  const bus = {
    async publish() {
      calls += 1;
      if (calls > 1) throw new Error("bus down");
    },
  };

  const result = await publishEvents(store, bus, request);

  expect(result).toMatchObject({ published: 10, failure: new Error("bus down") });
  expect(await store.unpublished("s1")).toEqual(events.slice(10));
  expect(await store.due(T0, { limit: 1 })).toHaveLength(1);
});
