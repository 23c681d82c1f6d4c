/** Suites over a DynamoDB. Where there is none for the platform they are skipped; where there should be one, its absence is an error. */
import { afterAll, beforeAll, describe } from "vitest";
import { type DynamoDb, findDynamoDb, startDynamoDb } from "./dynamodb-engine.js";

export type { DynamoDb } from "./dynamodb-engine.js";

/** A suite over one DynamoDB, which is up while its hooks and tests run. */
export function describeDynamoDb(name: string, suite: (db: DynamoDb) => void): void {
  const found = findDynamoDb();
  describe.skipIf(found === null)(name, () => {
    let started: Awaited<ReturnType<typeof startDynamoDb>>;
    beforeAll(async () => {
      started = await startDynamoDb(found ?? "");
    });
    afterAll(() => started.stop());
    suite({
      get endpoint() {
        return started.endpoint;
      },
      client: (config) => started.client(config),
      table: () => started.table(),
      drop: (table) => started.drop(table),
    });
  });
}
