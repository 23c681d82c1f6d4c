/** What a turn and a parked session cost, from what one turn, one park and one wake-up ask for and public list prices. */
import { createInProcessModel } from "../../../lib/models/in-process.js";
import { findDynamoDb } from "../../harness/dynamodb-engine.js";
import { type AwsDesk, openAwsDesk } from "../aws/desk.js";
import { itemBytes, itemsOf } from "../aws/items.js";
import { createMeter, type Meter, sumsOf, type Usage } from "../aws/meter.js";
import { PRICES } from "../aws/prices.js";
import { type Services, startServices } from "../aws/services.js";
import { startModelProcess } from "../model-process.js";
import { printTable } from "../report.js";
import { WORKFLOW } from "../work.js";

/** The turn that is counted: one in a conversation that has gone on for a while. */
const TURN = 10;
/** What the turn function waits for its model, and what it does besides: memory as `cdk/environments/dev.ts` gives it. */
const ASSUMED = { modelSeconds: 8, otherSeconds: 0.3, memoryGb: 1, entranceSeconds: 0.05, entranceGb: 0.5 };
/** Receive and delete of the bell, by the platform in the function's name. */
const QUEUE_REQUESTS_OF_THE_PLATFORM = 2;
/** DynamoDB developer guide, "item sizes": what storage adds to each item, in the table and in each index. */
const ITEM_OVERHEAD_BYTES = 100;
const GB = 1e9;
const THOUSAND = 1_000;

const SPEC = `states:
  waiting:
    triggers: { manual: }
    instructions: Wait, then say that it is done.
`;

export async function cost(): Promise<void> {
  const found = findDynamoDb();
  if (found === null) return;
  const services = await startServices(found);
  const model = await startModelProcess();
  try {
    const turn = await turnUsage(services, model.url);
    const { park, wake, storedBytes } = await parkUsage(services);
    printTable(`USD per 1,000 turns (turn ${TURN} of a conversation; us-east-1, list prices, no free tier)`, [
      ["", "count a turn", "USD per 1,000"],
      ...lines(turn),
    ]);
    printTable("USD per 1,000 parks and wake-ups, all of it", [
      ["", "count each", "USD per 1,000"],
      ...lines({ requests: [...park.requests, ...wake.requests], waitedMs: 0 }, { invocations: 2, modelSeconds: 4 }),
    ]);
    const perMonth = (storedBytes / GB) * PRICES.tableGbMonth;
    printTable("a parked session", [
      ["", "value"],
      ["bytes stored, overhead and indexes included", storedBytes],
      ["USD per session-month", perMonth.toFixed(9)],
      ["USD per 1,000,000 session-months", (perMonth * 1e6).toFixed(2)],
      ["resources that exist for it beside its items", 0],
    ]);
  } finally {
    model.stop();
    services.stop();
  }
}

function lines(usage: Usage, { invocations = 1, modelSeconds = ASSUMED.modelSeconds } = {}): (string | number)[][] {
  const table = sumsOf(usage, "dynamodb");
  const count = (service: string, name?: RegExp) =>
    usage.requests.filter((request) => request.service === service && (name?.test(request.name) ?? true)).length;
  const writeUnits = table.writeUnits + table.indexUnits;
  const puts = count("s3", /^(Put|List)/);
  const gets = count("s3") - puts;
  const bells = count("sqs");
  const queue = bells * (1 + QUEUE_REQUESTS_OF_THE_PLATFORM);
  const seconds = (modelSeconds + ASSUMED.otherSeconds * invocations) * ASSUMED.memoryGb;
  const entrance = ASSUMED.entranceSeconds * ASSUMED.entranceGb;
  const rows: [name: string, count: number, price: number][] = [
    ["DynamoDB write request units", writeUnits, PRICES.writeUnit],
    ["  of which indexes", table.indexUnits, 0],
    ["DynamoDB read request units", table.readUnits, PRICES.readUnit],
    ["S3 puts and lists", puts, PRICES.s3Put],
    ["S3 gets and heads", gets, PRICES.s3Get],
    ["SQS requests, the platform's included", queue, PRICES.sqsRequest],
    ["EventBridge events", count("events"), PRICES.busEvent],
    ["HTTP API requests", 1, PRICES.httpApiRequest],
    ["Lambda requests", 1 + invocations, PRICES.lambdaRequest],
    ["Lambda GB-seconds, entrance", entrance, PRICES.lambdaGbSecond],
    [`Lambda GB-seconds, ${modelSeconds} s of it waiting for the model`, seconds, PRICES.lambdaGbSecond],
  ];
  const usd = (value: number) => value.toFixed(5);
  const isModel = (name: string) => name.includes("model");
  const sum = (of: typeof rows) => of.reduce((total, [, times, price]) => total + times * price * THOUSAND, 0);
  return [
    ...rows.map(([name, times, price]) => [
      name,
      Number(times.toFixed(3)),
      price === 0 ? "" : usd(times * price * THOUSAND),
    ]),
    ["all but the turn function's time", "", usd(sum(rows.filter(([name]) => !isModel(name))))],
    ["all", "", usd(sum(rows))],
  ];
}

async function turnUsage(services: Services, url: string): Promise<Usage> {
  const meter = createMeter();
  const desk = await openAwsDesk(services, url, { table: await services.dynamoDb.table(), meter, told: true });
  try {
    for (let turn = 1; turn < TURN; turn += 1) await desk.turn("costed");
    meter.take();
    await desk.turn("costed");
    return meter.take();
  } finally {
    await desk.close();
  }
}

async function parkUsage(services: Services) {
  const meter = createMeter();
  const table = await services.dynamoDb.table();
  let offset = 0;
  const until = Date.now() + 86_400_000;
  const desk = await openAwsDesk(services, "", {
    table,
    meter,
    told: true,
    model: await waitingModel(new Date(until).toISOString()),
    files: { [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC },
    host: { clock: { now: () => Date.now() + offset, sleep: (ms, signal) => sleepFor(ms, signal) } },
  });
  try {
    const park = await during(meter, () => parked(desk));
    const items = await itemsOf(services.dynamoDb.client(), table, "parked");
    const indexed = items.flatMap((item) => [item.dueShard, item.listShard]).filter((shard) => shard !== undefined);
    const sizes = items.reduce((sum, item) => sum + itemBytes(item) + ITEM_OVERHEAD_BYTES, 0);
    offset = until + 1 - Date.now();
    const wake = await during(meter, () => desk.agent.work("parked"));
    // An index entry has the keys of both and two attributes at most.
    return { park, wake, storedBytes: sizes + indexed.length * 2 * ITEM_OVERHEAD_BYTES };
  } finally {
    await desk.close();
  }
}

async function parked(desk: AwsDesk): Promise<void> {
  await desk.entrance.accept("parked", { kind: "turn", message: "Wait." });
  const { settled } = await desk.agent.work("parked");
  if (settled.at(-1)?.outcome?.kind !== "parked") throw new Error("The session did not park.");
}

async function during(meter: Meter, work: () => Promise<unknown>): Promise<Usage> {
  meter.take();
  await work();
  return meter.take();
}

function waitingModel(until: string) {
  return createInProcessModel({
    model: "sleeper",
    generate: ({ messages }) =>
      messages.some((message) => message.type === "tool")
        ? { content: "Done." }
        : { content: "I wait.", toolCalls: [{ name: "archmax_wait", args: { reason: "the bell", until } }] },
  });
}

function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
