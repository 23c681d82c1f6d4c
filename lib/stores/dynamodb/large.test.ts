/** Values that fit no item, and commits that fit no transaction. */
import { beforeEach, expect, it } from "vitest";
import { aCommit, anAccept, aSettlement, lease, T0, won } from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { tap } from "../../../test/harness/dynamodb-wire.js";
import type { StoredOutcome } from "../../session/arrival.js";
import { CheckpointCorruptError, LeaseLostError } from "../../session/errors.js";
import type { SessionStore } from "../../session/ports.js";
import { createDynamoSessionStore, createMemoryLargeValues, type LargeValues } from "./index.js";

const TIME = { now: T0, ...lease };
const CLAIM = { owner: "a", ...TIME };
const MB = 1024 * 1024;
/** F-43: the largest item that is ever written. */
const MAX_ITEM_BYTES = 350_000;
const ITEMS = 105;

describeDynamoDb("large values and large commits", (db) => {
  let table: string;
  let largeValues: LargeValues;
  let store: SessionStore;
  /** The largest item of every transaction. */
  let largestItem: number;
  beforeEach(async () => {
    table = await db.table();
    largeValues = createMemoryLargeValues();
    largestItem = 0;
    store = open();
  });

  function open(onTransaction: (n: number) => void = () => {}): SessionStore {
    let transactions = 0;
    const client = tap(db.client(), "command", async (request, send) => {
      if (request.name !== "TransactWriteItems") return send();
      for (const item of request.input.TransactItems as { Put?: { Item: object } }[]) {
        largestItem = Math.max(largestItem, Buffer.byteLength(JSON.stringify(item.Put?.Item ?? {})));
      }
      transactions += 1;
      onTransaction(transactions);
      return send();
    });
    return createDynamoSessionStore({ table, client, largeValues });
  }

  async function claimed() {
    await store.accept(anAccept());
    return won(await store.claim("s1", CLAIM)).lease;
  }

  /** Items that together fit no transaction, by number and by size. */
  function manyItems(mark: string): Record<string, string> {
    return Object.fromEntries(
      Array.from({ length: ITEMS }, (_, n) => [`k${String(n).padStart(3, "0")}`, `${mark}${"x".repeat(36_000)}`]),
    );
  }

  it("S-74 F-43 takes 5 MB anywhere: thread, park, title, arrival, outcome, error, dead letter", async () => {
    const text = "é".repeat((5 * MB) / 2);
    await store.accept(anAccept({ input: { kind: "turn", message: text } }));
    await store.accept(anAccept({ id: "arr-2" }));
    const { lease: mine, work } = won(await store.claim("s1", CLAIM));
    const park = { parkId: "p", channel: "decision", state: "s", reason: text } as const;
    await store.commit(mine, aCommit({ title: text, park }, { big: text }), TIME);
    const outcome: StoredOutcome = { kind: "parked", disposition: "turn", status: "awaiting_decision", reply: text };
    const deadLetter = { id: "d1", arrival: work.arrival, attempts: 1, reason: text, at: T0, expiresAt: T0 + 90 };
    await store.settle(mine, aSettlement("arr-1", { outcome, deadLetter }), lease);
    await store.settle(mine, aSettlement("arr-2", { status: "error", error: { name: "E", message: text } }), lease);

    const read = await open().read("s1");
    expect(read?.record.park?.reason === text && read.record.title === text).toBe(true);
    expect(read?.thread[0]?.value === text).toBe(true);
    expect((await store.receipt("arr-1", T0))?.outcome?.reply === text).toBe(true);
    expect((await store.receipt("arr-2", T0))?.error?.message === text).toBe(true);
    expect((await store.deadLetters(T0))[0]?.reason === text).toBe(true);
    expect(largestItem).toBeLessThan(MAX_ITEM_BYTES);
  });

  it("F-43 writes no item above its bound, whatever a value's size", async () => {
    const mine = await claimed();
    const sizes = Array.from({ length: 26 }, (_, n) => 150_000 + n * 10_000);
    for (const size of sizes) {
      // Characters of one byte each, and of several.
      const values = {
        [`a${size}`]: "x".repeat(size),
        [`b${size}`]: "é".repeat(size / 2),
        [`c${size}`]: "語".repeat(size / 4),
      };
      await store.commit(mine, aCommit({ title: "x".repeat(size) }, values), TIME);
    }

    expect(largestItem).toBeGreaterThan(150_000);
    expect(largestItem).toBeLessThan(MAX_ITEM_BYTES);
    const thread = (await store.read("s1"))?.thread ?? [];
    expect(thread).toHaveLength(3 * sizes.length);
    expect(thread.find(({ key }) => key === "b400000")?.value).toHaveLength(200_000);
  });

  it("S-75 refuses a session whose large value is missing or another, by session and key, and leaves it as it is", async () => {
    const mine = await claimed();
    await store.commit(mine, aCommit({}, { big: "x".repeat(MB) }), TIME);
    const { get } = largeValues;

    for (const instead of [null, new Uint8Array(MB)]) {
      largeValues.get = async () => instead;
      await expect(store.read("s1")).rejects.toMatchObject({
        name: "CheckpointCorruptError",
        sessionId: "s1",
        key: "T#big",
      });
      await expect(store.read("s1")).rejects.toBeInstanceOf(CheckpointCorruptError);
    }
    largeValues.get = get;
    expect((await store.read("s1"))?.thread[0]?.value).toHaveLength(MB);
  });

  it("S-75 S-91 lets a session with a missing value be claimed, so that its arrival can be given up", async () => {
    const mine = await claimed();
    await store.commit(mine, aCommit({}, { big: "x".repeat(MB) }), TIME);
    largeValues.get = async () => null;

    const heir = won(await store.claim("s1", { ...CLAIM, owner: "b", now: T0 + lease.leaseMs }));

    expect(heir.thread).toEqual([{ key: "big", value: "" }]);
  });

  it("S-74 S-75 S-78 S-28 keeps large values and large commits of a child, and names what is missing", async () => {
    const mine = await claimed();
    const child = { sessionId: "s1~1", workflow: "billing", now: T0 };
    const { lease: held } = await store.claimChild(mine, child);
    const big = "x".repeat(5 * MB);
    await store.commit(held, aCommit({ status: "running", title: big }, { ...manyItems("1"), big }), TIME);
    const { thread, record } = await open().claimChild(mine, child);
    expect(record.title).toBe(big);
    expect(thread.find(({ key }) => key === "big")?.value).toBe(big);
    expect(thread).toHaveLength(ITEMS + 1);
    expect(largestItem).toBeLessThan(MAX_ITEM_BYTES);
    await store.commit(held, aCommit({ title: null }, { big: "small", bigger: big }, ["k000"]), TIME);

    const orphans = await largeValues.list({ after: "", limit: 100 });
    const page = { before: Date.now() + 1, after: "", limit: 100 };
    expect(await store.removeOrphans?.(page)).toMatchObject({ removed: orphans.length - 1 });
    expect((await store.read("s1~1"))?.thread).toHaveLength(ITEMS + 1);
    await largeValues.removeAll("S#s1~1");
    await expect(store.read("s1~1")).rejects.toMatchObject({ sessionId: "s1~1", key: "T#bigger" });
    const { thread: left } = await open().claimChild(mine, child);
    expect(left.find(({ key }) => key === "bigger")?.value).toBe("");
  });

  it("S-78 S-28 carries out the large commit of a former owner before it takes the child over", async () => {
    const mine = await claimed();
    const child = { sessionId: "s1~1", workflow: "billing", now: T0 };
    const { lease: held } = await store.claimChild(mine, child);
    const dying = open((n) => {
      if (n === 2) throw new Error("stopped");
    });
    await expect(dying.commit(held, aCommit({ position: "one" }, manyItems("1")), TIME)).rejects.toThrow("stopped");
    const later = won(await open().claim("s1", { ...CLAIM, owner: "b", now: T0 + lease.leaseMs })).lease;

    const { record, thread } = await open().claimChild(later, child);
    expect(record.position).toBe("one");
    expect(thread).toHaveLength(ITEMS);
  });

  it("S-76 never writes a large value over", async () => {
    const names: string[] = [];
    const { put } = largeValues;
    largeValues.put = async (area, sha256, bytes) => {
      names.push(`${area} ${sha256}`);
      await put(area, sha256, bytes);
    };
    const mine = await claimed();
    await store.commit(mine, aCommit({}, { big: `1${"x".repeat(MB)}` }), TIME);
    await store.commit(mine, aCommit({}, { big: `2${"x".repeat(MB)}` }), TIME);

    expect(new Set(names).size).toBe(2);
  });

  it("S-74 says what is missing where no place for large values was given", async () => {
    const bare = createDynamoSessionStore({ table, client: db.client() });
    const input = { kind: "turn", message: "x".repeat(MB) } as const;

    await expect(bare.accept(anAccept({ input }))).rejects.toThrow(/largeValues/);
    expect(await bare.read("s1")).toBeNull();
  });

  it("S-78 S-30 commits what fits no transaction", async () => {
    const mine = await claimed();
    await store.commit(mine, aCommit({ position: "one" }, { ...manyItems("1"), old: "v" }), TIME);
    await store.commit(mine, aCommit({ position: "two" }, manyItems("2"), ["old"]), TIME);
    const commit = aCommit({ status: "completed" }, manyItems("3"), ["k000"]);
    expect(await store.settle(mine, aSettlement("arr-1", { commit }), lease)).toBeNull();

    const read = await store.read("s1");
    expect(read?.record).toMatchObject({ position: "two", status: "completed", lease: null });
    expect(read?.thread).toHaveLength(ITEMS);
    expect(read?.thread.every(({ value }) => value.startsWith("3"))).toBe(true);
    expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "settled" });
  });

  it("S-78 commits any number of items, those that just do and just do not fit a transaction among them", async () => {
    const mine = await claimed();
    for (let count = 97; count <= 101; count += 1) {
      const puts = Object.fromEntries(Array.from({ length: count }, (_, n) => [`${count}/${n}`, "x"]));
      await store.commit(mine, aCommit({ position: `${count}` }, puts), TIME);
    }
    expect((await store.read("s1"))?.thread).toHaveLength(97 + 98 + 99 + 100 + 101);
  });

  it("S-78 S-30 S-33 shows the step before or the whole step, wherever a large commit is stopped", async () => {
    const seen: string[] = [];
    for (let stopAt = 1; stopAt < 12; stopAt += 1) {
      const sessionId = `s${stopAt}`;
      await store.accept(anAccept({ id: `a${stopAt}`, sessionId }));
      const { lease: mine } = won(await store.claim(sessionId, CLAIM));
      await store.commit(mine, aCommit({ position: "before" }, { k000: "1", old: "v" }), TIME);
      const dying = open((n) => {
        if (n >= stopAt) throw new Error("stopped");
      });
      const commit = dying.commit(mine, aCommit({ position: "after" }, manyItems("2"), ["old"]), TIME);
      const stopped = await commit.then(
        () => false,
        () => true,
      );

      const heir = won(await open().claim(sessionId, { ...CLAIM, owner: "b", now: T0 + lease.leaseMs }));
      const marks = new Set(heir.thread.map(({ value }) => value[0]));
      seen.push(`${heir.record.position} ${[...marks].sort().join("")} ${heir.thread.length}`);
      if (!stopped) break;
    }

    expect(seen[0]).toBe("before 1v 2");
    expect(seen.slice(1).every((line) => line === `after 2 ${ITEMS}`)).toBe(true);
    expect(seen.length).toBeGreaterThan(3);
  });

  it("S-78 S-23 lets a former owner's large commit change nothing once another has gone on", async () => {
    const mine = await claimed();
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    let transactions = 0;
    const client = tap(db.client(), "command", async (request, send) => {
      if (request.name !== "TransactWriteItems") return send();
      transactions += 1;
      if (transactions === 2) await isHeld;
      return send();
    });
    const slow = createDynamoSessionStore({ table, client, largeValues });
    const commit = slow.commit(mine, aCommit({ position: "one" }, manyItems("1")), TIME);
    while (transactions < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const heir = won(await store.claim("s1", { ...CLAIM, owner: "b", now: T0 + lease.leaseMs }));
    await store.commit(heir.lease, aCommit({}, { k000: "later" }), TIME);
    release();
    await commit;

    expect(heir.record.position).toBe("one");
    expect((await store.read("s1"))?.thread[0]).toEqual({ key: "k000", value: "later" });
    await expect(slow.commit(mine, aCommit({}, { k001: "late" }), TIME)).rejects.toBeInstanceOf(LeaseLostError);
  });

  it.each(["large values", "a large commit"])(
    "S-20 stores %s once where the commit meets a cancellation",
    async (of) => {
      const puts: string[] = [];
      const { put } = largeValues;
      largeValues.put = async (area, name, bytes) => {
        puts.push(name);
        await put(area, name, bytes);
      };
      const mine = await claimed();
      await store.cancel("s1", T0);

      const content = of === "large values" ? { big: "x".repeat(MB) } : { ...manyItems("1"), big: "y".repeat(MB) };
      expect(await store.commit(mine, aCommit({}, content), TIME)).toEqual({ cancelled: true });

      // A large commit's content is stored beside its large value, which it names.
      expect(puts).toHaveLength(of === "large values" ? 1 : 2);
      expect((await store.read("s1"))?.thread.find(({ key }) => key === "big")?.value).toHaveLength(MB);
    },
  );

  it("S-78 goes on after a large commit whose end failed", async () => {
    const mine = await claimed();
    let isOver = false;
    const shaky = open((n) => {
      if (n === 2 && !isOver) {
        isOver = true;
        throw new Error("stopped");
      }
    });
    await expect(shaky.commit(mine, aCommit({}, manyItems("1")), TIME)).rejects.toThrow("stopped");
    await shaky.commit(mine, aCommit({}, { k000: "2" }), TIME);

    const read = await store.read("s1");
    expect(read?.thread).toHaveLength(ITEMS);
    expect(read?.thread[0]?.value).toBe("2");
  });

  it("S-84 S-78 refuses two hundred waiting arrivals and removes everything, stopped at any point", async () => {
    const mine = await claimed();
    await store.commit(mine, aCommit({ status: "running" }, { ...manyItems("1"), big: "x".repeat(MB) }), TIME);
    for (let n = 1; n <= 200; n += 1) await store.accept(anAccept({ id: `w${n}` }));
    const later = T0 + lease.leaseMs;
    for (let stopAt = 1, isDone = false; !isDone; stopAt += 1) {
      const dying = open((n) => {
        if (n >= stopAt) throw new Error("stopped");
      });
      isDone = await dying
        .beginDelete("s1", later)
        .then(() => dying.finishDelete("s1"))
        .then(
          () => true,
          () => false,
        );
    }

    expect(await store.read("s1")).toBeNull();
    const receipts = await Promise.all(["arr-1", "w1", "w200"].map((id) => store.receipt(id, T0)));
    expect(receipts.map((receipt) => receipt?.status)).toEqual(["refused", "refused", "refused"]);
    expect(receipts.some((receipt) => receipt?.error)).toBe(false);
    expect(await store.due(later, { limit: 9 })).toEqual([]);
  });
});
