/** The session store's contract over DynamoDB, on a real engine and over the wire. */
import type { SessionStore } from "../../lib/session/ports.js";
import { createDynamoSessionStore, createMemoryLargeValues } from "../../lib/stores/dynamodb/index.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { sessionStoreContract } from "./session-store.contract.js";

describeDynamoDb("DynamoDB", (db) => {
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
        await db.drop(table);
        client.destroy();
      },
    };
  });
});
