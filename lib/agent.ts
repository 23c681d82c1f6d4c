/** An agent that follows one workflow: assembled once, working on any number of sessions (H-8, H-44…H-79). */
import { hostname } from "node:os";
import { resolve } from "node:path";
import { createComposer } from "./agent/assembly.js";
import { acceptArrival, seeThrough } from "./agent/drive.js";
import { embeddedStores } from "./agent/embedded.js";
import { type CreateAgentParams, checkOptionKeys } from "./agent/options.js";
import { parsedSessionId, resolveSession, type SessionResolution } from "./agent/resolve-session.js";
import { createSessions, type Sessions } from "./agent/sessions.js";
import { checkInput, type FileInput, storeFiles } from "./agent/turn-input.js";
import { wakeDue } from "./agent/wake.js";
import { createWorkflows } from "./agent/workflows.js";
import type { Machine } from "./machine/types.js";
import { loadDotEnv } from "./models/index.js";
import type { ArrivalInput, ArrivalSource, Receipt } from "./session/arrival.js";
import { UnknownTriggerError } from "./session/errors.js";
import { renderEventLine } from "./session/event-line.js";
import type { EngineEvent } from "./session/events.js";
import { LEASE_MS } from "./session/index.js";
import type { Outcome } from "./session/outcome.js";
import { systemClock } from "./stores/clock/index.js";
import { createEmitter } from "./turn/emitter.js";
import { AgentClosedError } from "./turn/errors.js";
import type { Host, LegOptions } from "./turn/types.js";
import { type WorkReport, workSession } from "./turn/worker.js";

export interface TurnInput {
  message?: string;
  trigger?: { id: string };
  variables?: Record<string, unknown>;
  files?: Record<string, FileInput>;
}

export interface DecisionInput {
  target: string;
  comment?: string;
  /** The park record the decision is for (H-62). */
  park?: string;
  seq?: number;
  /** Who decides, and through which surface. */
  decidedBy?: string;
}

export interface DeliveryInput {
  trigger: { id: string };
  variables?: Record<string, unknown>;
  message?: string;
}

export interface TurnConfig extends LegOptions {
  /** The caller's idempotency key: the same key is the same input (S-3). */
  idempotencyKey?: string;
}

export interface Agent {
  workflow: {
    name: string;
    machine: Machine;
    /** The trigger and where it enters; the default trigger unless one is named. @throws {UnknownTriggerError} */
    resolveTrigger(trigger?: string): { id: string; state: string };
    send(
      sessionId: string,
      input: TurnInput | { decision: DecisionInput } | { delivery: DeliveryInput },
      config?: TurnConfig,
    ): Promise<Outcome>;
    decide(sessionId: string, decision: DecisionInput, config?: TurnConfig): Promise<Outcome>;
    reply(sessionId: string, message: string, config?: TurnConfig): Promise<Outcome>;
    deliver(sessionId: string, delivery: DeliveryInput, config?: TurnConfig): Promise<Outcome>;
    resolveSession(firing: {
      trigger?: string;
      variables?: Record<string, unknown>;
      sessionId?: string;
      sessionPath?: string;
    }): Promise<SessionResolution>;
  };
  /**
   * Accepts an input without waiting for it: once this returns, the input is processed exactly once, whatever crashes
   * (S-1). The same key again answers with the first arrival's receipt.
   */
  accept(sessionId: string, input: ArrivalInput, options?: { source?: ArrivalSource; key?: string }): Promise<Receipt>;
  /** Works on a session until nothing is left to do there (S-22, S-25). */
  work(sessionId: string, options?: LegOptions): Promise<WorkReport>;
  receipt(arrivalId: string): Promise<Receipt | null>;
  sessions: Sessions;
  /** One sweep: what is due now is woken (S-59). */
  wake(): Promise<{ due: number; woken: number }>;
  /** H-53. */
  getSpecSnapshot(hash: string): Promise<unknown>;
  /**
   * Stops what is under way, which goes on when its session is worked on again, ends worker threads and closes the
   * embedded store.
   */
  close(): Promise<void>;
}

