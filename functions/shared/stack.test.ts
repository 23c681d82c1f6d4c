import { afterEach, expect, it, vi } from "vitest";
import { instruments, lambdaContext, type Printed, printed } from "../../test/functions/support.js";
import { stack } from "./stack.js";

let output: Printed | undefined;
afterEach(() => {
  output?.text();
  vi.unstubAllEnvs();
});

it("F-101 F-72 lets an error leave without its text, so that the platform prints none", async () => {
  output = printed();
  const handler = await stack(async () => {
    throw new Error("visitor Ada Lovelace");
  }, instruments("probe"));

  const error = (await handler({}, lambdaContext()).catch((thrown: unknown) => thrown)) as Error;
  const text = output.text();

  expect(error).toMatchObject({ name: "InvocationFailedError", failure: "Error" });
  expect([error.message, error.stack, String(error.cause), text].join()).not.toContain("Lovelace");
  expect(text).toContain('"error":"Error"');
});

it("N-41 logs no event, even where the environment asks for it", async () => {
  vi.stubEnv("POWERTOOLS_LOGGER_LOG_EVENT", "true");
  output = printed();
  const own = instruments("probe");
  const handler = await stack(async () => own.log.info("Done."), own);

  await handler({ body: "Ada Lovelace" }, lambdaContext());

  const text = output.text();
  expect(text).toContain('"function_request_id":"6f0d1c4e-7a41-4d3c-9a55-0c5f3c1a2b3d"');
  expect(text).not.toContain("Lovelace");
});

it("F-76 S-102 writes figures before an error leaves too, and nothing where nothing was counted", async () => {
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "parkway/test");
  output = printed();
  const own = instruments("probe");
  const quiet = await stack(async () => {}, own);
  await quiet({}, lambdaContext());
  const failing = await stack(async () => {
    own.metrics.tell("wakeLateness", 12);
    throw new Error("later");
  }, own);
  await failing({}, lambdaContext()).catch(() => undefined);

  const figures = output.lines().filter((line) => "_aws" in line);

  expect(figures).toHaveLength(1);
  expect(figures[0]).toMatchObject({ wakeLateness: 12 });
});

it("runs with the tracer where the deployment traces", async () => {
  vi.stubEnv("POWERTOOLS_TRACE_ENABLED", "true");
  output = printed();
  const own = instruments("probe", { POWERTOOLS_TRACE_ENABLED: "true" });
  const handler = await stack(async () => "done", own);

  expect(await handler({}, lambdaContext())).toBe("done");
});
