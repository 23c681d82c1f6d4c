import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SessionStoreIdError } from "../../lib/session/errors.js";
import type { Doorbell } from "../../lib/session/ports.js";
import { createSqsDoorbell, sessionOfRing, UnusableQueueError } from "../../lib/stores/sqs/index.js";
import { type LocalSqs, startSqs } from "./sqs.js";

const START = Date.UTC(2026, 2, 20, 9);

describe("doorbell over SQS", () => {
  let now = START;
  let sqs: LocalSqs;
  let queueUrl: string;
  let doorbell: Doorbell;

  beforeAll(async () => {
    sqs = await startSqs(() => now);
  });
  afterAll(() => sqs.stop());
  beforeEach(() => {
    now = START;
    queueUrl = sqs.createQueue("doorbell");
    doorbell = createSqsDoorbell({ queueUrl, client: sqs.client() });
    sqs.requests.length = 0;
  });

  it("S-13 rings at once with the session's id", async () => {
    await doorbell.ring("ticket-1001");

    expect(sqs.take(queueUrl)).toEqual([{ body: '{"sessionId":"ticket-1001"}', visibleAt: START }]);
  });

  it.each(["run7/cases/x.test.yaml", "a~1~2", "Ünïcode 漢 🙂", 'quo"te%2F+', "edge\ufffe\uffff", "x".repeat(512)])(
    "F-100 rings for %j",
    async (id) => {
      await doorbell.ring(id);

      expect(sqs.take(queueUrl).map(({ body }) => sessionOfRing(body))).toEqual([id]);
    },
  );

  it("F-100 rings for no id that names no session", async () => {
    await expect(doorbell.ring("../x")).rejects.toBeInstanceOf(SessionStoreIdError);
    expect(sqs.requests).toEqual([]);
  });

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [899_999, 900],
    [900_000, 900],
  ])("S-61 delays %d ms by %d s, never less", async (delayMs, seconds) => {
    await doorbell.ring("s1", { delayMs });

    now = START + delayMs - 1;
    expect(sqs.take(queueUrl)).toEqual([]);
    now = START + seconds * 1_000;
    expect(sqs.take(queueUrl)).toHaveLength(1);
  });

  it("rings at once for a time that is past", async () => {
    await doorbell.ring("s1", { delayMs: -5_000 });

    expect(sqs.take(queueUrl)).toHaveLength(1);
  });

  it("S-58 leaves a time more than 15 minutes away to the sweep", async () => {
    await doorbell.ring("s1", { delayMs: 900_001 });

    expect(sqs.requests).toEqual([]);
  });

  it("rings again when the service throttles, and when the answer is lost", async () => {
    sqs.faults.add({ kind: "refuse", operation: "SendMessage", status: 400, code: "RequestThrottled", times: 2 });
    await doorbell.ring("s1");
    sqs.faults.add({ kind: "lose-answer", operation: "SendMessage" });
    await doorbell.ring("s2");

    expect(sqs.take(queueUrl).map(({ body }) => sessionOfRing(body))).toEqual(["s1", "s2", "s2"]);
  });

  it("S-61 S-64 rings of one moment share requests, each with its own delay and result", async () => {
    sqs.faults.add({
      ...{ kind: "refuse-item", operation: "SendMessageBatch", code: "InternalError" },
      item: '{"sessionId":"s3"}',
    });
    const rings = Array.from({ length: 23 }, (_, n) => doorbell.ring(`s${n}`, { delayMs: n * 1_000 }));
    const results = await Promise.allSettled(rings);

    expect(results.map(({ status }, n) => (status === "rejected" ? n : -1)).filter((n) => n >= 0)).toEqual([3]);
    expect(results[3]).toMatchObject({ reason: { code: "ring-not-sent", failure: "InternalError", retryable: true } });
    expect(sqs.requests.map(({ operation }) => operation)).toEqual(Array(3).fill("SendMessageBatch"));
    now = START + 10_000;
    expect(sqs.take(queueUrl).map(({ body }) => sessionOfRing(body))).toEqual(
      [0, 1, 2, 4, 5, 6, 7, 8, 9, 10].map((n) => `s${n}`),
    );
  });

  it("S-64 F-28 fails every ring of a request that came to nothing, and none of another", async () => {
    sqs.faults.add({ kind: "refuse", operation: "SendMessageBatch", status: 403, code: "AccessDenied" });
    const results = await Promise.allSettled(Array.from({ length: 11 }, (_, n) => doorbell.ring(`s${n}`)));

    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(sqs.take(queueUrl)).toHaveLength(1);
  });

  it("tells when the queue does not take it", async () => {
    const lost = createSqsDoorbell({ queueUrl: `${queueUrl}-gone`, client: sqs.client() });

    await expect(lost.ring("s1")).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  });

  it("refuses a FIFO queue, which cannot delay", () => {
    expect(() => createSqsDoorbell({ queueUrl: `${queueUrl}.fifo` })).toThrow(UnusableQueueError);
  });

  it.each(["", "no json", "null", "{}", '{"sessionId":1}', '{"sessionId":"../x"}'])("reads no ring in %j", (body) => {
    expect(sessionOfRing(body)).toBeNull();
  });

  it.each([
    [{ DelaySeconds: 901 }, "InvalidParameterValue"],
    [{ MessageBody: "\u0000" }, "InvalidMessageContents"],
    [{ MessageBody: "x".repeat(1_048_577) }, "InvalidParameterValue"],
    [{ MessageBody: "" }, "MissingParameter"],
  ])("F-86 the stand-in refuses what SQS refuses: %o", async (input, name) => {
    const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "x", ...input });

    await expect(sqs.client().send(command)).rejects.toMatchObject({ name });
    expect(sqs.take(queueUrl)).toEqual([]);
  });

  it.each([
    [[], "EmptyBatchRequest"],
    [Array.from({ length: 11 }, (_, n) => String(n)), "TooManyEntriesInBatchRequest"],
    [["1", "1"], "BatchEntryIdsNotDistinct"],
  ])("F-86 the stand-in refuses a batch that SQS refuses: %j", async (ids, name) => {
    const Entries = ids.map((Id) => ({ Id, MessageBody: "x" }));
    const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries });

    await expect(sqs.client().send(command)).rejects.toMatchObject({ name });
    expect(sqs.take(queueUrl)).toEqual([]);
  });
});
