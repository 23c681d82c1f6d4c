import { expect, it } from "vitest";
import { sweepDue } from "../../lib/session/index.js";
import type { Doorbell } from "../../lib/session/ports.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, anInputPark, aSettlement, LEASE_MS, lease, T0, won } from "../harness/builders.js";

const BEFORE = T0 - 24 * 3_600_000;

async function storeWith(resumeTimes: readonly number[]) {
  const store = createMemorySessionStore();
  for (const [n, resumeAt] of resumeTimes.entries()) {
    const sessionId = `s${n}`;
    await store.accept(anAccept({ id: `arr-${n}`, sessionId, acceptedAt: BEFORE }));
    const { lease: mine } = won(await store.claim(sessionId, { owner: "a", now: BEFORE, leaseMs: LEASE_MS }));
    await store.settle(
      mine,
      aSettlement(`arr-${n}`, { commit: aCommit(anInputPark({ resumeAt })), now: BEFORE }),
      lease,
    );
  }
  return store;
}

function aDoorbell(fails: (sessionId: string) => boolean = () => false) {
  const rings: [string, number | undefined][] = [];
  const doorbell: Doorbell = {
    async ring(sessionId, options) {
      if (fails(sessionId)) throw new Error("no bell");
      rings.push([sessionId, options?.delayMs]);
    },
  };
  return { doorbell, rings };
}

it("S-61 F-21 rings what falls due within the look-ahead, each delayed to its exact time", async () => {
  const store = await storeWith([T0 - 5, T0, T0 + 1_500, T0 + 60_000, T0 + 60_001]);
  const { doorbell, rings } = aDoorbell();

  const result = await sweepDue(store, doorbell, { now: T0, lookAheadMs: 60_000, batch: 100 });

  expect(result).toEqual({ rung: 4, failed: 0 });
  expect(rings).toEqual([
    ["s0", undefined],
    ["s1", undefined],
    ["s2", 1_500],
    ["s3", 60_000],
  ]);
});

it("S-64 F-22 works off a backlog of any size, page by page", async () => {
  const store = await storeWith(Array.from({ length: 57 }, () => T0 - 3_600_000));
  const { doorbell, rings } = aDoorbell();

  await sweepDue(store, doorbell, { now: T0, lookAheadMs: 0, batch: 10 });

  expect(new Set(rings.map(([sessionId]) => sessionId)).size).toBe(57);
  expect(rings).toHaveLength(57);
});

it("F-28 rings the others when one session's doorbell fails, and finds that one again", async () => {
  const store = await storeWith([T0 - 3, T0 - 2, T0 - 1]);
  const { doorbell, rings } = aDoorbell((sessionId) => sessionId === "s1");

  expect(await sweepDue(store, doorbell, { now: T0, lookAheadMs: 0, batch: 2 })).toEqual({ rung: 2, failed: 1 });
  expect(rings.map(([sessionId]) => sessionId)).toEqual(["s0", "s2"]);
  expect((await store.due(T0, { limit: 10 })).map((entry) => entry.sessionId)).toContain("s1");
});
