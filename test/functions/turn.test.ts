import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openBus } from "../../functions/shared/bus.js";
import { openIntake } from "../../functions/shared/intake.js";
import { stack } from "../../functions/shared/stack.js";
import { type DeployedStores, openStores } from "../../functions/shared/stores.js";
import { createTurnHandler } from "../../functions/turn/handler.js";
import { openWorker } from "../../functions/turn/worker.js";
import { deploymentOf, loadConfigFile } from "../../lib/config/index.js";
import type { Intake } from "../../lib/intake/index.js";
import type { Clock } from "../../lib/session/ports.js";
import { systemClock } from "../../lib/stores/clock/index.js";
import { sessionOfRing } from "../../lib/stores/sqs/index.js";
import type { Worker } from "../../lib/worker.js";
import { anAccept } from "../harness/builders.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { BUS, describeDeployment } from "./deployment.js";
import { instruments, lambdaContext, type Printed, printed } from "./support.js";

const ROOT = process.cwd();
const BANNED = { plate: "ZZ 99 ZZ", visitor: "Ada Lovelace" };

describeDeployment("the turn function", (deployed) => {
  let intake: Intake;
  let stores: DeployedStores;
  let workers: Worker[];
  let output: Printed;

  beforeEach(() => {
    const { env } = deployed;
    stores = openStores(env);
    intake = openIntake({ ...instruments("api", env), stores, rootDir: ROOT });
    workers = [];
    output = printed();
  });
  afterEach(async () => {
    output.text();
    await Promise.all(workers.map((worker) => worker.close()));
  });

  async function turnFunction({
    clock = systemClock,
    ...options
  }: {
    stores?: DeployedStores;
    clock?: Clock;
    rootDir?: string;
  } = {}) {
    const own = instruments("turn", deployed.env);
    const bus = openBus(deployed.env);
    const worker = await openWorker({ ...own, stores, bus, rootDir: ROOT, ...options });
    workers.push(worker);
    const handle = createTurnHandler({ worker: async () => worker, clock, log: own.log });
    return stack<SQSEvent, SQSBatchResponse>(handle, own);
  }

  /** A visit whose turn takes two code states: the gate, and turning away. */
  const arrive = (visit: string, trigger = "gate_camera", variables: object = BANNED) =>
    intake.fire(
      { workflow: "hello-park", trigger, variables: { visit_id: visit, ...variables } },
      { source: "webhook", key: `${visit}/${trigger}` },
    );
  const rings = () => deployed.sqs.take(deployed.env.PARKWAY_QUEUE_URL ?? "");
  const recordsOf = (bodies: readonly string[]): SQSEvent => ({ Records: bodies.map(aRecord) });

  it("S-13 F-76 works off what arrived, and has told of it when it returns", async () => {
    const { receipt } = await arrive("visit-1");
    const handler = await turnFunction();

    const answer = await handler(recordsOf(rings().map(({ body }) => body)), lambdaContext());

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await intake.receipt(receipt.arrivalId)).toMatchObject({ status: "settled" });
    expect(deployed.bus.events(BUS).map(({ detailType }) => detailType)).not.toEqual([]);
    expect(await stores.sessions.unpublished("visit-1")).toEqual([]);
  });

  it("H-93 H-91 serves the mounts that the configuration brings, and no session is called by one", async () => {
    const { dir, remove } = temporaryFolder();
    writeTree(dir, {
      "workflows/read/workflow.yaml": `
mounts: { allow_always: [kb] }
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: { message: false } }
    tools: { allow: [read_file] }
`,
      "workflows/read/scripts/w.js": `export default async ({ tools }) => {
        await tools.archmax_set_variables({ variables: { found: await tools.read_file({ file_path: "kb/a.txt" }) } }); }`,
      "parkway.config.mjs": `const backend = { readRaw: async (path) => ({ data: { content: "of the mount " + path } }),
        ls: async () => ({ files: [] }) };
        export default { mounts: { "/kb/": { backend, governed: true } } };`,
    });
    const mounts = deploymentOf(await loadConfigFile(dir)).mountNames;
    const entrance = openIntake({ ...instruments("api", deployed.env), stores, rootDir: dir, mounts });
    const fire = (sessionId: string) =>
      entrance.fire({ workflow: "read", sessionId }, { source: "api", key: sessionId });

    await fire("case-1");
    const handler = await turnFunction({ rootDir: dir });
    await handler(recordsOf(rings().map(({ body }) => body)), lambdaContext());

    expect(await entrance.sessions.get("case-1")).toMatchObject({
      status: "completed",
      variables: { found: { value: "of the mount /a.txt" } },
    });
    await expect(fire("kb/1")).rejects.toMatchObject({ name: "SessionStoreIdError" });
    remove();
  });

  it("F-72 acknowledges a message that names no session, and the turns beside it run", async () => {
    const { receipt } = await arrive("visit-1");
    const handler = await turnFunction();

    const answer = await handler(
      recordsOf(["", "null", "{}", '{"sessionId":7}', '{"sessionId":"../x"}', '{"sessionId":"visit-1"}']),
      lambdaContext(),
    );

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await intake.receipt(receipt.arrivalId)).toMatchObject({ status: "settled" });
    expect(output.lines().filter(({ message }) => message === "A message names no session.")).toHaveLength(5);
  });

  it("F-72 reports the one record whose store failed, and no other", async () => {
    const good = await arrive("visit-1");
    const bad = await arrive("visit-2");
    const failing = wrapStore(stores.sessions, (op, run) => {
      if (op.name === "claim" && op.args[0] === "visit-2") throw new Error("no answer");
      return run();
    });
    const handler = await turnFunction({ stores: { ...stores, sessions: failing } });

    const answer = await handler(recordsOf(['{"sessionId":"visit-1"}', '{"sessionId":"visit-2"}']), lambdaContext());

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "message-1" }] });
    expect(await intake.receipt(good.receipt.arrivalId)).toMatchObject({ status: "settled" });
    expect(await intake.receipt(bad.receipt.arrivalId)).toMatchObject({ status: "queued" });
  });

  it("F-72 acknowledges a turn that failed by its own logic: the platform does not run it again", async () => {
    const { receipt } = await arrive("visit-9", "exit_camera", {});
    const handler = await turnFunction();

    const answer = await handler(recordsOf(['{"sessionId":"visit-9"}']), lambdaContext());

    expect(answer).toEqual({ batchItemFailures: [] });
    const settled = await intake.receipt(receipt.arrivalId);
    expect(settled?.outcome ?? settled).toMatchObject({ kind: "failed" });
    expect(await handler(recordsOf(['{"sessionId":"visit-9"}']), lambdaContext())).toEqual({ batchItemFailures: [] });
  });

  it("F-72 acknowledges an arrival that is refused", async () => {
    const input = { kind: "decision", target: "nowhere" } as const;
    const arrival = { id: "refused", sessionId: "visit-7", workflow: "hello-park", acceptedAt: Date.now(), input };
    await stores.sessions.accept(anAccept(arrival));
    const handler = await turnFunction();

    const answer = await handler(recordsOf(['{"sessionId":"visit-7"}']), lambdaContext());

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(output.lines().filter(({ message }) => message === "A turn failed.")).toMatchObject([
      { sessionId: "visit-7", arrivalId: "refused" },
    ]);
  });

  it("S-13 acknowledges a session with another owner, and one with nothing to do", async () => {
    await arrive("visit-1");
    const now = Date.now();
    await stores.sessions.claim("visit-1", { owner: "another", now, leaseMs: 60_000 });
    const handler = await turnFunction();

    const answer = await handler(recordsOf(['{"sessionId":"visit-1"}', '{"sessionId":"nobody"}']), lambdaContext());

    expect(answer).toEqual({ batchItemFailures: [] });
  });

  it("S-50 hands a turn over when the invocation's time is over, a step at a time", async () => {
    const { receipt } = await arrive("visit-1");
    // Invocations that began so long ago that no further step may start in them, and one under way has its time.
    const begun: Clock = { ...systemClock, now: () => systemClock.now() - 850_000 };
    const handler = await turnFunction({ clock: begun });
    const statuses: (string | undefined)[] = [];

    for (let waiting = rings(); waiting.length > 0; waiting = rings()) {
      expect(waiting.map(({ body }) => sessionOfRing(body))).toEqual(["visit-1"]);
      await handler(recordsOf(waiting.map(({ body }) => body)), lambdaContext(900_000));
      statuses.push((await intake.receipt(receipt.arrivalId))?.status);
    }

    expect(statuses.length).toBeGreaterThan(1);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set(["running"]));
    expect(statuses.at(-1)).toBe("settled");
  });

  it("S-102 F-76 writes what was counted before it returns, by service and by workflow", async () => {
    await arrive("visit-1");
    const handler = await turnFunction();
    await handler(recordsOf(['{"sessionId":"visit-1"}']), lambdaContext());

    const [figures] = output.lines().filter((line) => "_aws" in line);

    expect(figures).toMatchObject({ workflow: "hello-park", attempts: 1, settledCompleted: 1 });
    expect(figures?._aws).toMatchObject({
      CloudWatchMetrics: [{ Namespace: "parkway/test", Dimensions: [["service", "workflow"], ["service"]] }],
    });
  });

  it("F-101 N-41 logs ids and names, and nothing that a session was told", async () => {
    await arrive("visit-1");
    await arrive("visit-9", "exit_camera", { visitor: "Grace Hopper" });
    const handler = await turnFunction();
    await handler(recordsOf(['{"sessionId":"visit-1"}', '{"sessionId":"visit-9"}']), lambdaContext());

    const text = output.text();

    expect(text).toContain('"sessionId":"visit-1"');
    expect(text).toContain('"function_request_id"');
    expect(text).not.toMatch(/Lovelace|Hopper|ZZ ?99 ?ZZ|No open visit/);
  });
});

function aRecord(body: string, index: number): SQSRecord {
  return {
    messageId: `message-${index}`,
    receiptHandle: "handle",
    body,
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "1790000000000",
      SenderId: "AROAEXAMPLE",
      ApproximateFirstReceiveTimestamp: "1790000000001",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:doorbell",
    awsRegion: "eu-central-1",
  };
}
