/** What goes over the wire, whatever the session: consistency, expiry, order of writing, and what is loaded when. */
import { readdirSync, readFileSync } from "node:fs";
import { DescribeTableCommand, DescribeTimeToLiveCommand, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import {
  aCommit,
  anAccept,
  anEvent,
  anInputPark,
  aSettlement,
  lease,
  T0,
  won,
} from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { tap, type WireRequest } from "../../../test/harness/dynamodb-wire.js";
import { createDynamoSessionStore, createMemoryLargeValues, ensureTable, TTL_ATTRIBUTE } from "./index.js";
import { receiptKey } from "./keys.js";

const TIME = { now: T0, ...lease };
const CLAIM = { owner: "a", ...TIME };

it("loads the SDK inside functions only", () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));

  for (const name of sources) {
    const text = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
    expect(text, name).not.toMatch(/^(?:import|export) (?!type)[^;]*from "@aws-sdk/m);
  }
});

describeDynamoDb("the table", (db) => {
  async function opened() {
    const table = await db.table();
    const requests: WireRequest[] = [];
    const client = tap(db.client(), "command", (request, send) => {
      requests.push(request);
      return send();
    });
    const largeValues = createMemoryLargeValues();
    const store = createDynamoSessionStore({ table, client, largeValues });
    return { table, store, requests, largeValues };
  }

  it("is made once, on demand, with two indexes and expiry", async () => {
    const client = db.client();
    const name = await db.table();
    await ensureTable(client, name);

    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    expect(Table?.BillingModeSummary?.BillingMode).toBe("PAY_PER_REQUEST");
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual(["due", "listing"]);
    expect(expiry.TimeToLiveDescription?.AttributeName).toBe(TTL_ATTRIBUTE);
  });

  it("F-56 reads nothing of the table but consistently, and an index only to find", async () => {
    const { store, requests } = await opened();
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    await store.settle(mine, aSettlement("arr-1", { commit: aCommit(anInputPark()), events: [anEvent(1)] }), lease);
    await store.published("s1", ["s1/1/1"], T0);
    await store.read("s1");
    await store.receipt("arr-1", T0);
    await store.cancel("s1", T0);
    await store.list();
    await store.due(T0, { limit: 1 });
    await store.deadLetters(T0);
    await store.beginDelete("s1", T0);
    await store.finishDelete("s1");

    const reads = requests.flatMap(({ name, input }) => {
      if (name === "BatchGetItem") return Object.values(input.RequestItems as object);
      return name === "Query" && input.IndexName === undefined ? [input] : [];
    });
    expect(reads.length).toBeGreaterThan(10);
    expect(reads.every(({ ConsistentRead }) => ConsistentRead === true)).toBe(true);
    expect(new Set(requests.map(({ name }) => name))).not.toContain("Scan");
  });

  it("S-84 S-98 carries a deletion through though events of the session are published meanwhile", async () => {
    const table = await db.table();
    const store = createDynamoSessionStore({ table, client: db.client() });
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    await store.settle(mine, aSettlement("arr-1", { events: [anEvent(1)] }), lease);
    await store.beginDelete("s1", T0);
    let isFirst = true;
    const client = tap(db.client(), "command", async (request, send) => {
      if (request.name === "TransactWriteItems" && isFirst) {
        isFirst = false;
        await store.published("s1", [anEvent(1).id], T0);
      }
      return send();
    });

    await createDynamoSessionStore({ table, client }).finishDelete("s1");

    expect([isFirst, await store.read("s1")]).toEqual([false, null]);
    expect(await store.due(T0 + 1e10, { limit: 1 })).toEqual([]);
  });

  it("F-55 S-2 lets the service remove a receipt only once its arrival has settled", async () => {
    const { table, store } = await opened();
    const client = db.client();
    const ttl = async () => {
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: receiptKey("arr-1") }));
      return Item?.[TTL_ATTRIBUTE]?.N;
    };
    await store.accept(anAccept({ receiptExpiresAt: T0 + 1_500 }));
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    const before = await ttl();
    await store.settle(mine, aSettlement("arr-1"), lease);

    expect(before).toBeUndefined();
    expect(await ttl()).toBe(String(Math.ceil((T0 + 1_500) / 1000)));
  });

  it("F-48 S-74 writes no item that names a large value which could not be stored", async () => {
    const { store, largeValues } = await opened();
    largeValues.put = async () => {
      throw new Error("no place");
    };
    const input = { kind: "turn", message: "x".repeat(500_000) } as const;

    await expect(store.accept(anAccept({ input }))).rejects.toThrow("no place");
    expect(await store.read("s1")).toBeNull();
    expect(await store.receipt("arr-1", T0)).toBeNull();
  });

  it("S-84 S-86 lets a deletion that was stopped for long touch nothing of a new session with the id", async () => {
    const { table, store } = await opened();
    await store.accept(anAccept());
    const { lease: mine } = won(await store.claim("s1", CLAIM));
    await store.settle(mine, aSettlement("arr-1", { commit: aCommit({ status: "completed" }, { k: "old" }) }), lease);
    await store.beginDelete("s1", T0);
    let go = () => {};
    const isHeld = new Promise<void>((resolve) => {
      go = resolve;
    });
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const client = tap(db.client(), "command", async ({ name }, send) => {
      if (name === "TransactWriteItems") {
        reached();
        await isHeld;
      }
      return send();
    });
    const slow = createDynamoSessionStore({ table, client }).finishDelete("s1");
    await isReached;
    await store.finishDelete("s1");
    const acceptedAt = T0 + 1;
    await store.accept(anAccept({ id: "arr-2", acceptedAt }));
    const anew = won(await store.claim("s1", CLAIM)).lease;
    await store.commit(anew, aCommit({ status: "running" }, { k: "new" }), TIME);
    go();
    await slow;

    expect(await store.read("s1")).toMatchObject({
      record: { status: "running", acceptedSeq: 1 },
      thread: [{ key: "k", value: "new" }],
    });
  });
});
