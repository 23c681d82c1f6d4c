/** The adapters with clients of their own making, as they run in the cloud. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createEventBridgeBus } from "../../lib/stores/eventbridge/index.js";
import { createS3FileStore } from "../../lib/stores/s3/index.js";
import { createSqsDoorbell } from "../../lib/stores/sqs/index.js";
import { anAccept } from "../harness/builders.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { startEventBridge } from "./eventbridge.js";
import { startS3 } from "./s3.js";
import { startSqs } from "./sqs.js";

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.stubEnv("AWS_REGION", "eu-central-1");
});
afterEach(() => vi.unstubAllEnvs());

it("makes an S3 client from the environment and the endpoint given", async () => {
  const s3 = await startS3();
  s3.createBucket("own");
  const files = createS3FileStore({ bucket: "own", endpoint: s3.endpoint });
  await files.write("s1", "scratchpad/f", new Uint8Array([1]));

  expect((await files.read("s1", "scratchpad/f"))?.bytes).toEqual(new Uint8Array([1]));
  await s3.stop();
});

it("makes an SQS client from the environment and the endpoint given", async () => {
  const sqs = await startSqs();
  const queueUrl = sqs.createQueue("doorbell");
  await createSqsDoorbell({ queueUrl, endpoint: sqs.endpoint, region: "eu-west-1" }).ring("s1");

  expect(sqs.take(queueUrl)).toHaveLength(1);
  await sqs.stop();
});

it("makes an EventBridge client from the environment and the endpoint given", async () => {
  const service = await startEventBridge();
  service.createBus("own");
  const event = { type: "parked", sessionId: "s1", workflow: "w", at: 0, detail: {} } as const;
  await createEventBridgeBus({ busName: "own", endpoint: service.endpoint }).publish([{ id: "s1/1/a/1", ...event }]);

  expect(service.events("own")).toHaveLength(1);
  await service.stop();
});

describeDynamoDb("DynamoDB", (db) => {
  it("makes a client from the environment and the endpoint given", async () => {
    const store = createDynamoSessionStore({ table: await db.table(), endpoint: db.endpoint });
    await store.accept(anAccept());

    expect((await store.read("s1"))?.queued).toBe(1);
    await store.close();
  });
});
