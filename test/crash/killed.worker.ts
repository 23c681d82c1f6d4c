/** A process that plays a scenario over the embedded stores and is killed at one of its store operations. */
import { manualClock } from "../harness/clock.js";
import type { Intercept } from "../harness/wrap-store.js";
import { openEmbedded } from "./embedded.js";
import { SCENARIOS } from "./scenarios.js";
import { openAgent, playSteps, wrapped } from "./world.js";

const { name, dir, at, mode } = JSON.parse(process.argv[2] ?? "{}") as {
  name: string;
  dir: string;
  at: number;
  mode: "before" | "after";
};
const scenario = SCENARIOS.find((candidate) => candidate.name === name)!;
let count = 0;
const die = () => process.kill(process.pid, "SIGKILL");
const intercept: Intercept = async (_op, run) => {
  count += 1;
  // Operations may run at once, so the count goes on while this one does.
  const isTheOne = count === at;
  if (isTheOne && mode === "before") die();
  const result = await run();
  if (isTheOne && mode === "after") die();
  return result;
};
const clock = manualClock();
const stores = openEmbedded(dir);
const agent = await openAgent(scenario, { clock, dir, stores: wrapped(stores, intercept) });
await playSteps(scenario, {
  stores,
  clock,
  leg: {},
  attempt: async (work) => {
    await work(agent);
  },
});
process.exit(0);
