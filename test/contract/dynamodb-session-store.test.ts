/** The session store's contract over DynamoDB, on a real engine and over the wire. */
import { afterAll, beforeAll, describe } from "vitest";
import type { SessionStore } from "../../lib/session/ports.js";
import { createDynamoSessionStore, createMemoryLargeValues } from "../../lib/stores/dynamodb/index.js";
import { type DynamoDb, findDynamoDb, startDynamoDb } from "../harness/dynamodb.js";
import { sessionStoreContract } from "./session-store.contract.js";

const found = findDynamoDb();

describe.skipIf(found === null)("DynamoDB", () => {
  let db: DynamoDb;
  beforeAll(async () => {
    db = await startDynamoDb(found ?? "");
  });
  afterAll(() => db.stop());

  sessionStoreContract("dynamodb", async () => {
    const table = await db.table();
    const client = db.client();
    const largeValues = createMemoryLargeValues();
    const opened: SessionStore[] = [];
    return {
      open() {
        const store = createDynamoSessionStore({ table, client, largeValues });
        opened.push(store);
        return store;
      },
      async dispose() {
        for (const store of opened) await store.close();
        client.destroy();
      },
    };
  });
});
