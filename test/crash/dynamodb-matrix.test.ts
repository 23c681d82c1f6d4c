/** The world ends at requests to DynamoDB, not only at operations of the store: between the two requests of a claim, too. */
import { expect, it } from "vitest";
import { createDynamoSessionStore, createMemoryLargeValues } from "../../lib/stores/dynamodb/index.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { countRequests, tap } from "../harness/dynamodb-wire.js";
import { sampled } from "./sample.js";
import { SCENARIOS } from "./scenarios.js";
import { type Kill, type Mode, runScenario, type WorldStores } from "./world.js";

const MODES: Mode[] = ["before", "after", "answer lost"];
const MINUTES = 60_000;
/** Kill points tried of each scenario in the ordinary run. */
const ORDINARY = 8;

describeDynamoDb("the world ends at requests to DynamoDB", (db) => {
  /** Stores whose every request can be the last of the first agent's. */
  async function world(): Promise<WorldStores & { counted: { name: string; bytes: number }[] }> {
    const table = await db.table();
    const largeValues = createMemoryLargeValues();
    const files = createMemoryFileStore();
    const first = db.client();
    const counted = countRequests(first);
    return {
      counted,
      stores: { sessions: createDynamoSessionStore({ table, client: db.client(), largeValues }), files },
      mortal(intercept) {
        tap(first, "command", (request, send) => intercept({ name: request.name, args: [] }, send));
        return { sessions: createDynamoSessionStore({ table, client: first, largeValues }), files };
      },
    };
  }

  it.each(SCENARIOS)(
    "S-33 S-103 F-15 F-50 $name ends as if nothing had happened",
    { timeout: 4 * MINUTES },
    async (scenario) => {
      const stores = await world();
      const undisturbed = await runScenario(scenario, null, {}, stores);
      const kills = undisturbed.ops.flatMap((_, index) => MODES.map((mode): Kill => ({ at: index + 1, mode })));
      const tried = sampled(kills, ORDINARY);
      const different: string[] = [];

      for (const kill of tried) {
        const ending = await runScenario(scenario, kill, {}, await world());
        if (JSON.stringify(ending.result) === JSON.stringify(undisturbed.result)) continue;
        different.push(`${kill.mode} request ${kill.at} (${undisturbed.ops[kill.at - 1]})`);
        if (different.length === 1) expect.soft(ending.result).toEqual(undisturbed.result);
      }

      const bytes = stores.counted.reduce((sum, request) => sum + request.bytes, 0);
      console.info(
        `${scenario.name}: ${undisturbed.ops.length} requests, ${bytes} bytes; ${tried.length} of ${kills.length} kill points, ${different.length} different`,
      );
      expect(different).toEqual([]);
    },
  );

  it.each(SCENARIOS)("S-50 S-51 $name ends in DynamoDB as it ends in memory, also cut into steps", async (scenario) => {
    const inMemory = await runScenario(scenario, null);
    const cut = await runScenario(scenario, null, { drainAt: 0 }, await world());

    expect(cut.result).toEqual(inMemory.result);
  });
});
