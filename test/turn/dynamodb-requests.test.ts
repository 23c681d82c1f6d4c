/** What a turn costs in requests to DynamoDB: four model calls, and three calls of a tool that declares nothing. */
import { expect, it } from "vitest";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { countRequests } from "../harness/dynamodb-wire.js";
import { benches, calls, says } from "./support.js";

const open = benches();
const TURN: BenchOptions = {
  spec: "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay] } } }",
  tools: toolsFromMap({
    pay: { description: "Pays.", inputSchema: { type: "object" }, handler: () => "x".repeat(200) },
  }),
  replies: [calls(["pay"]), calls(["pay"]), calls(["pay"]), says("Done.")],
};

describeDynamoDb("a turn's requests", (db) => {
  async function counting(table: string) {
    const client = db.client();
    const requests = countRequests(client);
    return {
      requests,
      stores: { sessions: createDynamoSessionStore({ table, client }), files: createMemoryFileStore() },
    };
  }
  const named = (requests: readonly { name: string }[]) => requests.map(({ name }) => name);
  const writes = (count: number) => Array.from({ length: count }, () => "TransactWriteItems");

  it("are at most ten where one process accepts and works", async () => {
    const { requests, stores } = await counting(await db.table());
    const bench = await open({ ...TURN, stores });
    expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({
      kind: "completed",
      reply: "Done.",
    });

    // Accepted; opened with its lease; each message with its call's beginning, then the answer; settled.
    expect(named(requests)).toEqual(["BatchGetItem", ...writes(1 + 1 + 3 * 2 + 1)]);
    console.info(`a turn in one process: ${requests.length} requests`);
    expect(requests.length).toBeLessThanOrEqual(10);
  });

  it("are at most nine for a worker that is told to look", async () => {
    const table = await db.table();
    const entrance = await counting(table);
    const worker = await counting(table);
    const bench = await open({ ...TURN, stores: entrance.stores });
    const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go" });
    const other = await open({ ...TURN, stores: worker.stores });
    await other.agent.work("s1");

    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "settled" });
    expect(named(worker.requests)).toEqual(["Query", ...writes(1 + 3 * 2 + 1)]);
    console.info(`a turn's worker: ${worker.requests.length} requests`);
  });
});
