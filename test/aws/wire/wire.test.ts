import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { describeDynamoDb } from "../../harness/dynamodb.js";
import type { TemporaryFolder } from "../../harness/temporary.js";
import { benchClock } from "../bench-clock.js";
import { type LambdaHost, startLambdaHost } from "../lambda/lambda-host.js";
import { probeAsset } from "../lambda/probe.js";
import { type LocalSqs, startSqs } from "../sqs.js";
import { startWire, type Wire } from "./wire.js";

describeDynamoDb("the wire between functions and services", (db) => {
  let asset: TemporaryFolder;
  let sqs: LocalSqs;
  let wire: Wire;
  let host: LambdaHost;
  let table: string;

  beforeAll(async () => {
    asset = await probeAsset();
    sqs = await startSqs();
  });
  afterAll(async () => {
    await sqs.stop();
    asset.remove();
  });
  beforeEach(async () => {
    table = await db.table();
    const engines = { dynamodb: db.endpoint, sqs: sqs.endpoint };
    wire = await startWire({ engines, kill: (id) => host.kill(id) });
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: wire.endpoint, AWS_ENDPOINT_URL_SQS: wire.endpoint };
    host = await startLambdaHost({ clock: benchClock(), environment });
    host.define({
      ...{ name: "probe", assetDir: asset.dir, handler: "index.handler", environment: {} },
      ...{ timeoutMs: 10_000, memoryMb: 512 },
    });
  });
  afterEach(async () => {
    await host.stop();
    await wire.stop();
  });

  const put = (id: string) => host.invoke("probe", { do: "put", table, id });
  async function stored(): Promise<string[]> {
    const { Items = [] } = await db.client().send(
      new QueryCommand({
        ...{ TableName: table, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": { S: "a" } } },
        ConsistentRead: true,
      }),
    );
    return Items.map(({ sk }) => String(sk?.S));
  }

  it("passes requests on and writes down who asked for what", async () => {
    await put("a");
    const queueUrl = sqs.createQueue("work").replace(sqs.endpoint, wire.endpoint);
    await host.invoke("probe", { do: "send", queueUrl, body: "hello" });

    expect(await stored()).toEqual(["META"]);
    expect(sqs.queue("work").messages.map(({ body }) => body)).toEqual(["hello"]);
    expect(wire.calls).toMatchObject([
      {
        functionName: "probe",
        service: "dynamodb",
        operation: "PutItem",
        status: 200,
        needs: [
          {
            action: "dynamodb:PutItem",
            resource: `arn:aws:dynamodb:eu-central-1:111122223333:table/${table}`,
            context: { "dynamodb:LeadingKeys": ["a"] },
          },
        ],
      },
      {
        service: "sqs",
        needs: [{ action: "sqs:SendMessage", resource: "arn:aws:sqs:eu-central-1:111122223333:work" }],
      },
    ]);
    expect(wire.calls[0]?.bytes).toBeGreaterThan(20);
  });

  it.each([
    ["before", "Runtime.ExitError", [], 1],
    ["after", "Runtime.ExitError", ["META"], 1],
    ["answer lost", undefined, ["META"], 2],
  ] as const)("ends or troubles the caller at a request: %s", async (mode, error, expected, calls) => {
    const point = wire.arm({ functionName: "probe", at: 1, mode });
    const invocation = await put("a");

    expect(point.hasFired()).toBe(true);
    expect(invocation.error?.errorType).toBe(error);
    expect(await stored()).toEqual(expected);
    expect(wire.calls).toHaveLength(calls);
  });

  it("refuses as planned what the engine would never refuse", async () => {
    wire.faults.add({ service: "dynamodb", operation: "PutItem", answer: "throttled", times: 2 });
    const { payload } = await put("a");

    expect(payload).toBe("put");
    expect(wire.calls.map(({ status }) => status)).toEqual([400, 400, 200]);
  });

  it("lets an index be behind its table", async () => {
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const client = new DynamoDBClient({ endpoint: wire.endpoint, region: "eu-central-1", credentials });
    const { PutItemCommand } = await import("@aws-sdk/client-dynamodb");
    const Item = { pk: { S: "a" }, sk: { S: "META" }, dueShard: { S: "D#0" }, dueKey: { S: "1" } };
    const find = async () =>
      (
        await client.send(
          new QueryCommand({
            ...{ TableName: table, IndexName: "due", KeyConditionExpression: "dueShard = :shard" },
            ExpressionAttributeValues: { ":shard": { S: "D#0" } },
          }),
        )
      ).Items?.length;
    wire.lagIndexes(60_000);
    await client.send(new PutItemCommand({ TableName: table, Item }));
    const behind = await find();
    wire.lagIndexes(0);

    expect([behind, await find()]).toEqual([0, 1]);
    client.destroy();
  });
});
