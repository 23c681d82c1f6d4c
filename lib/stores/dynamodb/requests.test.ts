/** What a turn costs: requests and bytes. */
import { expect, it } from "vitest";
import { aCommit, anAccept, anEvent, aSettlement, lease, T0, won } from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { countRequests, tap } from "../../../test/harness/dynamodb-wire.js";
import type { ClaimResult } from "../../session/ports.js";
import { createDynamoSessionStore } from "./index.js";

const TIME = { now: T0, ...lease };
const CLAIM = { owner: "a", ...TIME };

describeDynamoDb("requests", (db) => {
  async function counted() {
    const client = db.client();
    const requests = countRequests(client);
    const store = createDynamoSessionStore({ table: await db.table(), client });
    /** The names of the requests that the work makes. */
    async function during(work: () => Promise<unknown>): Promise<string[]> {
      const before = requests.length;
      await work();
      return requests.slice(before).map(({ name }) => name);
    }
    return { store, requests, during };
  }

  it("makes at most ten for a turn of three model calls with two tool calls", async () => {
    const { store, requests, during } = await counted();
    const step = "x".repeat(2_000);

    const accept = await during(() => store.accept(anAccept()));
    let claimed: ClaimResult | undefined;
    const claim = await during(async () => {
      claimed = await store.claim("s1", CLAIM);
    });
    const { lease: mine } = won(claimed ?? { kind: "idle" });
    const commits: string[][] = [];
    for (let n = 0; n < 4; n += 1) {
      commits.push(await during(() => store.commit(mine, aCommit({ position: `p${n}` }, { [`k${n}`]: step }), TIME)));
    }
    const settlement = aSettlement("arr-1", {
      commit: aCommit({ status: "completed" }, { k: step }),
      events: [anEvent(1)],
    });
    const settle = await during(() => store.settle(mine, settlement, lease));

    expect(accept).toEqual(["BatchGetItem", "TransactWriteItems"]);
    expect(claim).toEqual(["TransactWriteItems"]);
    expect(commits).toEqual(commits.map(() => ["TransactWriteItems"]));
    expect(settle).toEqual(["TransactWriteItems"]);
    expect(requests.length).toBeLessThanOrEqual(10);
    const bytes = requests.reduce((sum, request) => sum + request.bytes, 0);
    console.info(`a common turn: ${requests.length} requests, ${bytes} bytes`);
    expect(bytes).toBeLessThan(5 * step.length + 15_000);
  });

  it("S-77 sends no field of the record that is as it was", async () => {
    const { store, requests } = await counted();
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    // Beginning to work sets an attempt back, so the first step sends more of its own.
    for (const position of ["p", "q", "q"]) await store.commit(mine, aCommit({ position }, { k: "v" }), TIME);

    const [moved = 0, stayed = 0] = requests.slice(-2).map(({ bytes }) => bytes);
    expect(stayed).toBeLessThan(moved);
    expect((await store.read("s1"))?.record.position).toBe("q");
  });

  it("accepts in one request where the session is likely new, and looks where it is not after all", async () => {
    const { store, during } = await counted();
    const likely = (id: string) => ({ ...anAccept({ id }), isLikelyNew: true as const });

    expect(await during(() => store.accept(likely("arr-1")))).toEqual(["TransactWriteItems"]);
    expect(await during(() => store.accept(likely("arr-2")))).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(await during(() => store.accept(likely("arr-2")))).toEqual(["TransactWriteItems"]);
  });

  it("takes a lease with the first write under it, and reads no session that was made here", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    let claimed: ClaimResult = { kind: "idle" };
    const claim = await during(async () => {
      claimed = await store.claim("s1", { ...CLAIM, mayTakeLater: true });
    });
    const { lease: mine } = won(claimed);
    const renew = await during(() => store.renew(mine, TIME));
    const commit = await during(() => store.commit(mine, aCommit({ position: "p" }, { k: "v" }), TIME));
    const settle = await during(() => store.settle(mine, aSettlement("arr-1"), lease));

    expect([claim, renew, commit, settle]).toEqual([[], [], ["TransactWriteItems"], ["TransactWriteItems"]]);
    expect((await store.read("s1"))?.record).toMatchObject({ fence: 1, lease: null, position: "p" });
  });

  it("takes no lease later where attempts are to be counted, or files to be placed", async () => {
    const { store, during } = await counted();
    const later = { ...CLAIM, mayTakeLater: true as const };
    const files = { f: { name: "f", key: "k", sizeBytes: 1, sha256: "0" } };
    await store.accept(anAccept({ input: { kind: "turn", files } }));
    expect(await during(() => store.claim("s1", later))).toEqual(["TransactWriteItems"]);
    const again = { ...later, now: T0 + lease.leaseMs };
    expect(await during(() => store.claim("s1", again))).toContain("TransactWriteItems");
  });

  it("S-89 takes no lease later for an arrival that somebody may have failed at already", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    const aMinuteLater = { ...CLAIM, now: T0 + 60_000, mayTakeLater: true as const };
    expect(await during(() => store.claim("s1", aMinuteLater))).toEqual(["TransactWriteItems"]);
  });

  it("keeps no long input of a session that was made here: whoever claims it reads it", async () => {
    const { store, during } = await counted();
    const input = { kind: "turn", message: "x".repeat(40_000) } as const;
    await store.accept(anAccept({ input }));
    expect(await during(() => store.claim("s1", { ...CLAIM, mayTakeLater: true }))).toEqual(["Query"]);
  });

  it("S-22 believes what it remembers of a session only when it is written on that", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    await store.cancel("s1", T0, { arrivalId: "arr-1" });

    const names = await during(async () => {
      expect((await store.claim("s1", CLAIM)).kind).toBe("idle");
    });
    expect(names).toEqual(["TransactWriteItems", "Query"]);
  });

  it("reads the thread of a session that has run while it takes the lease", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    await store.settle(won(await store.claim("s1", CLAIM)).lease, aSettlement("arr-1"), lease);
    await store.accept(anAccept({ id: "arr-2" }));

    const names = await during(() => store.claim("s1", CLAIM));

    expect(names.sort()).toEqual(["Query", "Query", "TransactWriteItems"]);
  });

  it("reads again before settling only when somebody wrote meanwhile", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    await store.accept(anAccept({ id: "arr-2" }));

    const names = await during(() => store.settle(mine, aSettlement("arr-1"), lease));

    expect(names).toEqual(["TransactWriteItems", "Query", "TransactWriteItems"]);
  });

  it("S-22 learns in one request that somebody is at work, and that nothing is to do", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    won(await store.claim("s1", CLAIM));

    expect(await during(() => store.claim("s1", { ...CLAIM, owner: "b" }))).toEqual(["Query"]);
    expect(await during(() => store.claim("unknown", CLAIM))).toEqual(["Query"]);
  });

  it("S-28 makes a child in one request, and takes one over in two and a read of its thread", async () => {
    const { store, during } = await counted();
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    const child = { sessionId: "s1~1", workflow: "billing", now: T0 };

    expect(await during(() => store.claimChild(mine, child))).toEqual(["TransactWriteItems"]);
    const { lease: held } = await store.claimChild(mine, child);
    expect(await during(() => store.commit(held, aCommit({ status: "running" }, { k: "v" }), TIME))).toEqual([
      "TransactWriteItems",
    ]);
    const again = await during(() => store.claimChild(mine, child));
    expect(again).toEqual(["TransactWriteItems", "Query"]);
    await store.release(mine, { now: T0 });
    const { lease: later } = won(await store.claim("s1", { ...CLAIM, now: T0 + lease.leaseMs }));
    const taken = await during(() => store.claimChild(later, child));
    expect(taken.sort()).toEqual(["Query", "TransactWriteItems", "TransactWriteItems"]);
  });

  it("S-28 S-77 moves a child in no index while its last move is fresh", async () => {
    const sent: string[] = [];
    const client = tap(db.client(), "command", (request, send) => {
      sent.push(JSON.stringify(request.input));
      return send();
    });
    const store = createDynamoSessionStore({ table: await db.table(), client });
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    const { lease: held } = await store.claimChild(mine, { sessionId: "s1~1", workflow: "billing", now: T0 });
    await store.commit(held, aCommit({ status: "running" }, { k: "v" }), TIME);
    await store.commit(held, aCommit({ status: "running" }, { k: "w" }), { ...TIME, now: T0 + 1 });

    expect(sent.at(-1)).toContain("s1~1");
    expect(sent.at(-1)).not.toMatch(/listKey|dueKey|updatedAt|status/);
  });

  it("S-77 writes with a step what the step added, however long the session is", async () => {
    const { store, requests } = await counted();
    await store.accept(anAccept({ input: { kind: "turn", message: "m".repeat(100_000) } }));
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    const sizes: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      await store.commit(mine, aCommit({}, { [`k${String(n).padStart(3, "0")}`]: "x".repeat(5_000) }), TIME);
      sizes.push(requests.at(-1)?.bytes ?? 0);
    }

    expect(Math.max(...sizes)).toBeLessThan(7_000);
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) + 200);
  });
});
