/**
 * What stands behind the entrances on one machine: the embedded stores, a doorbell and a bus in the process, a worker, and
 * a ticker that reads what is due from the store. What the functions do, these parts do by the same code (S-103).
 */
import {
  agentOptions,
  checkDeployment,
  type Deployment,
  deploymentOf,
  type ParkwayConfig,
  readTriggers,
} from "../config/index.js";
import {
  createIntake,
  createIntakeWorkflows,
  type Fired,
  fireEvent,
  fireSchedule,
  type Intake,
} from "../intake/index.js";
import type { EventHandler } from "../session/events.js";
import type { Clock } from "../session/ports.js";
import { systemClock } from "../stores/clock/index.js";
import { createWorker, embeddedStores, type Worker } from "../worker.js";
import { createLocalBus, type LocalBus } from "./bus.js";
import { createLocalDoorbell } from "./doorbell.js";
import { DeploymentError } from "./errors.js";
import type { Notice } from "./notices.js";
import { createSchedules } from "./schedules.js";
import { startTicker } from "./ticker.js";

/** How long a stop waits for turns to end by themselves; those that take longer go on at the next start (S-54). */
const DRAIN_MS = 10_000;

export interface LocalRuntimeParams {
  /** Holds `workflows/`; sessions are kept in `sessions/` beside it. */
  rootDir: string;
  config: ParkwayConfig;
  /** Settings of models (H-125). */
  env: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
  /** Told what happens. */
  tell(notice: Notice): void;
  onEvent?: EventHandler;
}

export interface LocalRuntime {
  deployment: Deployment;
  intake: Intake;
  bus: LocalBus;
  clock: Clock;
  /** Epoch milliseconds of each schedule's next firing; null where none is left. */
  schedules(): Readonly<Record<string, number | null>>;
  /** Looks for what is due now; by itself that happens every second. */
  tick(): Promise<void>;
  /** Resolves when no session is worked on. */
  idle(): Promise<void>;
  /** Lets what is under way end or give its session back, and closes the store. */
  close(): Promise<void>;
}

/** @throws {DeploymentError} @throws for options that agents cannot be made with (H-129) */
export async function createLocalRuntime(params: LocalRuntimeParams): Promise<LocalRuntime> {
  const { rootDir, config, env, tell, clock = systemClock } = params;
  const deployment = deploymentOf(config);
  const problems = checkDeployment(deployment, readTriggers(rootDir));
  if (problems.length > 0) throw new DeploymentError(problems);

  const stores = await embeddedStores(rootDir);
  const warn = (message: string) => tell({ kind: "warning", message });
  const doorbell = createLocalDoorbell({
    work,
    failed: (sessionId, error) => tell({ kind: "failure", doing: `working on ${sessionId}`, error }),
    clock,
  });
  const bus = createLocalBus({
    rules: deployment.events,
    fire: async (match) => tellFired(`event ${match.name}`, await fireEvent(intake, match)),
  });
  const intake = createIntake(
    { store: stores.sessions, files: stores.files, doorbell, clock, mounts: deployment.mountNames, warn },
    createIntakeWorkflows({ rootDir, warn }),
  );
  const worker: Worker = await createWorker({
    ...agentOptions(config, rootDir),
    stores,
    env,
    onEvent: (event) => {
      if (event.type === "warning") warn(event.message);
      params.onEvent?.(event);
    },
    host: { clock, doorbell, bus },
  });
  const schedules = createSchedules({
    schedules: deployment.schedules,
    since: clock.now(),
    fire: async (firing) => tellFired(`schedule ${firing.name}`, await fireSchedule(intake, firing)),
    failed: (name, error) => tell({ kind: "failure", doing: `firing the schedule ${name}`, error }),
  });
  const ticker = startTicker({
    store: stores.sessions,
    doorbell,
    schedules,
    clock,
    failed: (error) => tell({ kind: "failure", doing: "looking for what is due", error }),
  });

  async function work(sessionId: string): Promise<void> {
    const startedAt = clock.now();
    const { settled, left } = await worker.work(sessionId);
    for (const { outcome, error } of settled) {
      const durationMs = clock.now() - startedAt;
      tell({ kind: "turn", sessionId, durationMs, ...(outcome ? { outcome } : {}), ...(error ? { error } : {}) });
    }
    if (left === "delayed") tell({ kind: "delayed", sessionId });
  }

  function tellFired(what: string, fired: Fired): void {
    if (fired.kind === "kept") tell({ kind: "kept", what, reason: fired.letter.reason, id: fired.letter.id });
    else if (!fired.repeated) tell({ kind: "fired", what, sessionId: fired.receipt.sessionId });
  }

  return {
    deployment,
    intake,
    bus,
    clock,
    schedules: schedules.next,
    tick: ticker.tick,
    idle: doorbell.idle,
    async close() {
      await ticker.close();
      const drained = doorbell.close();
      await within(DRAIN_MS, clock, drained);
      await worker.close();
      await within(DRAIN_MS, clock, drained);
      await stores.sessions.close();
    },
  };
}

async function within(ms: number, clock: Clock, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(ms, done.signal)]);
  done.abort();
}
