import { expect, it } from "vitest";
import { describeDeployment } from "./describe-deployment.js";
import { oneStepEach } from "./play/one-step-each.js";
import { play } from "./play/play.js";
import { SCENARIOS } from "./play/scenarios.js";

describeDeployment("a turn over several invocations", (deployment) => {
  it.each(SCENARIOS)(
    "S-50 S-51 F-18 $name, a step or two an invocation, ends as if it had run in one",
    { timeout: 60_000 },
    async (scenario) => {
      const { bench, client } = deployment;
      const whole = await play(bench, client, { scenario, run: deployment.nextRun() });
      const from = bench.host.output.length;
      const hurry = oneStepEach(bench);
      const cut = await play(bench, client, { scenario, run: deployment.nextRun() });
      const invocations = hurry.stop();
      const lines = bench.host.output.slice(from).map(({ line }) => line);
      const handOvers = lines.filter((line) => line.includes('"left":"handed-over"')).length;

      console.info(`${scenario.name}: ${invocations} invocations, ${handOvers} hand-overs`);
      expect(cut.result).toEqual(whole.result);
      expect(handOvers).toBeGreaterThanOrEqual(2);
    },
  );
});
