/** Any history of processes that end, of lost answers and of short invocations leads where the undisturbed run leads. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "./scenarios.js";
import { type Kill, runScenario } from "./world.js";

const LONG_RUNS = process.env.PARKWAY_PROPERTY_RUNS;
const RUNS = LONG_RUNS === undefined ? 4 : Math.max(1, Math.round(Number(LONG_RUNS) / 250));
/** The ordinary run is the same every time; a long one looks at new histories, and a failure names its seed. */
const SEED = LONG_RUNS === undefined ? { seed: 20_261_201 } : {};
const MINUTES = 60_000;

/** What is longer than one message and its calls: graders, scripts, children, people. */
const WITH = ["a grader", "scripts", "a child", "two children", "a script"];
const scenarios = SCENARIOS.filter(({ name }) => WITH.some((start) => name.startsWith(start)));

describe("a history of crashes and short invocations", () => {
  it.each(scenarios)(
    "S-33 S-34 S-38 S-43 S-50 S-103 F-15 $name does everything once, and ends as if nothing had happened",
    { timeout: 10 * MINUTES },
    async (scenario) => {
      const undisturbed = await runScenario(scenario, null);
      const kill: fc.Arbitrary<Kill> = fc.record({
        at: fc.integer({ min: 1, max: undisturbed.ops.length }),
        mode: fc.constantFrom("before", "after", "answer lost"),
      });
      let kills = 0;

      await fc.assert(
        fc.asyncProperty(fc.array(kill, { minLength: 1, maxLength: 5 }), fc.boolean(), async (history, isCut) => {
          kills += history.length;
          const ending = await runScenario(scenario, history, isCut ? { drainAt: 0 } : {});
          expect(ending.result).toEqual(undisturbed.result);
        }),
        { ...SEED, numRuns: RUNS, interruptAfterTimeLimit: 4 * MINUTES, markInterruptAsFailure: false },
      );

      console.info(`${scenario.name}: ${RUNS} histories with ${kills} ends`);
    },
  );
});
