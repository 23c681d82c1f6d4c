/** One conversation of a thousand turns over DynamoDB: no item near the service's limit, no turn that stands out. */

import { createInProcessModel } from "../../../lib/models/in-process.js";
import { findDynamoDb } from "../../harness/dynamodb-engine.js";
import { openAwsDesk } from "../aws/desk.js";
import { itemBytes, itemsOf } from "../aws/items.js";
import { createMeter, sumsOf } from "../aws/meter.js";
import { startServices } from "../aws/services.js";
import { kb, median, ms, printTable, timed } from "../report.js";
import { ANSWER, ROUNDS, TOOL } from "../work.js";

const TURNS = 1_000;
const SHOWN = [1, 10, 100, 300, 1_000];
const AROUND = 2;
const SESSION = "long";

export async function awsLong(): Promise<void> {
  const found = findDynamoDb();
  if (found === null) return;
  const services = await startServices(found);
  const meter = createMeter();
  const table = await services.dynamoDb.table();
  const desk = await openAwsDesk(services, "", { table, meter, model: await answeringModel() });
  const turns: { wall: number; cpu: number; requests: number; written: number; readUnits: number }[] = [];
  try {
    for (let index = 0; index < TURNS + AROUND; index += 1) {
      meter.take();
      const { wall, cpu } = await timed(() => desk.turn(SESSION));
      const { requests, writtenBytes, readUnits } = sumsOf(meter.take());
      turns.push({ wall, cpu, requests, written: writtenBytes, readUnits });
    }
    const items = await itemsOf(services.dynamoDb.client(), table, SESSION);
    const sizes = items.map(itemBytes);
    const around = (turn: number, of: "wall" | "cpu") =>
      ms(median(turns.slice(Math.max(0, turn - 1 - AROUND), turn + AROUND).map((each) => each[of])));
    const at = (turn: number) => turns[turn - 1]!;
    printTable(`one conversation of ${TURNS} turns over DynamoDB (the model is in the process)`, [
      ["turn", ...SHOWN],
      ["median ms", ...SHOWN.map((turn) => around(turn, "wall"))],
      ["CPU ms", ...SHOWN.map((turn) => around(turn, "cpu"))],
      ["requests", ...SHOWN.map((turn) => at(turn).requests)],
      ["written (request bodies)", ...SHOWN.map((turn) => kb(at(turn).written))],
      ["read units", ...SHOWN.map((turn) => at(turn).readUnits)],
    ]);
    printTable("what is stored of it", [
      ["", "value"],
      ["items", sizes.length],
      ["all", kb(sizes.reduce((sum, size) => sum + size, 0))],
      ["largest item, bytes (limit 409,600)", Math.max(...sizes)],
    ]);
  } finally {
    await desk.close();
    services.stop();
  }
}

/** The common work's model without a wire: it is asked for the whole transcript, which is none of the store's. */
function answeringModel() {
  let calls = 0;
  return createInProcessModel({
    model: "bench",
    generate({ messages }) {
      const last = messages.findLastIndex((message) => message.type === "human");
      const round = messages.slice(last).filter((message) => message.type === "tool").length + 1;
      calls += 1;
      if (round > ROUNDS) return { content: ANSWER };
      return { content: "", toolCalls: [{ id: `call_${calls}`, name: TOOL, args: { part: `part ${round}` } }] };
    },
  });
}
