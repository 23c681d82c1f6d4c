/** An agent that follows one workflow: assembled once, working on any number of sessions (H-8, H-44…H-79). */
import { seeThrough } from "./agent/drive.js";
import { embeddedStores } from "./agent/embedded.js";
import { type CreateAgentParams, checkOptionKeys } from "./agent/options.js";
import { createRuntime } from "./agent/runtime.js";
import { createSessions, type Sessions } from "./agent/sessions.js";
import { wakeDue } from "./agent/wake.js";
import { emitRunArtifacts, type GivenTrajectory } from "./artifacts/index.js";
import {
  acceptArrival,
  arrivalKey,
  type FileInput,
  firingInput,
  parsedSessionId,
  prepareInput,
  resolveSession,
  type SessionResolution,
} from "./intake/index.js";
import type { Machine } from "./machine/types.js";
import type { ArrivalInput, ArrivalSource, Receipt } from "./session/arrival.js";
import { UnknownTriggerError } from "./session/errors.js";
import type { Outcome } from "./session/outcome.js";
import type { TrailStep } from "./session/state.js";
import type { LegOptions } from "./turn/types.js";
import { type WorkReport, workSession } from "./turn/worker.js";
import { PACKAGE_VERSION } from "./version.js";

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
  /**
   * Writes the run's artifacts under `<sessionId>/artifacts/` and answers that directory; null, with a `warning`, when
   * that failed (H-107). Without a trajectory it is read from the checkpoint, with the whole session in it.
   */
  emitRunArtifacts(
    sessionId: string,
    trajectory?: GivenTrajectory,
    options?: { trail?: readonly TrailStep[] },
  ): Promise<string | null>;
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
  const runtime = await createRuntime(params);
  const { workflows, watched } = runtime;
  const assembly = await workflows.current(params.workflow);
  const stores = params.stores ?? (await embeddedStores(runtime.rootDir ?? "."));
  const { host, intake } = runtime.over(stores);
  const { clock } = host;

  async function run(
    id: string,
    given: { input: ArrivalInput; files?: TurnInput["files"] },
    config: TurnConfig = {},
  ): Promise<Outcome> {
    const { idempotencyKey: key, ...options } = config;
    options.signal?.throwIfAborted();
    runtime.closing.throwIfAborted();
    const sessionId = parsedSessionId(intake, id);
    const current = await workflows.current(params.workflow);
    // With a key it may be a repetition, whose answer the session's condition has no say in (S-3).
    const depth = key === undefined ? "session" : "shape";
    const arrival = arrivalKey({ source: "api", key });
    const input = await prepareInput(intake, current, { ...given, key: arrival, sessionId }, { depth });
    const { receipt } = await acceptArrival(intake, arrival, { sessionId, workflow: params.workflow, input });
    return watched(seeThrough(host, receipt, options));
  }

  const decide = (sessionId: string, decision: DecisionInput, config?: TurnConfig) =>
    run(sessionId, { input: { kind: "decision", ...decision } }, config);
  const deliver = (sessionId: string, delivery: DeliveryInput, config?: TurnConfig) =>
    run(sessionId, { input: { ...delivery, kind: "delivery", trigger: delivery.trigger?.id ?? "" } }, config);

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
        const { files, trigger, ...said } = input;
        return run(sessionId, { input: firingInput({ ...said, trigger: trigger?.id }), files }, config);
      },
      decide,
      reply: (sessionId, message, config) => run(sessionId, { input: { kind: "reply", message } }, config),
      deliver,
      resolveSession: async (firing) =>
        resolveSession(intake, await workflows.current(params.workflow), {
          ...firing,
          ...(params.sessionPath ? { assemblyPath: params.sessionPath } : {}),
        }),
    },
    async accept(id, given, { source = "api", key } = {}) {
      const sessionId = parsedSessionId(intake, id);
      const arrival = arrivalKey({ source, key });
      const incoming = { key: arrival, sessionId, input: given };
      const input = await prepareInput(intake, assembly, incoming, { depth: "shape" });
      return (await acceptArrival(intake, arrival, { sessionId, workflow: params.workflow, input })).receipt;
    },
    work: async (sessionId, options) => watched(workSession(host, parsedSessionId(intake, sessionId), options)),
    receipt: (arrivalId) => stores.sessions.receipt(arrivalId, clock.now()),
    sessions: createSessions(intake, assembly),
    wake: () => watched(wakeDue(host)),
    emitRunArtifacts: async (id, trajectory, { trail } = {}) =>
      emitRunArtifacts(
        {
          store: stores.sessions,
          files: stores.files,
          packageVersion: PACKAGE_VERSION,
          machineOf: async (workflow) => (await workflows.current(workflow)).machine,
          warn: (message) => host.emitter.emit({ type: "warning", scope: "run-artifacts", message }, id),
        },
        parsedSessionId(intake, id),
        { trajectory, trail },
      ),
    async getSpecSnapshot(hash) {
      const bytes = await stores.files.readShared(`_specs/${hash}.json`);
      return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
    },
    async close() {
      await runtime.close();
      if (!params.stores) await stores.sessions.close();
    },
  };
}

export { workflowOfSession } from "./agent/embedded.js";
export type { CreateAgentParams } from "./agent/options.js";
