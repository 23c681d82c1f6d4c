import { describe, expect, it } from "vitest";
import { manualClock } from "../../test/harness/clock.js";
import { createLocalDoorbell } from "./doorbell.js";

/** A worker whose works end when they are told to. */
function aWorker() {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (sessionId: string) =>
    new Promise<void>((resolve, reject) => {
      started.push(sessionId);
      ends.set(sessionId, (error) => (error ? reject(error) : resolve()));
    });
  return { started, work, end: (sessionId: string, error?: Error) => ends.get(sessionId)?.(error) };
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

describe("the doorbell on one machine", () => {
  it("S-13 works on a session once at a time, and once more for the rings that came meanwhile", async () => {
    const { started, work, end } = aWorker();
    const doorbell = createLocalDoorbell({ work, failed: () => {}, clock: manualClock() });

    for (const id of ["a", "a", "b", "a"]) await doorbell.ring(id);
    expect(started).toEqual(["a", "b"]);
    end("a");
    await turnOfTheLoop();
    expect(started).toEqual(["a", "b", "a"]);
    end("a");
    end("b");
    await doorbell.idle();

    expect(started).toEqual(["a", "b", "a"]);
  });

  it("a delayed ring comes at its time, and is not waited for", async () => {
    const { started, work, end } = aWorker();
    const clock = manualClock();
    const doorbell = createLocalDoorbell({ work, failed: () => {}, clock });

    await doorbell.ring("a", { delayMs: 2_000 });
    await doorbell.idle();
    clock.advance(1_999);
    await turnOfTheLoop();
    expect(started).toEqual([]);
    clock.advance(1);
    await turnOfTheLoop();
    expect(started).toEqual(["a"]);
    end("a");
    await doorbell.idle();
  });

  it("F-28 a session that cannot be worked on does not hold up others", async () => {
    const { started, work, end } = aWorker();
    const failures: unknown[] = [];
    const failed = (...told: unknown[]) => failures.push(told);
    const doorbell = createLocalDoorbell({ work, failed, clock: manualClock(), parallel: 1 });
    const error = new Error("out of order");

    await doorbell.ring("a");
    await doorbell.ring("b");
    expect(started).toEqual(["a"]);
    end("a", error);
    await turnOfTheLoop();
    end("b");
    await doorbell.idle();

    expect(started).toEqual(["a", "b"]);
    expect(failures).toEqual([["a", error]]);
  });

  it("closing waits for what is under way and starts nothing more", async () => {
    const { started, work, end } = aWorker();
    const clock = manualClock();
    const doorbell = createLocalDoorbell({ work, failed: () => {}, clock, parallel: 1 });
    let isClosed = false;

    await doorbell.ring("a");
    await doorbell.ring("b");
    await doorbell.ring("c", { delayMs: 1 });
    const closed = doorbell.close().then(() => {
      isClosed = true;
    });
    clock.advance(10);
    await doorbell.ring("d");
    await turnOfTheLoop();
    expect(isClosed).toBe(false);
    end("a");
    await closed;

    expect(started).toEqual(["a"]);
  });
});
