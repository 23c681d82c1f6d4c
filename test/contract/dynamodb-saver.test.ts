/** LangGraph's own suite for savers, over the saver that runs the turns and a DynamoDB table. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDynamoSessionStore, createMemoryLargeValues } from "../../lib/stores/dynamodb/index.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { storeSaver } from "../harness/store-saver.js";

// The suite finds vitest's functions as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { validate } = await import("@langchain/langgraph-checkpoint-validation");

describeDynamoDb("DynamoDB", (db) => {
  validate({
    checkpointerName: "parkway on dynamodb",
    createCheckpointer: async () => {
      const client = db.client();
      return storeSaver(
        createDynamoSessionStore({ table: await db.table(), client, largeValues: createMemoryLargeValues() }),
      );
    },
  });
});
