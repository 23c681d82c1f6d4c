import { describe, expect, it } from "vitest";
import { SCENARIOS } from "./scenarios.js";
import { type Mode, runScenario } from "./world.js";

const MODES: Mode[] = ["before", "after", "answer lost"];
const MINUTES = 60_000;
/** A scenario with children takes the modes in turns in the ordinary run, one for each operation. */
const EVERY_MODE = process.env.PARKWAY_CRASH_POINTS === "all";

describe("the world ends at every store operation in turn", () => {
  it.each(SCENARIOS)(
    "S-33 S-103 F-15 F-50 $name ends as if nothing had happened",
    { timeout: 4 * MINUTES },
    async (scenario) => {
      const undisturbed = await runScenario(scenario, null);
      const different: string[] = [];
      let points = 0;

      for (const [index, op] of undisturbed.ops.entries()) {
        for (const mode of scenario.modesInTurns && !EVERY_MODE ? [MODES[index % MODES.length]!] : MODES) {
          points += 1;
          const ending = await runScenario(scenario, { at: index + 1, mode });
          if (JSON.stringify(ending.result) === JSON.stringify(undisturbed.result)) continue;
          different.push(`${mode} operation ${index + 1} (${op})`);
          if (different.length === 1) expect.soft(ending.result).toEqual(undisturbed.result);
        }
      }

      console.info(
        `${scenario.name}: ${undisturbed.ops.length} operations, ${points} kill points, ${different.length} different`,
      );
      expect(undisturbed.ops.length).toBeGreaterThan(10);
      expect(different).toEqual([]);
    },
  );
});

describe("a turn that is cut into one step per invocation", () => {
  it.each(SCENARIOS)("S-50 S-51 F-18 $name ends as if it had run in one", async (scenario) => {
    const whole = await runScenario(scenario, null);
    const cut = await runScenario(scenario, null, { drainAt: 0 });

    expect(cut.ops.filter((op) => op === "claim").length).toBeGreaterThan(
      whole.ops.filter((op) => op === "claim").length,
    );
    expect(cut.result).toEqual(whole.result);
  });
});
