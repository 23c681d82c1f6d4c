/** What agents and workers are made of: workflows composed when they are needed, and the host that their sessions run on. */
import { hostname } from "node:os";
import type { IntakeHost } from "../intake/index.js";
import { loadDotEnv } from "../models/index.js";
import { hidingExpired, LEASE_MS } from "../session/index.js";
import { systemClock } from "../stores/clock/index.js";
import { AgentClosedError } from "../turn/errors.js";
import type { GraphOptions, Host } from "../turn/types.js";
import { createComposer } from "./assembly.js";
import { createWorkflowEventEmitter } from "./event-emitter.js";
import type { OfferedTools } from "./offered-tools.js";
import type { AgentStores, RuntimeParams } from "./options.js";
import { createWorkflows, type Workflows } from "./workflows.js";

export interface Runtime {
  /** Null where nothing is read from a folder (H-28). */
  rootDir: string | null;
  workflows: Workflows;
  /** As the composer's: what governs an agent's own sessions; null for a worker. */
  own: string | null;
  /** The host over the stores, and the entrances' side of it. */
  over(stores: AgentStores): { host: Host; intake: IntakeHost };
  /** Work that `close` waits for. */
  watched<Result>(work: Promise<Result>): Promise<Result>;
  /** Aborts when the runtime closes. */
  closing: AbortSignal;
  mcp: Pick<OfferedTools, "checkServers" | "status" | "close">;
  /** Stops what is under way, which goes on when its session is worked on again, and ends worker threads and MCP servers. */
  close(): Promise<void>;
}

/** Composes no workflow yet, and opens no store. @throws for options that cannot be used (H-129) */
export async function createRuntime(params: RuntimeParams, { isAgent = false } = {}): Promise<Runtime> {
  const clock = params.host?.clock ?? systemClock;
  const emitter = createWorkflowEventEmitter(params.onEvent, { clock });
  const sandbox = params.sandboxRuntime ?? (await lazySandbox());
  const readEnv = (rootDir: string | null) =>
    params.env ?? (rootDir === null ? process.env : loadDotEnv(rootDir, process.env));
  const closing = new AbortController();
  const assembling = params.host?.signal;
  const signal = assembling ? AbortSignal.any([assembling, closing.signal]) : closing.signal;
  const composer = await createComposer(params, { readEnv, sandbox, emitter, isAgent, clock, signal });
  const workflows = createWorkflows(composer, emitter);
  const underWay = new Set<Promise<unknown>>();
  return {
    rootDir: composer.rootDir,
    workflows,
    own: composer.own,
    over(stores) {
      const host: Host = {
        store: hidingExpired(stores.sessions, clock),
        files: stores.files,
        doorbell: params.host?.doorbell ?? { ring: async () => {} },
        ...(params.host?.bus ? { bus: params.host.bus } : {}),
        ...(params.host?.retention ? { retention: params.host.retention } : {}),
        ...(params.host?.metrics ? { metrics: params.host.metrics } : {}),
        clock,
        emitter,
        owner: params.host?.owner ?? `${hostname()}/${process.pid}`,
        leaseMs: params.host?.leaseMs ?? LEASE_MS,
        ...(params.host?.invocationLimitMs !== undefined ? { invocationLimitMs: params.host.invocationLimitMs } : {}),
        closing: closing.signal,
        jitter: Math.random,
        graph: graphOptions(params),
        assemblyFor: (workflow, inherited) =>
          inherited ? workflows.child(workflow, inherited) : workflows.current(workflow),
        machineOf: workflows.machineOf,
      };
      const { store, files, doorbell, metrics } = host;
      const warn = (message: string) => emitter.emit({ type: "warning", scope: "session-path", message });
      const intake = { store, files, doorbell, clock, mounts: composer.mounts, warn, ...(metrics ? { metrics } : {}) };
      return { host, intake };
    },
    watched(work) {
      const settled: Promise<unknown> = work.then(
        () => underWay.delete(settled),
        () => underWay.delete(settled),
      );
      underWay.add(settled);
      return work;
    },
    closing: closing.signal,
    mcp: composer.tools,
    async close() {
      closing.abort(new AgentClosedError());
      await allWithin(underWay, CLOSING_MS);
      await Promise.all([composer.tools.close(), sandbox.close()]);
    },
  };
}

/** H-22. */
export function graphOptions({ store, name, description }: RuntimeParams): GraphOptions {
  return {
    ...(store !== undefined ? { store } : {}),
    ...(name !== undefined ? { name } : {}),
    ...(description !== undefined ? { description } : {}),
  };
}

/** How long closing waits for turns to give their sessions back; the lease frees what takes longer. */
const CLOSING_MS = 1_000;

async function allWithin(work: Iterable<Promise<unknown>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}

async function lazySandbox() {
  const { createSandbox } = await import("../sandbox/index.js");
  return createSandbox();
}
