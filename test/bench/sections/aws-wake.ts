/** Ten thousand parks that fall due within one minute over DynamoDB: the sweep rings them ahead of time, workers wake them. */
import { createInProcessModel } from "../../../lib/models/in-process.js";
import type { EngineEvent } from "../../../lib/session/events.js";
import { sweepDue } from "../../../lib/session/index.js";
import { createDynamoSessionStore } from "../../../lib/stores/dynamodb/index.js";
import { findDynamoDb } from "../../harness/dynamodb-engine.js";
import { type AwsDesk, openAwsDesk } from "../aws/desk.js";
import { copyOf, itemsOf, putAll } from "../aws/items.js";
import { createMeter, sumsOf } from "../aws/meter.js";
import { startServices } from "../aws/services.js";
import { ms, percentile, printTable, timed } from "../report.js";
import { DUE, WAITING } from "../waiting.js";
import { WORKFLOW } from "../work.js";

/** Fewer, for a look on a machine that is slow or busy. */
const SESSIONS = Number(process.env.PARKWAY_BENCH_PARKS ?? 10_000);
const MINUTE_MS = 60_000;
/** One session is parked for each second of the minute; the others are copies of its items. */
const SECONDS = 60;
const WORKERS = 32;
const SWEEP_BATCH = 100;

export async function awsWake(): Promise<void> {
  const found = findDynamoDb();
  if (found === null) return;
  const services = await startServices(found);
  const table = await services.dynamoDb.table();
  const meter = createMeter();
  let offset = 0;
  const now = () => Date.now() + offset;
  const dueAt = (sessionId: string) => DUE + Number(sessionId.split("-")[1]) * 1_000;
  const late = new Map<string, number>();
  let twice = 0;
  const onEvent = (event: EngineEvent) => {
    if (event.type !== "delivered" || event.sessionId === undefined) return;
    if (late.has(event.sessionId)) twice += 1;
    late.set(event.sessionId, now() - dueAt(event.sessionId));
  };
  const desk = await openAwsDesk(services, "", {
    table,
    meter,
    model: await waitingModel(dueAt),
    onEvent,
    files: { [`workflows/${WORKFLOW}/workflow.yaml`]: WAITING },
    host: { clock: { now, sleep } },
  });
  const client = services.dynamoDb.client();
  const store = createDynamoSessionStore({ table, client: meter.watch("dynamodb", services.dynamoDb.client()) });
  try {
    await parkAll({ client, table, park: (id) => park(desk, id) });
    meter.take();
    offset = DUE - 1_000 - Date.now();
    const rung: string[] = [];
    let isOver = false;
    const doorbell = {
      async ring(sessionId: string, { delayMs = 0 } = {}) {
        setTimeout(() => rung.push(sessionId), delayMs);
      },
    };
    const workers = Array.from({ length: WORKERS }, async () => {
      while (!isOver) {
        const next = rung.shift();
        if (next === undefined) await sleep(5);
        else await desk.agent.work(next);
      }
    });
    let sweeps = 0;
    const sweepMs: number[] = [];
    const waking = await timed(async () => {
      for (let idle = 0; late.size < SESSIONS && idle < 3; sweeps += 1) {
        const before = late.size;
        const { wall } = await timed(() =>
          sweepDue(store, doorbell, { now: now(), lookAheadMs: MINUTE_MS, batch: SWEEP_BATCH }),
        );
        sweepMs.push(wall);
        const next = now() + MINUTE_MS;
        while (now() < next && late.size < SESSIONS) await sleep(20);
        idle = late.size > before ? 0 : idle + 1;
      }
      isOver = true;
      await Promise.all(workers);
    });
    const usage = meter.take();
    const sums = sumsOf(usage, "dynamodb");
    const values = [...late.values()];
    printTable(`${SESSIONS} parks due within one minute over DynamoDB, ${WORKERS} workers in one process`, [
      ["", "value"],
      ["resumed", late.size],
      ["resumed twice", twice],
      ["earliest", `${ms(Math.min(...values))} ms`],
      ["lateness p50", `${ms(percentile(values, 0.5))} ms`],
      ["lateness p99", `${ms(percentile(values, 0.99))} ms`],
      ["all resumed after", `${(waking.wall / 1_000).toFixed(1)} s`],
      ["CPU per wake", `${ms(waking.cpu / SESSIONS)} ms`],
      ["sweeps", sweeps],
      ["the first sweep", `${ms(sweepMs[0] ?? 0)} ms`],
      ["requests per wake", (sums.requests / SESSIONS).toFixed(2)],
      ["write units per wake, table", (sums.writeUnits / SESSIONS).toFixed(2)],
      ["write units per wake, indexes", (sums.indexUnits / SESSIONS).toFixed(2)],
      ["read units per wake", (sums.readUnits / SESSIONS).toFixed(2)],
    ]);
  } finally {
    await store.close();
    await desk.close();
    services.stop();
  }
}

async function park({ entrance, agent }: AwsDesk, sessionId: string): Promise<void> {
  await entrance.accept(sessionId, { kind: "turn", message: "Wait." });
  const { settled } = await agent.work(sessionId);
  const kind = settled.at(-1)?.outcome?.kind;
  if (kind !== "parked") throw new Error(`${sessionId} ended as ${kind}.`);
}

type Client = Parameters<typeof putAll>[0];

async function parkAll(given: { client: Client; table: string; park(id: string): Promise<void> }): Promise<void> {
  const { client, table } = given;
  for (let second = 0; second < SECONDS; second += 1) {
    const first = `sleeper-${second}-first`;
    await given.park(first);
    const items = await itemsOf(client, table, first);
    const copies = [];
    for (let index = second + SECONDS; index < SESSIONS; index += SECONDS) {
      copies.push(...copyOf(items, first, `sleeper-${second}-${index}`));
    }
    await putAll(client, table, copies);
  }
}

/** Waits the first time it is asked in a session, and answers the second time; the session's message tells its second. */
async function waitingModel(dueAt: (sessionId: string) => number) {
  let second = 0;
  return createInProcessModel({
    model: "sleeper",
    generate({ messages }) {
      if (messages.some((message) => message.type === "tool")) return { content: "Done." };
      const until = new Date(dueAt(`sleeper-${second}`)).toISOString();
      second += 1;
      return { content: "I wait.", toolCalls: [{ name: "archmax_wait", args: { reason: "the bell", until } }] };
    },
  });
}

function sleep(forMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, forMs);
    signal?.addEventListener("abort", done);
  });
}
