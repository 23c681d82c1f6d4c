import { expect, it } from "vitest";
import { tellMetric } from "./tell-metric.js";
import type { MetricEvent } from "./types.js";

const METRIC: MetricEvent = {
  event: "llm",
  status: "ok",
  ms: 1,
  inputTokens: 1,
  outputTokens: 1,
  state: "work",
  sessionId: "s",
  workflow: "w",
};

it.each([
  ["rejects", () => Promise.reject(new Error("sink down"))],
  [
    "throws",
    () => {
      throw new Error("sink down");
    },
  ],
])("A-44 a sink that %s is ignored after one warning, and goes on getting metrics", async (_how, fail) => {
  const warnings: string[] = [];
  let got = 0;
  const sink = () => {
    got += 1;
    return fail();
  };

  for (let n = 0; n < 3; n += 1) tellMetric(sink, METRIC, (message) => warnings.push(message));
  await new Promise(setImmediate);

  expect(warnings).toEqual(["onMetric failed, and its failures are ignored: sink down"]);
  expect(got).toBe(3);
});
