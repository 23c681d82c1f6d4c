/** Thousands of parks that fall due within one minute, woken by the sweep and the doorbell alone. */
import { type AttributeValue, BatchWriteItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { dueAddress, listingAddress } from "../../lib/stores/dynamodb/keys.js";
import { nameFromArn } from "./arns.js";
import { describeDeployment } from "./describe-deployment.js";

const PARKS = Number(process.env.PARKWAY_PARKS ?? 10_000);
const MINUTE_MS = 60_000;
const BATCH = 25;

type Item = Record<string, AttributeValue>;

describeDeployment("many parks due within a minute", (deployment) => {
  it(`S-58 S-59 S-61 F-21 ${PARKS} parks due within one minute are all resumed once`, {
    timeout: 60 * MINUTE_MS,
  }, async () => {
    const { bench, client } = deployment;
    const model = "park-model";
    const body = { sessionId: model, message: "Cool the barrier down.", variables: { minutes: 60 } };
    await client.api("POST", "/v1/workflows/hello-wait/sessions", body);
    await bench.settled();
    const services = new Set(bench.wire.calls.map(({ service }) => service));
    const first = Math.ceil(bench.clock.now()) + 2 * MINUTE_MS;
    const dueAts = Array.from({ length: PARKS }, (_, n) => first + Math.floor((n * MINUTE_MS) / PARKS));
    await park(model, dueAts);
    bench.clock.advance(first - bench.clock.now() - MINUTE_MS);

    // The rule of every minute, in real time; counts stand for the requests, which would fill the memory.
    let requests = 0;
    const forget = () => {
      requests += bench.wire.calls.length;
      for (const { service } of bench.wire.calls.splice(0)) services.add(service);
    };
    bench.tick();
    const minute = setInterval(() => bench.tick(), MINUTE_MS);
    const second = setInterval(forget, 1_000);
    const woken = await allWoken();
    clearInterval(minute);
    clearInterval(second);
    // While sessions wait for their bell, each minute's sweep rings them again; those bells find nothing to do any more.
    for (const source of bench.sources) source.pause();
    await bench.settled();
    forget();
    const bells = bench.engines.sqs.queue(nameFromArn(bench.variable("turn", "PARKWAY_QUEUE_URL"))).messages.length;

    const lateness = dueAts.map((dueAt, n) => (woken.get(idOf(n))?.[0] ?? Number.NaN) - dueAt).sort((a, b) => a - b);
    const at = (share: number) => Math.round(lateness[Math.floor((PARKS - 1) * share)] ?? Number.NaN);
    const sampled = await Promise.all(
      [0, Math.floor(PARKS / 2), PARKS - 1].map((n) => loadState(bench.stores.sessions, idOf(n))),
    );
    console.info(
      `${PARKS} parks due within one minute: lateness until resumed and settled p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms; ` +
        `${(requests / PARKS).toFixed(1)} requests a park; ${bench.host.processes(bench.functionName("turn")).length} processes, ${bells} bells left`,
    );

    expect([...woken.values()].filter((times) => times.length !== 1)).toEqual([]);
    expect(woken.size).toBe(PARKS);
    expect(lateness[0]).toBeGreaterThanOrEqual(0);
    for (const loaded of sampled) {
      expect(loaded?.state.fields).toMatchObject({ position: "resumed", status: "completed" });
      expect(loaded?.state.trail.filter(({ reason }) => reason === "timer")).toHaveLength(1);
    }
    // No schedule, rule or timer is made for a park: there is no service that was asked for one.
    expect([...services].sort()).toEqual(["dynamodb", "events", "s3", "secretsmanager", "sqs"]);
  });

  const idOf = (n: number) => `park-${String(n).padStart(6, "0")}`;

  /** Times of the end of each session's wake-up, each event once. */
  async function allWoken(): Promise<Map<string, number[]>> {
    const { bench } = deployment;
    const bus = bench.variable("turn", "PARKWAY_BUS");
    const seen = new Set<string>();
    const woken = new Map<string, number[]>();
    let from = 0;
    while (woken.size < PARKS) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const events = bench.engines.events.events(bus);
      for (const { detailType, detail, time } of events.slice(from)) {
        const { id, sessionId, turnId } = detail as Record<string, string>;
        if (detailType !== "turn-settled" || !turnId?.startsWith("wake-") || seen.has(String(id))) continue;
        seen.add(String(id));
        woken.set(String(sessionId), [...(woken.get(String(sessionId)) ?? []), time]);
      }
      from = events.length;
    }
    return woken;
  }

  /** Copies a parked session's items under other ids and times; parking each by a turn would take an hour. */
  async function park(model: string, dueAts: number[]): Promise<void> {
    const { bench } = deployment;
    const table = bench.variable("turn", "PARKWAY_TABLE");
    const dynamo = bench.dynamoDb;
    const { Items = [] } = await dynamo.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": { S: `S#${model}` } },
      }),
    );
    const resumeAt = (await bench.stores.sessions.read(model))?.record.park?.resumeAt ?? 0;
    const batches: Item[][] = [];
    let batch: Item[] = [];
    for (const [n, dueAt] of dueAts.entries()) {
      for (const item of Items) {
        batch.push(copied(item, { model, id: idOf(n), resumeAt, dueAt }));
        if (batch.length === BATCH) batches.push(batch);
        if (batch.length === BATCH) batch = [];
      }
    }
    if (batch.length > 0) batches.push(batch);
    for (let at = 0; at < batches.length; at += 8) {
      await Promise.all(
        batches
          .slice(at, at + 8)
          .map((items) =>
            dynamo.send(
              new BatchWriteItemCommand({ RequestItems: { [table]: items.map((Item) => ({ PutRequest: { Item } })) } }),
            ),
          ),
      );
    }
  }
});

function copied(item: Item, given: { model: string; id: string; resumeAt: number; dueAt: number }): Item {
  const { model, id, resumeAt, dueAt } = given;
  const text = JSON.stringify(item)
    .replaceAll(model, id)
    .replaceAll(String(resumeAt), String(dueAt))
    .replaceAll(new Date(resumeAt).toISOString(), new Date(dueAt).toISOString());
  const copy = JSON.parse(text) as Item;
  const address = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { S: value }]));
  return {
    ...copy,
    ...(copy.dueKey ? address(dueAddress(id, dueAt)) : {}),
    ...(copy.listKey ? address(listingAddress(id, Date.now())) : {}),
  };
}
