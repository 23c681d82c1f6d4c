/** What nothing names is removed after a day, and never what something names (S-79). */
import { beforeEach, describe, expect, it } from "vitest";
import type { ArrivalInput, StoredOutcome } from "../../lib/session/arrival.js";
import {
  DAY_MS,
  FROM_THE_START,
  redriveDeadLetter,
  refusedLetter,
  sha256Hex,
  type TidyCursor,
  tidy,
  UPLOADS,
  unsettledLetterId,
  uploadKey,
} from "../../lib/session/index.js";
import type { FileStore, SessionStore } from "../../lib/session/ports.js";
import {
  createDynamoSessionStore,
  createMemoryLargeValues,
  type LargeValues,
} from "../../lib/stores/dynamodb/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, anEvent, aSettlement, LEASE_MS, lease, T0, won } from "../harness/builders.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { tap } from "../harness/dynamodb-wire.js";

const TIME = { now: T0, ...lease };
/** Tidies everything, in small steps. */
async function tidyAll(stores: { store: SessionStore; files: FileStore }, now: number, limit = 2): Promise<number> {
  let removed = 0;
  let from: TidyCursor | null = FROM_THE_START;
  while (from) {
    const result = await tidy(stores, { now, limit, from });
    removed += result.removed;
    from = result.next;
  }
  return removed;
}

describe("uploads", () => {
  let store: SessionStore;
  let files: FileStore;
  let now: number;
  beforeEach(() => {
    now = T0;
    store = createMemorySessionStore();
    files = createMemoryFileStore({ now: () => now });
  });

  async function upload(arrivalId: string): Promise<{ key: string; input: ArrivalInput }> {
    const bytes = new TextEncoder().encode(arrivalId);
    const sha256 = sha256Hex(bytes);
    const key = uploadKey(arrivalId, sha256);
    await files.writeShared(key, bytes);
    return { key, input: { kind: "turn", files: { note: { name: "n", key, sizeBytes: bytes.length, sha256 } } } };
  }
  const left = async () => (await files.listShared(UPLOADS, { after: "", limit: 99 })).map(({ path }) => path);

  it("S-79 S-10 go a day after they were stored where no arrival came of them, and not sooner", async () => {
    const { key } = await upload("arr-never");
    expect(await tidyAll({ store, files }, T0 + DAY_MS - 1)).toBe(0);
    expect(await left()).toEqual([key]);

    expect(await tidyAll({ store, files }, T0 + DAY_MS)).toBe(1);
    expect(await left()).toEqual([]);
  });

  it("S-79 stay while their arrival waits or runs, however long, and go once it has settled", async () => {
    const { key, input } = await upload("arr-1");
    await store.accept(anAccept({ id: "arr-1", input }));
    const later = T0 + 40 * DAY_MS;
    expect(await tidyAll({ store, files }, later)).toBe(0);
    const { lease: mine } = won(await store.claim("s1", { owner: "a", now: later, leaseMs: LEASE_MS }));
    expect(await tidyAll({ store, files }, later)).toBe(0);
    expect(await left()).toEqual([key]);

    await store.settle(mine, aSettlement("arr-1", { now: later }), lease);
    expect(await tidyAll({ store, files }, later)).toBe(1);
  });

  it("S-79 S-96 stay as long as a dead letter may be redriven, and a redrive has its own", async () => {
    const dead = await upload("arr-1");
    await store.accept(anAccept({ id: "arr-1", input: dead.input }));
    const { lease: mine, work } = won(await store.claim("s1", { owner: "a", ...TIME }));
    const letter = { ...refusedLetter(work.arrival, { reason: "why", at: T0 }), id: unsettledLetterId("arr-1") };
    await store.settle(mine, aSettlement("arr-1", { status: "dead", deadLetter: letter }), lease);
    const refused = await upload("arr-2");
    await store.keepDeadLetter(
      refusedLetter(anAccept({ id: "arr-2", input: refused.input }).arrival, { reason: "why", at: T0 }),
    );
    now = T0 + 89 * DAY_MS;
    expect(await tidyAll({ store, files }, now)).toBe(0);

    await redriveDeadLetter({ store, files }, { id: letter.id, now });
    expect(await tidyAll({ store, files }, letter.expiresAt)).toBe(2);
    const [copy, ...others] = await left();
    expect(others).toEqual([]);
    expect(await files.readShared(copy ?? "")).toEqual(new TextEncoder().encode("arr-1"));
  });

  it("S-79 looks at a bounded number a call, and touches nothing it does not know", async () => {
    for (let n = 0; n < 5; n += 1) await upload(`arr-${n}`);
    await files.writeShared(`${UPLOADS}${"0".repeat(64)}`, new Uint8Array(1));
    now = T0 + DAY_MS;

    const first = await tidy({ store, files }, { now, limit: 4 });
    expect(first).toMatchObject({ removed: 3, next: { values: null } });
    expect(await tidy({ store, files }, { now, limit: 4, from: first.next ?? FROM_THE_START })).toEqual({
      removed: 2,
      next: null,
    });
    expect(await left()).toEqual([`${UPLOADS}${"0".repeat(64)}`]);
  });
});

