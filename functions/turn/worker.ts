/** The engine's worker over a deployment's stores, with what the deployment's configuration adds. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { agentOptions, type ParkwayConfig } from "../../lib/config/index.js";
import type { EventHandler } from "../../lib/session/events.js";
import { DAY_MS } from "../../lib/session/index.js";
import type { EventBus } from "../../lib/session/ports.js";
import { createSecrets } from "../../lib/stores/secrets/index.js";
import { createWorker, type Worker } from "../../lib/worker.js";
import { type Environment, readDays } from "../shared/environment.js";
import type { Log } from "../shared/log.js";
import type { FunctionMetrics } from "../shared/metrics.js";
import { resolveReferences } from "../shared/references.js";
import type { DeployedStores } from "../shared/stores.js";

export interface WorkerOptions {
  stores: DeployedStores;
  bus: EventBus;
  env: Environment;
  log: Log;
  metrics: FunctionMetrics;
  /** Holds the authored workspace, and `parkway.config.mjs` if the deployment has a configuration. */
  rootDir: string;
  /** S-53: what of an invocation one step may take. */
  invocationLimitMs?: number;
}

/** @throws what secrets and the configuration throw */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { bus, env, log, metrics, rootDir } = options;
  const { sessions, files, doorbell } = options.stores;
  const [settings, config] = await Promise.all([resolveReferences(env, createSecrets()), loadConfig(rootDir)]);
  return createWorker({
    ...agentOptions(config, rootDir),
    stores: { sessions, files },
    env: settings,
    onEvent: warningsTo(log),
    host: { doorbell, bus, metrics, retention: retentionFrom(env), invocationLimitMs: options.invocationLimitMs },
  });
}

/**
 * Has the worker close with the execution environment: servers that run in it are to end by themselves. Lambda sends
 * the signal where an extension is registered.
 */
export function closingOn<W extends Pick<Worker, "close">>(
  environment: { once(event: "SIGTERM", listener: () => void): unknown; exit(code: number): void },
  worker: W,
): W {
  environment.once("SIGTERM", () => void worker.close().finally(() => environment.exit(0)));
  return worker;
}

/** S-81: absent days mean for ever. */
function retentionFrom(env: Environment): { finishedMs?: number; openMs?: number } {
  const finishedDays = readDays("PARKWAY_FINISHED_DAYS", env);
  const openDays = readDays("PARKWAY_OPEN_DAYS", env);
  return {
    ...(finishedDays !== undefined ? { finishedMs: finishedDays * DAY_MS } : {}),
    ...(openDays !== undefined ? { openMs: openDays * DAY_MS } : {}),
  };
}

/** It was checked when the asset was built. */
async function loadConfig(rootDir: string): Promise<ParkwayConfig> {
  const file = join(rootDir, "parkway.config.mjs");
  if (!existsSync(file)) return {};
  const { default: config } = (await import(pathToFileURL(file).href)) as { default: ParkwayConfig };
  return config;
}

/** Of a turn's events only warnings are logged: the others hold what was said and done, which the session's trail keeps. */
function warningsTo(log: Log): EventHandler {
  return (event) => {
    if (event.type !== "warning") return;
    log.warn(event.message, { scope: event.scope, ...(event.sessionId ? { sessionId: event.sessionId } : {}) });
  };
}
