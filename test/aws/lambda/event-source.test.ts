import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../harness/temporary.js";
import { type BenchClock, benchClock } from "../bench-clock.js";
import { createQueue, type Queue } from "../queue.js";
import { type EventSource, type EventSourceMapping, startEventSource } from "./event-source.js";
import { type LambdaHost, startLambdaHost } from "./lambda-host.js";
import { probeAsset } from "./probe.js";

describe("a queue's mapping to a function", () => {
  let asset: TemporaryFolder;
  let folder: TemporaryFolder;
  let clock: BenchClock;
  let host: LambdaHost;
  let queue: Queue;
  let failed: Queue;

  beforeAll(async () => {
    asset = await probeAsset();
  });
  afterAll(() => asset.remove());
  beforeEach(async () => {
    folder = temporaryFolder();
    clock = benchClock();
    host = await startLambdaHost({ clock });
    failed = createQueue("failed", clock.now);
    queue = createQueue("work", clock.now, { visibilityMs: 60_000, redrive: { to: failed, maxReceives: 2 } });
    host.define({
      ...{ name: "probe", assetDir: asset.dir, handler: "index.handler", environment: {} },
      ...{ timeoutMs: 10_000, memoryMb: 512 },
    });
  });
  afterEach(async () => {
    await host.stop();
    folder.remove();
  });

  function start(more: Partial<EventSourceMapping> = {}): EventSource {
    const mapping = { functionName: "probe", queue, batchSize: 1, reportsItemFailures: true, ...more };
    return startEventSource({ host, clock, mapping });
  }
  const send = (body: object, delayMs = 0) => queue.send(JSON.stringify(body), delayMs);
  const receives = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

  it("removes what was processed and keeps what was reported as failed until its visibility ends", async () => {
    const [good, bad] = [join(folder.dir, "good"), join(folder.dir, "bad")];
    const source = start({ batchSize: 10 });
    source.pause();
    send({ file: good });
    send({ file: bad, fail: true });
    source.resume();
    await source.drained();
    expect(queue.messages).toHaveLength(1);

    clock.advance(60_001);
    await source.drained();
    expect(receives(good)).toEqual(["1"]);
    expect(receives(bad)).toEqual(["1", "2"]);
  });

  it("moves a message that fails repeatedly to the queue's dead-letter queue", async () => {
    const source = start();
    send({ fail: true });
    for (let round = 0; round < 3; round += 1) {
      await source.drained();
      clock.advance(60_001);
    }
    await source.drained();

    expect(queue.messages).toEqual([]);
    expect(failed.messages).toHaveLength(1);
  });

  it("gives a message whose function died back after its visibility", async () => {
    const file = join(folder.dir, "seen");
    const source = start();
    send({ file, ms: 2_000 });
    while (receives(file).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    host.kill(host.processes("probe")[0]?.id ?? "");
    await source.drained();
    expect(queue.messages).toHaveLength(1);

    clock.advance(60_001);
    await source.drained();
    expect(receives(file)).toEqual(["1", "2"]);
    expect(queue.messages).toEqual([]);
  });

  it("holds a delayed message back until its time", async () => {
    const file = join(folder.dir, "late");
    const source = start();
    send({ file }, 600_000);
    await source.drained();
    expect(receives(file)).toEqual([]);

    clock.advance(600_001);
    await source.drained();
    expect(receives(file)).toEqual(["1"]);
  });

  it("runs no more invocations at one time than the mapping says", async () => {
    const source = start({ maximumConcurrency: 2 });
    for (let n = 0; n < 6; n += 1) send({ ms: 50 });
    await source.drained();

    expect(host.processes("probe")).toHaveLength(2);
    expect(queue.messages).toEqual([]);
  });
});
