/** What a deployment counts (S-102), per workflow. */
import { expect, it } from "vitest";
import { count, METRICS, type MetricName } from "../../lib/session/index.js";
import type { Metrics } from "../../lib/session/ports.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { anAccept, T0 } from "../harness/builders.js";
import { wrapStore } from "../harness/wrap-store.js";
import { benches, calls, says } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, WAITS } from "./workflows.js";

const open = benches();
const HOUR = 3_600_000;
const MESSAGE = { kind: "turn", message: "Go" } as const;

/** Sums by name; everything else of a count is checked as it comes. */
function someMetrics() {
  const sums: Record<string, number> = {};
  const metrics: Metrics = {
    count(name, value, dimensions) {
      expect(dimensions).toEqual({ workflow: "case" });
      expect(Object.keys(METRICS)).toContain(name);
      sums[name] = (sums[name] ?? 0) + value;
    },
  };
  /** The sums since the last look, step times and what is accepted left out. */
  const taken = (...without: MetricName[]) => {
    const now = Object.entries(sums).filter(([name]) => !["stepTime", "accepted", ...without].includes(name));
    for (const name of Object.keys(sums)) delete sums[name];
    return Object.fromEntries(now);
  };
  return { metrics, sums, taken };
}

it("S-102 counts attempts and what turns settle as", async () => {
  const { metrics, taken } = someMetrics();
  const bench = await open({
    spec: REVIEWED,
    replies: [toReview, says("Please."), says("Sent."), says("Never.")],
    host: { metrics },
  });

  await bench.agent.workflow.send("s1", { message: "Go" });
  expect(taken()).toEqual({ attempts: 1, settledParked: 1 });
  await bench.agent.workflow.decide("s1", { target: "send" });
  expect(taken()).toEqual({ attempts: 1, settledCompleted: 1 });

  await bench.agent.accept("s1", { kind: "delivery", trigger: "ordered" }, { source: "webhook" });
  await bench.agent.work("s1");
  expect(taken()).toEqual({ attempts: 1, settledRefused: 1 });

  await bench.agent.accept("s2", { ...MESSAGE, trigger: "ordered", variables: { title: "x" } });
  await bench.agent.accept("s2", MESSAGE);
  const stopped = new AbortController();
  stopped.abort(new Error("Enough."));
  await bench.agent.work("s2", { signal: stopped.signal });
  expect(taken()).toEqual({ attempts: 1, superseded: 1 });
});

it("S-102 counts failed and given up turns, and attempts that were none of the engine's ends", async () => {
  const { metrics, taken } = someMetrics();
  const bench = await open({ spec: ANSWERS, replies: [], host: { metrics } });
  await bench.agent.workflow.send("s1", { message: "Go" }).catch(() => undefined);
  expect(taken()).toEqual({ attempts: 1, settledFailed: 1 });

  await bench.agent.accept("s2", MESSAGE);
  for (let n = 0; n < 5; n += 1) {
    await bench.stores.sessions.claim("s2", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
    bench.clock.advance(60_001);
  }
  await bench.agent.work("s2");
  expect(taken()).toEqual({ attempts: 1, dead: 1 });
});

it("S-102 counts a session that cannot be read back as dead", async () => {
  const { metrics, sums } = someMetrics();
  const sessions = wrapStore(createMemorySessionStore(), async (op, run) => {
    const result = await run();
    if (op.name === "claim") (result as { thread?: unknown[] }).thread?.push({ key: "C", value: "" });
    return result;
  });
  const bench = await open({
    spec: ANSWERS,
    replies: [],
    host: { metrics },
    stores: { sessions, files: createMemoryFileStore() },
  });
  await sessions.accept(anAccept({ workflow: "case", acceptedAt: bench.clock.now() }));
  for (let n = 0; n < 6; n += 1) {
    await bench.agent.work("s1").catch(() => undefined);
    bench.clock.advance(HOUR);
  }
  expect(sums.dead).toBe(1);
});

it("S-102 measures how late a park is woken, and counts hand-overs", async () => {
  const { metrics, taken } = someMetrics();
  const wait = { text: "Later.", ...calls(["archmax_wait", { reason: "Not yet.", until: "1h" }]) };
  const bench = await open({
    spec: WAITS,
    replies: [wait, calls(["archmax_get_variables"]), says("Time.")],
    host: { metrics },
  });
  await bench.agent.workflow.send("s1", { message: "Go" });
  expect(taken()).toEqual({ attempts: 1, settledParked: 1 });

  bench.clock.advance(HOUR + 250);
  expect(await bench.agent.work("s1", { drainAt: 0 })).toMatchObject({ left: "handed-over" });
  expect(taken()).toEqual({ attempts: 1, wakeDelay: 250, handOvers: 1 });
  await bench.agent.work("s1");
  expect(taken()).toEqual({ attempts: 1, settledCompleted: 1 });
});

it("S-102 measures steps, and counts lost leases and calls whose outcome is unknown", async () => {
  const { metrics, sums, taken } = someMetrics();
  const sessions = createMemorySessionStore();
  let dies = true;
  const bench = await open({
    spec: "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay] } } }",
    tools: toolsFromMap({
      pay: {
        description: "Pays.",
        inputSchema: { type: "object" },
        handler: async () => {
          bench.clock.advance(70_000);
          if (!dies) return "paid";
          dies = false;
          await sessions.claim("s1", { owner: "thief", now: bench.clock.now(), leaseMs: 60_000 });
          return "paid";
        },
      },
    }),
    replies: [calls(["pay"]), says("end")],
    host: { metrics },
    stores: { sessions, files: createMemoryFileStore() },
  });
  await bench.agent.accept("s1", MESSAGE);

  expect(await bench.agent.work("s1")).toMatchObject({ left: "lost" });
  expect(sums.stepTime).toBe(70_000);
  expect(taken()).toEqual({ attempts: 1, leaseLosses: 1 });
  bench.clock.advance(HOUR);
  await bench.agent.work("s1");
  expect(taken()).toEqual({ attempts: 1, unknownOutcomes: 1, settledCompleted: 1 });
});

it("S-102 fails no turn where counting fails, and needs nothing to count with", async () => {
  const metrics: Metrics = {
    count: () => {
      throw new Error("No figures today.");
    },
  };
  const bench = await open({ spec: ANSWERS, answer: always("Yes."), host: { metrics } });
  expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
  expect(() => count(undefined, "accepted", "case", T0)).not.toThrow();
});
