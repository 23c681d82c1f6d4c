import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TemporaryFolder } from "../../harness/temporary.js";
import { type BenchClock, benchClock } from "../bench-clock.js";
import { type AsyncFailure, type FunctionDefinition, type LambdaHost, startLambdaHost } from "./lambda-host.js";
import { probeAsset } from "./probe.js";

describe("Lambda on this machine", () => {
  let asset: TemporaryFolder;
  let clock: BenchClock;
  let host: LambdaHost;

  beforeAll(async () => {
    asset = await probeAsset();
  });
  afterAll(() => asset.remove());
  beforeEach(async () => {
    clock = benchClock();
    host = await startLambdaHost({ clock });
  });
  afterEach(() => host.stop());

  function define(more: Partial<FunctionDefinition> = {}): void {
    const environment = { TABLE: "things" };
    host.define({
      ...{
        name: "probe",
        assetDir: asset.dir,
        handler: "index.handler",
        environment,
        timeoutMs: 10_000,
        memoryMb: 512,
      },
      ...more,
    });
  }

  it("runs the bundle in a process of its own, which lives on for the next invocation", async () => {
    define();
    const [first, second] = [await host.invoke("probe", { do: "count" }), await host.invoke("probe", { do: "count" })];

    expect([first.payload, second.payload]).toEqual([1, 2]);
    expect([first.isCold, second.isCold]).toEqual([true, false]);
    console.info(`cold ${first.durationMs.toFixed(0)} ms, warm ${second.durationMs.toFixed(1)} ms`);
  });

  it("gives a function its environment and its name, and nothing of the bench's own", async () => {
    define();
    const { payload } = await host.invoke("probe", { do: "environment" });

    expect(payload).toMatchObject({
      TABLE: "things",
      AWS_LAMBDA_FUNCTION_NAME: "probe",
      AWS_ACCESS_KEY_ID: "probe",
      _HANDLER: "index.handler",
    });
    expect(payload).not.toHaveProperty("HOME");
    expect(payload).not.toHaveProperty("VITEST");
  });

  it("answers with the error a handler throws, and goes on in the same process", async () => {
    define();
    const { error } = await host.invoke("probe", { do: "fail" });

    expect(error).toMatchObject({ errorType: "TypeError", errorMessage: "No luck." });
    expect(await host.invoke("probe", { do: "count" })).toMatchObject({ payload: 1, isCold: false });
  });

  it("tells of a module that cannot be loaded", async () => {
    define({ handler: "missing.handler" });

    expect((await host.invoke("probe", {})).error?.errorMessage).toMatch(/missing\.mjs/);
  });

  it("kills what exceeds its time; the next invocation is cold", async () => {
    define({ timeoutMs: 1_500 });
    await host.invoke("probe", { do: "count" });
    const { error } = await host.invoke("probe", { do: "hang" });

    expect(error?.errorType).toBe("Sandbox.Timedout");
    expect(error?.errorMessage).toMatch(/Task timed out after 1\.50 seconds/);
    expect(await host.invoke("probe", { do: "count" })).toMatchObject({ payload: 1, isCold: true });
  });

  it("stands still between invocations: what goes on after the answer does nothing until the next", async () => {
    define();
    const file = join(asset.dir, "background");
    await host.invoke("probe", { do: "background", file });
    const atReturn = existsSync(file) ? readFileSync(file, "utf8").length : 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const frozen = existsSync(file) ? readFileSync(file, "utf8").length : 0;
    await host.invoke("probe", { do: "pause", ms: 50 });

    expect(frozen).toBeLessThanOrEqual(atReturn + 1);
    expect(readFileSync(file, "utf8").length).toBeGreaterThan(frozen);
    rmSync(file);
  });

  it("runs functions in the time of the bench, with the deadline in it", async () => {
    define();
    clock.advance(3 * 60 * 60_000);
    const { payload } = await host.invoke("probe", { do: "time" });
    const { now, at, left } = payload as { now: number; at: string; left: number };

    expect(Math.abs(now - clock.now())).toBeLessThan(2_000);
    expect(Math.abs(Date.parse(at) - now)).toBeLessThan(2);
    expect(left).toBeGreaterThan(5_000);
    expect(left).toBeLessThanOrEqual(10_000);
  });

  it("starts as many processes as run at one time, up to what is reserved", async () => {
    define({ reservedConcurrency: 2 });
    const busy = [host.invoke("probe", { do: "pause", ms: 300 }), host.invoke("probe", { do: "pause", ms: 300 })];

    await expect(host.invoke("probe", { do: "count" })).rejects.toThrow("Rate Exceeded");
    await Promise.all(busy);
    expect(host.processes("probe")).toHaveLength(2);
  });

  it("repeats an asynchronous invocation twice, after one and two minutes, then gives it up", async () => {
    const file = join(asset.dir, "attempts");
    const failures: AsyncFailure[] = [];
    define({ asynchronous: { onFailure: (failure) => failures.push(failure) } });
    const event = { do: "fail", file };
    host.send("probe", event);
    const attempts: number[] = [];
    for (const ms of [59_000, 2_000, 121_000]) {
      await host.settled();
      clock.advance(ms);
      await host.settled();
      attempts.push(readFileSync(file, "utf8").length);
    }

    expect(attempts).toEqual([1, 2, 3]);
    expect(failures).toMatchObject([{ functionName: "probe", event, attempts: 3, error: { errorType: "TypeError" } }]);
    expect(host.retriesPending()).toBe(0);
    rmSync(file);
  });

  it("tells that a process was killed", async () => {
    define();
    await host.invoke("probe", { do: "count" });
    const running = host.invoke("probe", { do: "hang" });
    host.kill(host.processes("probe")[0]?.id ?? "");

    expect((await running).error?.errorType).toBe("Runtime.ExitError");
    expect(await host.invoke("probe", { do: "count" })).toMatchObject({ payload: 1, isCold: true });
  });
});
