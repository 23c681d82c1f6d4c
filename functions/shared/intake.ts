/** The entrances' side of the engine over a deployment's stores. Loads no model library (F-78). */
import { createIntake, createIntakeWorkflows, type Intake } from "../../lib/intake/index.js";
import { systemClock } from "../../lib/stores/clock/index.js";
import type { Log } from "./log.js";
import type { FunctionMetrics } from "./metrics.js";
import type { DeployedStores } from "./stores.js";

export interface IntakeOptions {
  stores: DeployedStores;
  log: Log;
  metrics: FunctionMetrics;
  /** Holds `workflows/`, which never change in a deployment. */
  rootDir: string;
  /** Names of the mounts that the deployment declares. */
  mounts?: readonly string[];
}

export function openIntake({ stores, log, metrics, rootDir, mounts }: IntakeOptions): Intake {
  const { sessions: store, files, doorbell } = stores;
  const warn = (message: string) => log.warn(message);
  const host = { store, files, doorbell, clock: systemClock, metrics, mounts, warn };
  return createIntake(host, createIntakeWorkflows({ rootDir, immutable: true, warn }));
}
