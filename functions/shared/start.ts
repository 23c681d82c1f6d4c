/** What the functions' entry files share: where the asset lies, and their log and metrics. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Deployment } from "../../lib/config/deployment.js";
import { createLogger, logOf } from "./log.js";
import { createMetrics } from "./metrics.js";

/** The folder of the bundled function: the workspace's root too. */
export const ASSET = import.meta.dirname;

/** What the deployment says of its entrances; it was checked when the asset was built. */
export function readDeployment(asset: string): Deployment {
  return JSON.parse(readFileSync(join(asset, "deployment.json"), "utf8")) as Deployment;
}

export function instruments(functionName: string) {
  const logger = createLogger(functionName);
  return { logger, log: logOf(logger), metrics: createMetrics(), env: process.env };
}

/** The first call's result for all later ones; a failure is tried again by the next. */
export function once<Args extends unknown[], Value>(
  make: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let made: Promise<Value> | undefined;
  return (...args) => {
    made ??= make(...args);
    made.catch(() => {
      made = undefined;
    });
    return made;
  };
}
