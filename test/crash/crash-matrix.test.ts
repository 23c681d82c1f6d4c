import { describe, expect, it } from "vitest";
import { sampled, TRIES_ALL } from "./sample.js";
import { SCENARIOS, type Scenario } from "./scenarios.js";
import { type Kill, type Mode, runScenario } from "./world.js";

const MODES: Mode[] = ["before", "after", "answer lost"];
const MINUTES = 60_000;

/** A scenario with children takes the modes in turns, one for each operation, unless every point is tried. */
function killsOf(scenario: Scenario, operations: number): Kill[] {
  return Array.from({ length: operations }, (_, index) => index).flatMap((index) => {
    const modes = scenario.modesInTurns && !TRIES_ALL ? [MODES[index % MODES.length]!] : MODES;
    return modes.map((mode) => ({ at: index + 1, mode }));
  });
}

describe("the world ends at every store operation in turn", () => {
  it.each(SCENARIOS)(
    "S-33 S-103 F-15 F-50 $name ends as if nothing had happened",
    { timeout: 4 * MINUTES },
    async (scenario) => {
      const undisturbed = await runScenario(scenario, null);
      const different: string[] = [];
      const tried = sampled(killsOf(scenario, undisturbed.ops.length), Number.POSITIVE_INFINITY);

      for (const kill of tried) {
        const ending = await runScenario(scenario, kill);
        if (JSON.stringify(ending.result) === JSON.stringify(undisturbed.result)) continue;
        different.push(`${kill.mode} operation ${kill.at} (${undisturbed.ops[kill.at - 1]})`);
        if (different.length === 1) expect.soft(ending.result).toEqual(undisturbed.result);
      }

      console.info(
        `${scenario.name}: ${undisturbed.ops.length} operations, ${tried.length} kill points, ${different.length} different`,
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