describeDynamoDb("large values", (db) => {
  const files = createMemoryFileStore();
  const large = (mark: string) => `${mark}${"x".repeat(300 * 1024)}`;
  let now: number;
  let values: LargeValues;
  let store: SessionStore;
  let table: string;
  beforeEach(async () => {
    now = T0;
    table = await db.table();
    values = createMemoryLargeValues({ now: () => now });
    store = createDynamoSessionStore({ table, client: db.client(), largeValues: values });
  });
  const counted = async () => (await values.list({ after: "", limit: 999 })).length;
  const claimed = async () => won(await store.claim("s1", { owner: "a", ...TIME })).lease;

  it("S-79 stay wherever something names them: items, record, inbox, receipts, events, letters", async () => {
    const input = { kind: "turn", message: large("m") } as const;
    await store.accept(anAccept({ input }));
    await store.accept(anAccept({ id: "arr-2", input }));
    const mine = await claimed();
    const outcome: StoredOutcome = { kind: "completed", disposition: "turn", status: "completed", reply: large("r") };
    const work = { ...anAccept({ input }).arrival, seq: 1 };
    await store.settle(
      mine,
      aSettlement("arr-1", {
        outcome,
        commit: aCommit({ status: "completed", title: large("t") }, { k: large("v") }),
        events: [anEvent(1, { detail: { text: large("e") } })],
        deadLetter: refusedLetter(work, { reason: "why", at: T0 }),
      }),
      lease,
    );
    const before = await counted();
    const seen = async () => ({
      read: await store.read("s1"),
      receipt: await store.receipt("arr-1", T0),
      events: await store.unpublished("s1"),
      letters: await store.deadLetters(T0),
    });
    const all = await seen();

    // The settled arrival's own input has gone from the inbox.
    expect(await tidyAll({ store, files }, T0 + DAY_MS)).toBe(1);
    expect(await counted()).toBe(before - 1);
    expect(await seen()).toEqual(all);
  });

  it("S-79 go a day after they were stored where no item came to name them, or names them any more", async () => {
    await store.accept(anAccept());
    const mine = await claimed();
    await store.commit(mine, aCommit({}, { k: large("1") }), TIME);
    now += 1_000;
    await store.commit(mine, aCommit({}, { k: large("2") }), TIME);
    const dying = createDynamoSessionStore({
      table,
      largeValues: values,
      client: tap(db.client(), "command", async (request, send) => {
        if (request.name === "TransactWriteItems") throw new Error("stopped");
        return send();
      }),
    });
    await expect(dying.commit(mine, aCommit({}, { k: large("3") }), TIME)).rejects.toThrow("stopped");
    expect(await counted()).toBe(3);

    expect(await tidyAll({ store, files }, T0 + DAY_MS - 1)).toBe(0);
    expect(await tidyAll({ store, files }, T0 + DAY_MS)).toBe(1);
    expect(await tidyAll({ store, files }, now + DAY_MS)).toBe(1);
    expect((await store.read("s1"))?.thread[0]?.value).toBe(large("2"));
  });

  it("S-79 that are the same as an old orphan have a name of their own, and stay", async () => {
    await store.accept(anAccept());
    const mine = await claimed();
    await store.commit(mine, aCommit({}, { k: large("1") }), TIME);
    await store.commit(mine, aCommit({}, {}, ["k"]), TIME);
    now += DAY_MS;
    await store.commit(mine, aCommit({}, { k: large("1") }), TIME);

    expect(await counted()).toBe(2);
    expect(await tidyAll({ store, files }, now)).toBe(1);
    expect((await store.read("s1"))?.thread[0]?.value).toBe(large("1"));
  });

  it("S-79 S-78 stay while a large commit that names them is not carried out to its end", async () => {
    await store.accept(anAccept());
    const mine = await claimed();
    let transactions = 0;
    const dying = createDynamoSessionStore({
      table,
      largeValues: values,
      client: tap(db.client(), "command", async (request, send) => {
        if (request.name === "TransactWriteItems") transactions += 1;
        if (transactions > 1) throw new Error("stopped");
        return send();
      }),
    });
    const many = Object.fromEntries(Array.from({ length: 105 }, (_, n) => [`k${n}`, "x"]));
    const commit = aCommit({}, { ...many, big: large("1") });
    await expect(dying.commit(mine, commit, TIME)).rejects.toThrow("stopped");

    expect(await tidyAll({ store, files }, T0 + 9 * DAY_MS)).toBe(0);
    expect((await store.read("s1"))?.thread.find(({ key }) => key === "big")?.value).toBe(large("1"));
  });

  it("S-79 S-84 of a session that is gone are removed with it", async () => {
    await store.accept(anAccept());
    const mine = await claimed();
    await store.settle(mine, aSettlement("arr-1", { commit: aCommit({}, { k: large("1") }) }), lease);
    await store.beginDelete("s1", T0);
    await store.finishDelete("s1");
    expect(await counted()).toBe(0);
    await values.put("S#s1", `${"0".repeat(64)}-late`, new Uint8Array(1));

    expect(await tidyAll({ store, files }, T0 + DAY_MS)).toBe(1);
  });
});
