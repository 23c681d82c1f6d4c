/** Indexes that are behind: what is read of a session is exact all the same, and sweeps and lists make do (F-56, S-64). */
import { beforeEach, expect, it } from "vitest";
import {
  aCommit,
  anAccept,
  anInputPark,
  aSettlement,
  LEASE_MS,
  lease,
  T0,
  won,
} from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { type Lag, lagIndexes } from "../../../test/harness/lagging-index.js";
import { sweepDue } from "../../session/index.js";
import type { SessionStore } from "../../session/ports.js";
import { createDynamoSessionStore } from "./index.js";

describeDynamoDb("indexes that are behind", (db) => {
  let lag: Lag;
  let store: SessionStore;
  beforeEach(async () => {
    lag = { writes: 0 };
    const table = await db.table();
    store = createDynamoSessionStore({ table, client: lagIndexes(db.client(), db.client(), table, lag) });
  });

  const accept = (sessionId: string) => store.accept(anAccept({ id: `arr-${sessionId}`, sessionId }));
  const claim = (sessionId: string, now = T0) => store.claim(sessionId, { owner: "a", now, leaseMs: LEASE_MS });
  async function run(sessionId: string, record: Parameters<typeof aCommit>[0] = { status: "completed" }) {
    const { lease: mine, work } = won(await claim(sessionId));
    await store.settle(mine, aSettlement(work.arrival.id, { commit: aCommit(record) }), lease);
  }

  /** The sessions that a sweep rings, as a worker's look at each then finds them. */
  async function swept(now: number): Promise<string[]> {
    const rung: string[] = [];
    const doorbell = { ring: async (sessionId: string) => void rung.push(sessionId) };
    await sweepDue(store, doorbell, { now, lookAheadMs: 0, batch: 2 });
    return rung.sort();
  }

  it("F-56 reads a session right after its turn as it is, while lists still lack it", async () => {
    lag.writes = 3;
    await accept("s1");
    await run("s1");

    expect(await store.list()).toEqual([]);
    expect((await store.read("s1"))?.record.status).toBe("completed");
    expect(await store.receipt("arr-s1", T0)).toMatchObject({ status: "settled" });
    lag.writes = 0;
    expect(await store.list()).toEqual([(await store.read("s1"))?.record]);
  });

  it("F-56 lists each session once, as it is now, and none by a status that it has no more", async () => {
    for (const sessionId of ["s1", "s2", "s3"]) await accept(sessionId);
    await run("s1", anInputPark());
    await run("s2", anInputPark());
    await accept("s2x");
    const { lease: mine } = won(await claim("s3"));
    lag.writes = 2;
    await store.commit(mine, aCommit({ status: "running" }), { now: T0, ...lease });
    await store.accept(anAccept({ id: "more", sessionId: "s2", acceptedAt: T0 + 5 }));
    const { lease: other, work } = won(await claim("s2", T0 + 5));
    const commit = aCommit({ status: "completed", park: null });
    await store.settle(other, aSettlement(work.arrival.id, { commit, now: T0 + 6 }), lease);

    const waiting = await store.list({ status: "awaiting_input" });
    expect(waiting.map(({ sessionId }) => sessionId)).toEqual(["s1"]);
    const all = await store.list();
    expect(all.map(({ sessionId, status }) => `${sessionId} ${status}`)).toEqual([
      "s2 completed",
      "s1 awaiting_input",
      "s3 running",
    ]);
  });

  it("F-56 S-84 lists nothing that has been deleted, though the index still names it", async () => {
    await accept("s1");
    await run("s1");
    await store.beginDelete("s1", T0);
    await store.finishDelete("s1");
    lag.writes = 3;

    expect(await store.list()).toEqual([]);
    expect(await swept(T0)).toEqual([]);
  });

  it("S-64 F-56 sweeps what a late index names, to no harm, and finds later what it lacked", async () => {
    for (const sessionId of ["s1", "s2", "s3"]) await accept(sessionId);
    await run("s1");
    lag.writes = 3;

    // s1 is at rest and named still; s3 is not named yet.
    const first = await swept(T0);
    expect(first).toEqual(["s1", "s2"]);
    expect((await claim("s1")).kind).toBe("idle");
    lag.writes = 0;
    expect(await swept(T0)).toEqual(["s2", "s3"]);
  });

  it("S-64 S-58 loses no wake-up to a late index, and wakes none twice", async () => {
    const resumeAt = T0 + 1_000;
    await accept("s1");
    await run("s1", anInputPark({ resumeAt }));
    lag.writes = 1;
    // The index still tells of the lease.
    expect(await swept(resumeAt)).toEqual([]);
    lag.writes = 0;
    expect(await swept(resumeAt)).toEqual(["s1"]);

    const { lease: mine, work } = won(await claim("s1", resumeAt));
    const commit = aCommit({ status: "completed", park: null });
    await store.settle(mine, aSettlement(work.arrival.id, { commit, now: resumeAt }), lease);
    lag.writes = 2;
    expect(await swept(resumeAt)).toEqual(["s1"]);
    expect((await claim("s1", resumeAt)).kind).toBe("idle");
  });
});