/** @throws the errors of H-129's first row, before anything is written to the session store (H-9) */
export async function createAgent(params: CreateAgentParams): Promise<Agent> {
  checkOptionKeys(params);
  const rootDir = resolve(params.workspace?.rootDir ?? ".");
  const env = params.env ?? loadDotEnv(rootDir, process.env);
  const clock = params.host?.clock ?? systemClock;
  const emitter = createEmitter({
    clock,
    onEvent: params.onEvent ?? printEvent,
    onHandlerError: (error) =>
      process.emitWarning(`An event handler threw: ${error instanceof Error ? error.message : String(error)}`),
  });
  const sandbox = params.sandboxRuntime ?? (await lazySandbox());
  const composer = await createComposer(params, { rootDir, env, sandbox, emitter });
  const workflows = createWorkflows(composer, emitter);
  const assembly = await workflows.current(params.workflow);
  const stores = params.stores ?? (await embeddedStores(rootDir));
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const host: Host = {
    store: stores.sessions,
    files: stores.files,
    doorbell: params.host?.doorbell ?? { ring: async () => {} },
    ...(params.host?.bus ? { bus: params.host.bus } : {}),
    clock,
    emitter,
    owner: params.host?.owner ?? `${hostname()}/${process.pid}`,
    leaseMs: params.host?.leaseMs ?? LEASE_MS,
    closing: closing.signal,
    jitter: Math.random,
    assemblyFor: (workflow) => workflows.current(workflow),
  };

  async function run(id: string, input: ArrivalInput, config: TurnConfig = {}): Promise<Outcome> {
    const { idempotencyKey, ...options } = config;
    options.signal?.throwIfAborted();
    closing.signal.throwIfAborted();
    const sessionId = parsedSessionId(assembly, id);
    const current = await workflows.current(params.workflow);
    await checkInput(host, current, { sessionId, input, repeats: idempotencyKey !== undefined });
    const receipt = await acceptArrival(host, {
      sessionId,
      workflow: params.workflow,
      input,
      source: "api",
      ...(idempotencyKey !== undefined ? { key: idempotencyKey } : {}),
    });
    return watched(seeThrough(host, receipt, options));
  }

  function watched<Result>(work: Promise<Result>): Promise<Result> {
    const settled: Promise<unknown> = work.then(
      () => underWay.delete(settled),
      () => underWay.delete(settled),
    );
    underWay.add(settled);
    return work;
  }

  const decide = (sessionId: string, decision: DecisionInput, config?: TurnConfig) =>
    run(sessionId, { kind: "decision", ...decision }, config);
  const deliver = (sessionId: string, delivery: DeliveryInput, config?: TurnConfig) =>
    run(sessionId, { ...delivery, kind: "delivery", trigger: delivery.trigger?.id ?? "" }, config);

  return {
    workflow: {
      name: params.workflow,
      machine: assembly.machine,
      resolveTrigger(id = assembly.defaultTrigger) {
        const declared = assembly.machine.triggers.get(id);
        if (!declared) throw new UnknownTriggerError(id, [...assembly.machine.triggers.keys()]);
        return { id, state: declared.state };
      },
      async send(sessionId, input, config) {
        if ("decision" in input) return decide(sessionId, input.decision, config);
        if ("delivery" in input) return deliver(sessionId, input.delivery, config);
        const { message, trigger, variables } = input;
        const files = await storeFiles(host, {
          sessionId: parsedSessionId(assembly, sessionId),
          input,
          repeats: config?.idempotencyKey !== undefined,
        });
        return run(
          sessionId,
          {
            kind: "turn",
            ...(message !== undefined ? { message } : {}),
            ...(trigger !== undefined ? { trigger: trigger.id } : {}),
            ...(variables !== undefined ? { variables } : {}),
            ...(files ? { files } : {}),
          },
          config,
        );
      },
      decide,
      reply: (sessionId, message, config) => run(sessionId, { kind: "reply", message }, config),
      deliver,
      resolveSession: async (firing) =>
        resolveSession(host, await workflows.current(params.workflow), {
          ...firing,
          ...(params.sessionPath ? { assemblyPath: params.sessionPath } : {}),
        }),
    },
    async accept(id, input, { source = "api", key } = {}) {
      const sessionId = parsedSessionId(assembly, id);
      await checkInput(host, assembly, { sessionId, input, repeats: true });
      return acceptArrival(host, {
        sessionId,
        workflow: params.workflow,
        input,
        source,
        ...(key !== undefined ? { key } : {}),
      });
    },
    work: async (sessionId, options) => watched(workSession(host, parsedSessionId(assembly, sessionId), options)),
    receipt: (arrivalId) => stores.sessions.receipt(arrivalId, clock.now()),
    sessions: createSessions(host, assembly),
    wake: () => watched(wakeDue(host)),
    async getSpecSnapshot(hash) {
      const bytes = await stores.files.readShared(`_specs/${hash}.json`);
      return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
    },
    async close() {
      closing.abort(new AgentClosedError());
      await allWithin(underWay, CLOSING_MS);
      await sandbox.close();
      if (!params.stores) await stores.sessions.close();
    },
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

/** H-38: what happens to events that nobody subscribed to. */
function printEvent(event: EngineEvent): void {
  process.stderr.write(`${renderEventLine(event)}\n`);
}

async function lazySandbox() {
  const { createSandbox } = await import("./sandbox/index.js");
  return createSandbox();
}

export { workflowOfSession } from "./agent/embedded.js";
export type { CreateAgentParams } from "./agent/options.js";
