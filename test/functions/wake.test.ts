import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { stack } from "../../functions/shared/stack.js";
import { createWakeHandler, type SweepCounts } from "../../functions/wake/handler.js";
import type { FileStore, SessionStore } from "../../lib/session/ports.js";
import { uploadKey } from "../../lib/session/uploads.js";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import { createSqsDoorbell, sessionOfRing } from "../../lib/stores/sqs/index.js";
import { type LocalSqs, startSqs } from "../aws/sqs.js";
import { anAccept, T0 } from "../harness/builders.js";
import { manualClock } from "../harness/clock.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { instruments, lambdaContext, printed } from "./support.js";

const MINUTE_MS = 60_000;

describeDynamoDb("the wake function", (db) => {
  let sqs: LocalSqs;
  let queueUrl: string;
  let store: SessionStore;
  let files: FileStore;
  let now: number;

  beforeAll(async () => {
    sqs = await startSqs(() => now);
  });
  afterAll(() => sqs.stop());
  beforeEach(async () => {
    now = T0;
    sqs.requests.length = 0;
    queueUrl = sqs.createQueue(`doorbell-${Math.random()}`);
    files = createMemoryFileStore();
    store = createDynamoSessionStore({ table: await db.table(), client: db.client() });
  });

  /** Arrivals are due from the time of their acceptance on. */
  const due = (sessionId: string, at: number) =>
    store.accept(anAccept({ id: `arr-${sessionId}`, sessionId, acceptedAt: at }));

  async function sweep(): Promise<SweepCounts> {
    const own = instruments("wake");
    const doorbell = createSqsDoorbell({ queueUrl, client: sqs.client() });
    const deps = { store, files, doorbell, clock: manualClock(now), log: own.log, measure: () => {} };
    const handler = await stack<object, SweepCounts>(createWakeHandler(deps), own);
    return handler({}, lambdaContext());
  }
  const rung = () => sqs.take(queueUrl).map(({ body }) => sessionOfRing(body));

  it("S-59 F-76 has every ring answered when it returns, over several pages", async () => {
    const sessions = Array.from({ length: 120 }, (_, n) => `s${n}`);
    await Promise.all(sessions.map((sessionId) => due(sessionId, T0 - 1_000)));

    const counts = await sweep();

    expect(counts).toEqual({ rung: 120, failed: 0, latenessMs: 1_000 });
    expect(new Set(rung())).toEqual(new Set(sessions));
    expect(sqs.requests).toHaveLength(12);
  });

  it("S-58 F-21 rings what falls due within the next minute at its time, and nothing later", async () => {
    await due("past", T0 - 5 * MINUTE_MS);
    await due("soon", T0 + 30_000);
    await due("late", T0 + MINUTE_MS + 1);

    expect(await sweep()).toEqual({ rung: 2, failed: 0, latenessMs: 5 * MINUTE_MS });
    expect(rung()).toEqual(["past"]);
    now = T0 + 30_000;
    expect(rung()).toEqual(["soon"]);
  });

  it("F-28 counts a doorbell that failed, and leaves it to the next minute", async () => {
    await due("s1", T0);
    sqs.faults.add({ kind: "refuse", operation: "SendMessage", status: 400, code: "AccessDenied" });
    const output = printed();

    expect(await sweep()).toEqual({ rung: 0, failed: 1, latenessMs: 0 });
    expect(output.text()).toContain("Doorbells failed");
    expect(await sweep()).toMatchObject({ rung: 1 });
  });

  it("F-28 throws when the store fails, so that the next minute sweeps again", async () => {
    const gone = createDynamoSessionStore({ table: "no-such-table", client: db.client() });
    store = gone;
    const output = printed();

    const failure = await sweep().catch((error: unknown) => error);
    const text = output.text();

    expect(failure).toMatchObject({ name: "InvocationFailedError" });
    expect(text).toContain("The invocation failed.");
  });

  it("S-79 tidies after the sweep; a failure there is no failure of the sweep", async () => {
    const upload = uploadKey("arr-gone", "0".repeat(64));
    await files.writeShared(upload, new Uint8Array([1]));
    await due("s1", T0);
    now = Date.now() + 2 * 24 * 60 * MINUTE_MS;
    const broken = { ...files, listShared: () => Promise.reject(new Error("no bucket")) };
    const kept = files;
    files = broken;
    const output = printed();

    expect(await sweep()).toMatchObject({ rung: 1 });
    expect(output.text()).toContain("Tidying failed.");
    files = kept;
    expect(await sweep()).toMatchObject({ rung: 1 });
    expect(await files.readShared(upload)).toBeNull();
  });
});
