/** A suite over one running deployment of the fixture workspace. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { deniedCalls } from "./deployed/policies.js";
import { assemble, type Bench, startBench } from "./environment.js";
import { type Client, openClient } from "./play/client.js";

export interface Deployment {
  readonly bench: Bench;
  readonly client: Client;
  /** A number for a session that no other test of the suite has. */
  nextRun(): number;
}

const BUILD_WITHIN_MS = 180_000;

export function describeDeployment(name: string, suite: (deployment: Deployment) => void): void {
  describeDynamoDb(name, (db) => {
    let bench: Bench;
    let client: Client;
    let runs = 0;

    beforeAll(async () => {
      bench = await startBench(await assemble(), db);
      client = await openClient(bench, db);
    }, BUILD_WITHIN_MS);
    afterAll(async () => {
      await bench?.stop();
    });

    suite({
      get bench() {
        return bench;
      },
      get client() {
        return client;
      },
      nextRun: () => ++runs,
    });

    it("every request of a function was allowed by its role", () => {
      expect(deniedCalls(bench.template, bench.wire.calls)).toEqual([]);
    });
  });
}
