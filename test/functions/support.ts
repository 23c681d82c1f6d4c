/** What a function is invoked with, and what it logs. */
import type { Context } from "aws-lambda";
import { type MockInstance, vi } from "vitest";
import { createLogger, logOf } from "../../functions/shared/log.js";
import { createMetrics } from "../../functions/shared/metrics.js";

export function lambdaContext(remainingMs = 900_000): Context {
  return {
    awsRequestId: "6f0d1c4e-7a41-4d3c-9a55-0c5f3c1a2b3d",
    functionName: "parkway-function",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:parkway-function",
    memoryLimitInMB: "512",
    callbackWaitsForEmptyEventLoop: true,
    logGroupName: "parkway",
    logStreamName: "stream",
    getRemainingTimeInMillis: () => remainingMs,
    done() {},
    fail() {},
    succeed() {},
  };
}

export function instruments(name: string, env: Record<string, string> = {}) {
  const logger = createLogger(name);
  return { logger, log: logOf(logger), metrics: createMetrics(), env };
}

export interface Printed {
  /** Every line written since, as JSON. */
  lines(): Record<string, unknown>[];
  text(): string;
}

/** Keeps what a function prints from the test's own output. */
export function printed(): Printed {
  const written: string[] = [];
  const keep = (chunk: unknown) => {
    written.push(String(chunk));
    return true;
  };
  const spies: MockInstance[] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(keep as never),
  );
  const text = () => {
    for (const spy of spies) spy.mockRestore();
    return written.join("");
  };
  return {
    text,
    lines: () =>
      text()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
