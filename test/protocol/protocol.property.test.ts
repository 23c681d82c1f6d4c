import { join } from "node:path";
import * as fc from "fast-check";
import { describe, it } from "vitest";
import type { SessionStore } from "../../lib/session/ports.js";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { temporaryFolder } from "../harness/temporary.js";
import { histories, World } from "./world.js";

const LONG_RUNS = process.env.PARKWAY_PROPERTY_RUNS;
const RUNS = Number(LONG_RUNS ?? 500);
/** The ordinary run is the same every time; a long one looks at new histories, and a failure names its seed. */
const SEED = LONG_RUNS === undefined ? { seed: 20_260_105 } : {};
/** The same over the wire, a few. */
const DYNAMODB_RUNS = Math.max(1, Math.round(RUNS / 125));
/** SQLite runs the same decisions; what it could add is in the reading and writing around them. */
const SQLITE_RUNS = Math.max(1, Math.round(RUNS / 20));

describe("the session protocol under any history of senders, workers, crashes and time", () => {
  it("S-2 S-3 S-16 S-23 S-25 S-28 S-31 S-59 S-61 S-103 loses nothing, repeats nothing, and keeps order in memory", async () => {
    await holds(RUNS, () => ({ store: createMemorySessionStore(), dispose: () => {} }));
  }, 600_000);

  it("S-2 S-3 S-16 S-23 S-25 S-28 S-31 S-59 S-61 S-103 loses nothing, repeats nothing, and keeps order in SQLite", async () => {
    await holds(SQLITE_RUNS, () => {
      const folder = temporaryFolder();
      const store = createSqliteSessionStore({ file: join(folder.dir, "parkway.db") });
      return {
        store,
        dispose: async () => {
          await store.close();
          folder.remove();
        },
      };
    });
  }, 600_000);
});

describeDynamoDb("the session protocol over the wire", (db) => {
  it("S-2 S-3 S-16 S-23 S-25 S-28 S-31 S-59 S-61 S-103 loses nothing, repeats nothing, and keeps order in DynamoDB", async () => {
    const client = db.client();
    await holds(DYNAMODB_RUNS, async () => ({
      store: createDynamoSessionStore({ table: await db.table(), client }),
      dispose: () => {},
    }));
  }, 600_000);
});

interface Made {
  store: SessionStore;
  dispose: () => void | Promise<void>;
}

async function holds(numRuns: number, create: () => Made | Promise<Made>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { store, dispose } = await create();
      try {
        const world = new World(store);
        for (const happening of history) await world.happen(happening);
        await world.settleDown();
        await world.checkEnd();
      } finally {
        await dispose();
      }
    }),
    { numRuns, ...SEED },
  );
}
