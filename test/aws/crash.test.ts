/** The process of each function ends at each of its requests, on a deployment made of the synthesized template. */
import { expect, it } from "vitest";
import { describeDeployment } from "./describe-deployment.js";
import { type Ending, play, SERVICES } from "./play/play.js";
import { SCENARIOS } from "./play/scenarios.js";
import type { KillMode } from "./wire/wire.js";

const MODES: KillMode[] = ["before", "after", "answer lost"];
const MINUTES = 60_000;
/** Kill points tried of each scenario in the ordinary run; `PARKWAY_AWS_CRASH_POINTS` says how many, `Infinity` every one. */
const SAMPLE = Number(process.env.PARKWAY_AWS_CRASH_POINTS ?? 5);

interface Kill {
  service: (typeof SERVICES)[number];
  at: number;
  mode: KillMode;
}

describeDeployment("a function's process ends at a request", (deployment) => {
  it.each(SCENARIOS)(
    "S-33 S-45 S-1 F-15 $name ends as if nothing had happened, every effect once",
    { timeout: SAMPLE === Number.POSITIVE_INFINITY ? 30 * MINUTES : 5 * MINUTES },
    async (scenario) => {
      const { bench, client } = deployment;
      const run = () => play(bench, client, { scenario, run: deployment.nextRun() });
      // The first is cold, and makes requests that no later one does.
      await run();
      const undisturbed = await run();
      expect(undisturbed.result).toMatchObject({ state: { fields: { position: scenario.ends } } });
      const tried = sampleOf(killsFor(undisturbed));
      const different: string[] = [];
      const survived: string[] = [];

      for (const { service, at, mode } of tried) {
        const point = bench.wire.arm({ functionName: bench.functionName(service), at, mode });
        const ending = await run();
        const name = `${mode} ${service}'s request ${at} (${undisturbed.requests[service]?.[at - 1]})`;
        if (!point.hasFired()) survived.push(name);
        if (JSON.stringify(ending.result) === JSON.stringify(undisturbed.result)) continue;
        different.push(name);
        if (different.length === 1) expect.soft(ending.result).toEqual(undisturbed.result);
      }

      const counts = SERVICES.map((service) => `${service} ${undisturbed.requests[service]?.length ?? 0}`).join(", ");
      console.info(
        `${scenario.name}: requests: ${counts}; ${tried.length} of ${killsFor(undisturbed).length} kill points, ${different.length} different`,
      );
      expect(different).toEqual([]);
      expect(survived).toEqual([]);
    },
  );

  it.each(SCENARIOS)(
    "S-94 F-52 $name ends alike while services are busy, in conflict, or behind",
    { timeout: MINUTES },
    async (scenario) => {
      const { bench, client } = deployment;
      const run = () => play(bench, client, { scenario, run: deployment.nextRun() });
      const undisturbed = await run();
      const troubled = { times: Number.POSITIVE_INFINITY };
      const { faults } = bench.wire;
      faults.add({ ...troubled, service: "dynamodb", operation: "TransactWriteItems", every: 3, answer: "conflict" });
      faults.add({ ...troubled, service: "dynamodb", operation: "Query", every: 4, answer: "throttled" });
      faults.add({ ...troubled, service: "s3", every: 5, answer: "throttled" });
      faults.add({ ...troubled, service: "sqs", every: 2, answer: "unavailable" });
      faults.add({ ...troubled, service: "events", every: 2, answer: "throttled" });
      bench.wire.lagIndexes(300);
      const from = bench.wire.calls.length;
      const ending = await run();
      faults.clear();
      bench.wire.lagIndexes(0);
      const refused = bench.wire.calls.slice(from).filter(({ status }) => status >= 400).length;

      console.info(`${scenario.name}: ${refused} requests refused`);
      expect(refused).toBeGreaterThan(5);
      expect(ending.result).toEqual(undisturbed.result);
    },
  );
});

function killsFor({ requests }: Ending): Kill[] {
  return SERVICES.flatMap((service) =>
    (requests[service] ?? []).flatMap((_, index) => MODES.map((mode) => ({ service, at: index + 1, mode }))),
  );
}

function sampleOf(kills: Kill[]): Kill[] {
  const every = Math.max(1, kills.length / SAMPLE);
  return kills.filter((_, n) => n === 0 || Math.floor(n / every) > Math.floor((n - 1) / every));
}
