/** The functions' assets: their sizes, and their cold starts without a network that is worth the name. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buildFunctions, FUNCTIONS, type FunctionName } from "../../../bin/build-functions.mjs";
import { createIntake, createIntakeWorkflows } from "../../../lib/intake/index.js";
import { systemClock } from "../../../lib/stores/clock/index.js";
import { createDynamoSessionStore } from "../../../lib/stores/dynamodb/index.js";
import { createMemoryFileStore } from "../../../lib/stores/memory/index.js";
import { startEventBridge } from "../../aws/eventbridge.js";
import { startS3 } from "../../aws/s3.js";
import { startSqs } from "../../aws/sqs.js";
import { findDynamoDb, startDynamoDb } from "../../harness/dynamodb-engine.js";
import { type Loaded, startAsset, startBytes, zippedBytes } from "../aws/cold-start.js";
import { BUCKET, BUS, QUEUE } from "../aws/names.js";
import { median, ms, printTable } from "../report.js";
import { diskFolder, QUESTION, SPEC, TOOL, TOOL_PARAMETERS, WORKFLOW } from "../work.js";

/** The first round fills the system's file cache and is dropped. */
const ROUNDS = 12;

const CONFIG = `import { defineConfig, toolsFromMap } from "parkway";
export default defineConfig({
  tools: toolsFromMap({
    ${TOOL}: {
      description: "Looks up a part of the order.",
      inputSchema: ${JSON.stringify(TOOL_PARAMETERS)},
      readOnly: true,
      handler: ({ part }) => part,
    },
  }),
  webhooks: { "${WORKFLOW}/mail": { verify: { scheme: "none", allowUnsigned: true }, message: "text" } },
});
`;
const TRIGGERED = SPEC.replace("manual: }", "manual: , mail: {} }");

export async function functions(): Promise<void> {
  const root = diskFolder({ [`workflows/${WORKFLOW}/workflow.yaml`]: TRIGGERED, "parkway.config.ts": CONFIG });
  const built = await buildFunctions({ root, outDir: join(root, "assets") });
  const assets = { ...Object.fromEntries(FUNCTIONS.map((name) => [name, join(built[name].dir, "index.mjs")])) };
  const nothing = join(diskFolder({ "empty.mjs": "export const handler = async () => {};" }), "empty.mjs");
  const files: Record<string, string> = { "an empty module": nothing, ...assets };
  const loads = await measureLoads(files);
  printTable(`functions: loaded in a fresh process, one processor (${ROUNDS - 1} each, turn about)`, [
    ["", "load ms min", "median", "cpu ms median", "read KB", "zipped KB"],
    ...Object.keys(files).map((name) => {
      const times = loads[name] ?? [];
      const asset = FUNCTIONS.includes(name as FunctionName) ? built[name as FunctionName] : undefined;
      return [
        name,
        ms(Math.min(...times.map(loadMs))),
        ms(median(times.map(loadMs))),
        ms(median(times.map(({ cpuMs }) => cpuMs))),
        asset ? whole(startBytes(asset.metafile)) : "",
        asset ? whole(zippedBytes(asset.dir)) : "",
      ];
    }),
  ]);
  await measureWork({ root, turn: assets.turn ?? "", webhook: assets.webhook ?? "" });
}

async function measureLoads(files: Readonly<Record<string, string>>): Promise<Record<string, Loaded[]>> {
  const loads: Record<string, Loaded[]> = {};
  const env = variables({ table: "none", queueUrl: "http://127.0.0.1:9/none" });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, file] of Object.entries(files)) {
      const { loaded } = await startAsset(file, { env });
      if (round > 0) loads[name] = [...(loads[name] ?? []), loaded];
    }
  }
  return loads;
}

/** From the start of loading to the first request that reaches the model, and to the answer of the first webhook. */
async function measureWork({ root, turn, webhook }: { root: string; turn: string; webhook: string }): Promise<void> {
  const found = findDynamoDb();
  if (found === null) return;
  const [db, s3, sqs, events, model] = await Promise.all([
    startDynamoDb(found),
    startS3(),
    startSqs(),
    startEventBridge(),
    startListener(),
  ]);
  s3.createBucket(BUCKET);
  events.createBus(BUS);
  const table = await db.table();
  const env = {
    ...variables({ table, queueUrl: sqs.createQueue(QUEUE) }),
    ARCHMAX_API_BASE_URL: model.url,
    ARCHMAX_API_KEY: "bench",
    ARCHMAX_MODEL: "bench",
    AWS_ENDPOINT_URL_DYNAMODB: db.endpoint,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: events.endpoint,
  };
  const intake = createIntake(
    {
      store: createDynamoSessionStore({ table, client: db.client() }),
      files: createMemoryFileStore(),
      doorbell: { ring: async () => {} },
      clock: systemClock,
      warn: () => {},
    },
    createIntakeWorkflows({ rootDir: root }),
  );
  const calls: number[] = [];
  const answers: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { receipt } = await intake.fire({ workflow: WORKFLOW, message: QUESTION }, { source: "api" });
      const body = JSON.stringify({ sessionId: receipt.sessionId });
      const called = model.next();
      const turning = await startAsset(turn, { env, event: { Records: [{ messageId: "bench", body }] } });
      const calledAt = await called;
      turning.kill();
      turning.answered.catch(() => undefined);
      const hooking = await startAsset(webhook, { env, event: hookEvent(round) });
      const { answer, at } = await hooking.answered;
      if ((answer as { statusCode?: number }).statusCode !== 202)
        throw new Error(`It answered ${JSON.stringify(answer)}`);
      if (round === 0) continue;
      calls.push(calledAt - turning.loaded.startedAt);
      answers.push(at - hooking.loaded.startedAt);
    }
  } finally {
    db.stop();
    model.stop();
    await Promise.all([s3.stop(), sqs.stop(), events.stop()]);
  }
  printTable("cold starts from the first line loaded, services on the loopback", [
    ["", "ms min", "median"],
    ["turn: to the first request of the model", ms(Math.min(...calls)), ms(median(calls))],
    ["webhook: to its answer", ms(Math.min(...answers)), ms(median(answers))],
  ]);
}

/** Stands where the model would, and notes when it is first called. */
async function startListener() {
  let heard: (at: number) => void = () => {};
  const server = createServer((request) => {
    heard(performance.timeOrigin + performance.now());
    request.socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () =>
      new Promise<number>((resolve) => {
        heard = resolve;
      }),
    stop: () => server.close(),
  };
}

function variables({ table, queueUrl }: { table: string; queueUrl: string }): Record<string, string> {
  return {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    PARKWAY_ENVIRONMENT: "bench",
    PARKWAY_TABLE: table,
    PARKWAY_BUCKET: BUCKET,
    PARKWAY_QUEUE_URL: queueUrl,
    PARKWAY_BUS: BUS,
    PARKWAY_CREDENTIALS: "api-key",
    PARKWAY_API_KEYS_SECRET: "secret:keys",
    POWERTOOLS_SERVICE_NAME: "bench",
    POWERTOOLS_METRICS_NAMESPACE: "bench",
  };
}

function hookEvent(round: number): object {
  const path = `/hooks/${WORKFLOW}/mail`;
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: QUESTION, round }),
    isBase64Encoded: false,
    requestContext: { stage: "$default", http: { method: "POST", path, sourceIp: "192.0.2.1" } },
  };
}

function loadMs({ startedAt, loadedAt }: Loaded): number {
  return loadedAt - startedAt;
}

function whole(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
