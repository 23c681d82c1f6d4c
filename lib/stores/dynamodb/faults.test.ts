/** A service that is busy, forgets its answers, cuts pages and lags behind. */
import { beforeEach, expect, it } from "vitest";
import { aCommit, anAccept, anEvent, aSettlement, lease, T0, won } from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { anError, cancelled, type Tap, tap } from "../../../test/harness/dynamodb-wire.js";
import { LeaseLostError, StoreUnavailableError } from "../../session/errors.js";
import type { SessionStore } from "../../session/ports.js";
import { createDynamoSessionStore } from "./index.js";

const TIME = { now: T0, ...lease };
const CLAIM = { owner: "a", ...TIME };

describeDynamoDb("faults", (db) => {
  let table: string;
  /** On a service without faults. */
  let sound: SessionStore;
  beforeEach(async () => {
    table = await db.table();
    sound = createDynamoSessionStore({ table, client: db.client() });
  });

  /** A store whose pauses take no time, and are counted. */
  function faulty(where: "command" | "attempt", through: Tap) {
    const pauses: number[] = [];
    const client = tap(db.client({ maxAttempts: 4, retryMode: "standard" }), where, through);
    const sleep = async (ms: number) => {
      pauses.push(ms);
    };
    return { store: createDynamoSessionStore({ table, client, sleep }), pauses };
  }

  /** Fails the first `times` requests of one kind. */
  function failing(name: string, times: number, error: () => Error): Tap {
    let left = times;
    return async (request, send) => {
      if (request.name !== name || left === 0) return send();
      left -= 1;
      throw error();
    };
  }

  it.each([
    ["a conflict", cancelled("None", "TransactionConflict", "None")],
    ["throttling", cancelled("ThrottlingError", "None")],
    ["too little capacity", cancelled("None", "ProvisionedThroughputExceeded")],
    ["conflict and throttling at once", cancelled("TransactionConflict", "ThrottlingError")],
    ["a request that goes on", anError("TransactionInProgressException")],
    ["a throttled call", anError("ThrottlingException")],
  ])("F-52 S-94 tries again after %s, with growing pauses", async (_, error) => {
    const { store, pauses } = faulty(
      "command",
      failing("TransactWriteItems", 7, () => error),
    );

    const result = await store.accept(anAccept());

    expect(result).toMatchObject({ kind: "accepted", receipt: { seq: 1 } });
    expect(pauses).toHaveLength(7);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(500);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });

  it("F-52 repeats an unanswered transaction under its token, and a cancelled one under another", async () => {
    const errors = [anError("TransactionInProgressException"), cancelled("TransactionConflict")];
    const tokens: unknown[] = [];
    const { store } = faulty("command", async (request, send) => {
      if (request.name !== "TransactWriteItems") return send();
      tokens.push(request.input.ClientRequestToken);
      const error = errors.shift();
      if (error) throw error;
      return send();
    });
    await store.accept(anAccept());

    expect(tokens).toHaveLength(3);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[1]);
  });

  it("F-52 takes a failed condition for a conflict, whatever else the transaction met", async () => {
    await sound.accept(anAccept());
    const { lease: mine } = won(await sound.claim("s1", CLAIM));
    won(await sound.claim("s1", { ...CLAIM, owner: "b", now: T0 + lease.leaseMs }));
    const { store, pauses } = faulty(
      "command",
      failing("TransactWriteItems", 1, () => cancelled("ConditionalCheckFailed", "TransactionConflict")),
    );

    await expect(store.commit(mine, aCommit({ position: "x" }), TIME)).rejects.toBeInstanceOf(LeaseLostError);
    expect(pauses).toEqual([]);
  });

  it("F-52 gives any other reason to the caller at once", async () => {
    const { store, pauses } = faulty(
      "command",
      failing("TransactWriteItems", 1, () => cancelled("ValidationError", "TransactionConflict")),
    );

    await expect(store.accept(anAccept())).rejects.toMatchObject({ name: "TransactionCanceledException" });
    expect(pauses).toEqual([]);
    expect(await sound.read("s1")).toBeNull();
  });

  it("S-94 says that it may be tried again when the service stays busy, and writes nothing", async () => {
    const { store } = faulty(
      "command",
      failing("TransactWriteItems", Number.POSITIVE_INFINITY, () => cancelled("ThrottlingError")),
    );

    await expect(store.accept(anAccept())).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await sound.read("s1")).toBeNull();
  });

  it("S-1 S-3 accepts once when answers are lost on the way", async () => {
    const lost = new Set<string>();
    const { store } = faulty("attempt", async (request, send) => {
      const answer = await send();
      if (lost.has(request.name)) return answer;
      lost.add(request.name);
      throw anError("TimeoutError");
    });

    expect(await store.accept(anAccept())).toMatchObject({ kind: "accepted", receipt: { seq: 1 } });
    expect(lost).toContain("TransactWriteItems");
    expect(await sound.read("s1")).toMatchObject({ queued: 1, record: { acceptedSeq: 1 } });
  });

  it("S-22 S-32 holds, commits, renews and settles once when every answer is lost once", async () => {
    await sound.accept(anAccept());
    let attempts = 0;
    const { store } = faulty("attempt", async (_, send) => {
      const answer = await send();
      attempts += 1;
      if (attempts % 2 === 0) return answer;
      throw anError("TimeoutError");
    });

    const { lease: mine } = won(await store.claim("s1", CLAIM));
    await store.commit(mine, aCommit({ status: "running" }, { k: "v" }), TIME);
    expect(await store.renew(mine, TIME)).toEqual({ cancelled: false });
    const events = [anEvent(1)];
    expect(await store.settle(mine, aSettlement("arr-1", { events }), lease)).toBeNull();

    expect(mine.fence).toBe(1);
    expect(await sound.read("s1")).toMatchObject({ record: { fence: 1, lease: null, unpublished: 1 }, queued: 0 });
    expect(await sound.unpublished("s1")).toEqual(events);
  });

  it("decides anew on what is there when the answer to its write is lost for good", async () => {
    await sound.accept(anAccept());
    let isLost = false;
    const { store } = faulty("command", async (request, send) => {
      const answer = await send();
      if (request.name !== "TransactWriteItems" || isLost) return answer;
      isLost = true;
      throw anError("TimeoutError");
    });
    const { lease: mine } = won(await sound.claim("s1", CLAIM));

    await expect(store.commit(mine, aCommit({ position: "one" }, { k: "1" }), TIME)).rejects.toThrow("TimeoutError");
    await store.commit(mine, aCommit({ position: "two" }, { k: "2" }), TIME);
    expect(await store.settle(mine, aSettlement("arr-1"), lease)).toBeNull();

    expect(await sound.read("s1")).toMatchObject({ record: { position: "two" }, thread: [{ key: "k", value: "2" }] });
  });

  it("F-53 asks again for what a batch left unread", async () => {
    let isShort = true;
    const { store, pauses } = faulty("command", async (request, send) => {
      const answer = await send();
      if (request.name !== "BatchGetItem" || !isShort) return answer;
      isShort = false;
      const keys = (request.input.RequestItems as Record<string, object>)[table];
      return { ...answer, Responses: {}, UnprocessedKeys: { [table]: keys } };
    });
    await sound.accept(anAccept());

    expect(await store.receipt("arr-1", T0)).toMatchObject({ seq: 1 });
    expect(pauses).toHaveLength(1);
  });

  it("F-56 trusts no single page: reads everything when each page holds one item or none", async () => {
    const { store } = faulty("command", async (request, send) => {
      if (request.name === "Query") request.input.Limit = 1;
      return send();
    });
    for (let n = 1; n <= 5; n += 1) await sound.accept(anAccept({ id: `arr-${n}` }));
    for (let n = 1; n <= 9; n += 1) await sound.accept(anAccept({ id: `other-${n}`, sessionId: `o${n}` }));

    const { lease: mine } = won(await store.claim("s1", CLAIM));
    const thread = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${10 + n}`, `v${n}`]));
    await store.commit(mine, aCommit({ status: "running" }, thread), TIME);

    const read = await store.read("s1");
    expect(read).toMatchObject({ queued: 4, record: { acceptedSeq: 5 } });
    expect(read?.thread.map(({ key }) => key)).toEqual(Object.keys(thread));
    expect(await store.due(T0, { limit: 100 })).toHaveLength(9);
    expect(await store.list()).toHaveLength(1);
  });

  it("F-56 lists what the table holds, though the index still tells of the past", async () => {
    const past: Record<string, unknown>[] = [];
    let isLagging = false;
    const { store } = faulty("command", async (request, send) => {
      if (request.input.IndexName === undefined) return send();
      if (isLagging) return past.shift() ?? { Items: [] };
      const answer = await send();
      past.push(answer);
      return answer;
    });
    await sound.accept(anAccept());
    const { lease: mine } = won(await sound.claim("s1", CLAIM));
    await sound.commit(mine, aCommit({ status: "running" }), TIME);
    expect(await store.list({ status: "running" })).toHaveLength(1);
    await sound.settle(mine, aSettlement("arr-1", { commit: aCommit({ status: "completed" }) }), lease);
    isLagging = true;

    expect(await store.list({ status: "running" })).toEqual([]);
    expect((await store.read("s1"))?.record.status).toBe("completed");
  });

  it("S-25 F-56 sees an inbox that is older than its record, and reads again", async () => {
    await sound.accept(anAccept());
    let stale: Record<string, unknown>[] | undefined;
    const { store } = faulty("command", async (request, send) => {
      if (request.name !== "Query" || !stale) return send();
      const answer = await send();
      const items = answer.Items as Record<string, { S?: string }>[];
      const old = stale;
      stale = undefined;
      return { ...answer, Items: [...old, ...items.filter((item) => item.sk?.S === "META")] };
    });
    const { lease: mine } = won(await sound.claim("s1", CLAIM));
    await sound.accept(anAccept({ id: "arr-2" }));
    stale = [];

    expect((await store.settle(mine, aSettlement("arr-1"), lease))?.arrival.id).toBe("arr-2");
  });
});
