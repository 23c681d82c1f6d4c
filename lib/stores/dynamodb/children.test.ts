/** Children where requests meet each other, or their answers are lost. */
import { beforeEach, expect, it } from "vitest";
import { aCommit, anAccept, aSettlement, givenChildren, lease, T0, won } from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { anError, tap } from "../../../test/harness/dynamodb-wire.js";
import { LeaseLostError, SessionBusyError } from "../../session/errors.js";
import type { SessionStore } from "../../session/ports.js";
import { createDynamoSessionStore } from "./index.js";

const TIME = { now: T0, ...lease };
const CLAIM = { owner: "a", ...TIME };
const CHILD = { sessionId: "s1~1", workflow: "billing", now: T0 };

describeDynamoDb("children", (db) => {
  let table: string;
  let sound: SessionStore;
  beforeEach(async () => {
    table = await db.table();
    sound = createDynamoSessionStore({ table, client: db.client() });
  });

  /** A store that lets something happen right before its first transaction. */
  function interrupted(happens: () => Promise<unknown>): SessionStore {
    let isFirst = true;
    const client = tap(db.client(), "command", async ({ name }, send) => {
      if (name === "TransactWriteItems" && isFirst) {
        isFirst = false;
        await happens();
      }
      return send();
    });
    return createDynamoSessionStore({ table, client });
  }

  it("S-88 marks no child whose root was taken up meanwhile", async () => {
    await sound.accept(anAccept());
    await sound.settle(won(await sound.claim("s1", CLAIM)).lease, aSettlement("arr-1"), lease);
    await givenChildren(sound, "s1", ["s1~1"], { now: T0 });
    await sound.accept(anAccept({ id: "arr-2" }));

    const deleting = interrupted(() => sound.claim("s1", CLAIM)).beginDelete("s1~1", T0);
    await expect(deleting).rejects.toBeInstanceOf(SessionBusyError);
    expect((await sound.read("s1~1"))?.record).toMatchObject({ deleting: false, fence: 2 });
  });

  it("S-84 S-88 marks no child of a new session, though its parent was being deleted when it was looked at", async () => {
    await sound.accept(anAccept());
    await sound.settle(won(await sound.claim("s1", CLAIM)).lease, aSettlement("arr-1"), lease);
    await givenChildren(sound, "s1", ["s1~1"], { now: T0 });
    await sound.beginDelete("s1", T0, { children: true });
    const late = interrupted(async () => {
      await sound.finishDelete("s1");
      await sound.accept(anAccept({ id: "arr-2" }));
    });

    expect(await late.beginDelete("s1~1", T0, { withParent: true })).toBe(false);
    expect((await sound.read("s1~1"))?.record.deleting).toBe(false);
  });

  it("S-23 S-28 gives no child to an owner that was replaced meanwhile", async () => {
    await sound.accept(anAccept());
    const { lease: mine } = won(await sound.claim("s1", CLAIM));
    await sound.claimChild(mine, CHILD);
    const later = { ...CLAIM, owner: "b", now: T0 + lease.leaseMs };

    for (const sessionId of ["s1~1", "s1~2"]) {
      const late = interrupted(() => sound.claim("s1", later));
      await expect(late.claimChild(mine, { ...CHILD, sessionId })).rejects.toBeInstanceOf(LeaseLostError);
    }
    expect((await sound.read("s1~1"))?.record).toMatchObject({ fence: 1, claimedBy: "a" });
    expect(await sound.read("s1~2")).toBeNull();
  });

  it("S-28 S-43 makes, takes over, commits and deletes a child once when every answer is lost once", async () => {
    let attempts = 0;
    const client = tap(db.client({ maxAttempts: 4, retryMode: "standard" }), "attempt", async (_, send) => {
      const answer = await send();
      attempts += 1;
      if (attempts % 2 === 0) return answer;
      throw anError("TimeoutError");
    });
    const store = createDynamoSessionStore({ table, client, sleep: async () => {} });
    await sound.accept(anAccept());
    const { lease: mine } = won(await sound.claim("s1", CLAIM));

    const { lease: held } = await store.claimChild(mine, CHILD);
    await store.commit(held, aCommit({ status: "running" }, { k: "v" }), TIME);
    await sound.release(mine, { now: T0 });
    const { lease: later } = won(await sound.claim("s1", { ...CLAIM, now: T0 + lease.leaseMs }));
    expect(await store.claimChild(later, CHILD)).toMatchObject({ record: { fence: 2 }, thread: [{ value: "v" }] });

    await sound.beginDelete("s1", T0 + 3 * lease.leaseMs, { children: true });
    expect(await store.beginDelete("s1~1", T0, { withParent: true })).toBe(true);
    await store.finishDelete("s1~1");
    expect(await store.children("s1")).toEqual({ sessionIds: [], goAlong: true });
    expect(await sound.read("s1~1")).toBeNull();
  });

  it("S-28 lets an owner make many children while it goes on with its own steps", async () => {
    await sound.accept(anAccept());
    const { lease: mine } = won(await sound.claim("s1", CLAIM));
    const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
    const children = numbers.map(async (n) => {
      const sessionId = `s1~${n}`;
      const { lease: held } = await sound.claimChild(mine, { ...CHILD, sessionId });
      await sound.commit(mine, aCommit({}, { [`caller${n}`]: "v" }), TIME);
      await sound.commit(held, aCommit({ status: "running" }, { k: sessionId }), TIME);
    });
    await Promise.all(children);

    expect((await sound.read("s1"))?.thread).toHaveLength(12);
    expect((await sound.children("s1")).sessionIds).toEqual(numbers.map((n) => `s1~${n}`).sort());
    for (const n of numbers) expect((await sound.read(`s1~${n}`))?.thread).toEqual([{ key: "k", value: `s1~${n}` }]);
  });
});
