/** The crash matrix with real processes: a worker is killed without notice at each of its store operations in turn. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentStores } from "../../lib/agent/options.js";
import { manualClock } from "../harness/clock.js";
import { temporaryFolder } from "../harness/temporary.js";
import type { Intercept } from "../harness/wrap-store.js";
import { openEmbedded } from "./embedded.js";
import { sampled } from "./sample.js";
import { REPOSITORY, SCENARIOS, type Scenario } from "./scenarios.js";
import { openAgent, PAUSE_MS, playSteps, resultOf, wrapped } from "./world.js";

const MINUTES = 60_000;
const PARALLEL = 2;
/** Longer than all waits of a scenario's provider together. */
const WAITED_MS = 60 * MINUTES;

describe("a worker process is killed at every store operation in turn", () => {
  it.each(SCENARIOS)(
    "S-33 S-103 $name ends as if nothing had happened",
    { timeout: 15 * MINUTES },
    async (scenario) => {
      const undisturbed = await playWhole(scenario);
      const points = Array.from({ length: undisturbed.ops }, (_, index) => index + 1).flatMap((at) =>
        (["before", "after"] as const).map((mode) => ({ at, mode })),
      );
      const kills = sampled(points, Number.POSITIVE_INFINITY);
      const total = kills.length;
      const different: string[] = [];
      const survived: number[] = [];

      await Promise.all(
        Array.from({ length: PARALLEL }, async () => {
          for (let kill = kills.shift(); kill; kill = kills.shift()) {
            const folder = temporaryFolder();
            if ((await runKilled(scenario, { ...kill, dir: folder.dir })) !== "SIGKILL") survived.push(kill.at);
            const result = await goOn(scenario, folder.dir);
            if (JSON.stringify(result) !== JSON.stringify(undisturbed.result)) {
              different.push(`${kill.mode} operation ${kill.at}`);
              if (different.length === 1) expect.soft(result).toEqual(undisturbed.result);
            }
            folder.remove();
          }
        }),
      );

      const killed = total - survived.length;
      console.info(`${scenario.name}: ${total} kill points, ${killed} killed, ${different.length} different`);
      // Calls that run at once may share a commit, so a run can have an operation or two less than another.
      expect(survived.filter((at) => at <= undisturbed.ops - 3)).toEqual([]);
      expect(different).toEqual([]);
    },
  );
});

/** The same over the embedded stores with nobody killed; counts the operations. */
async function playWhole(scenario: Scenario): Promise<{ ops: number; result: unknown }> {
  const folder = temporaryFolder();
  const stores = openEmbedded(folder.dir);
  let ops = 0;
  const count: Intercept = (_op, run) => {
    ops += 1;
    return run();
  };
  await play(scenario, { dir: folder.dir, stores, startAfterMs: 0, count });
  const result = await resultOf(scenario, { stores, dir: folder.dir });
  await stores.sessions.close();
  folder.remove();
  return { ops, result };
}

/** Another process's worth of work after the first one was killed: only the stores are shared. */
async function goOn(scenario: Scenario, dir: string): Promise<unknown> {
  const stores = openEmbedded(dir);
  // Time goes on: a provider's waits had moved the killed process's clock, and what they left is for later than they began.
  await play(scenario, { dir, stores, startAfterMs: scenario.provider ? WAITED_MS : PAUSE_MS });
  const result = await resultOf(scenario, { stores, dir });
  await stores.sessions.close();
  return result;
}

async function play(
  scenario: Scenario,
  given: { dir: string; stores: AgentStores; startAfterMs: number; count?: Intercept },
): Promise<void> {
  const clock = manualClock();
  clock.advance(given.startAfterMs);
  const stores = given.count ? wrapped(given.stores, given.count) : given.stores;
  const agent = await openAgent(scenario, { clock, dir: given.dir, stores });
  await playSteps(scenario, {
    stores: given.stores,
    clock,
    leg: {},
    attempt: async (work) => {
      await work(agent);
    },
  });
}

function runKilled(
  scenario: Scenario,
  kill: { at: number; mode: "before" | "after"; dir: string },
): Promise<NodeJS.Signals | null> {
  const worker = join(import.meta.dirname, "killed.worker.ts");
  const child = spawn(process.execPath, ["--import", "tsx", worker, JSON.stringify({ name: scenario.name, ...kill })], {
    cwd: REPOSITORY,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal)));
}
