/** A worker for the sessions of any workflow of a workspace: what a doorbell leads to (S-13, S-22). */
import { type AgentStores, type CreateAgentParams, checkOptionKeys } from "./agent/options.js";
import { createRuntime } from "./agent/runtime.js";
import { wakeDue } from "./agent/wake.js";
import { parsedSessionId } from "./intake/index.js";
import type { LegOptions } from "./turn/types.js";
import { type WorkReport, workSession } from "./turn/worker.js";

/**
 * The options of `createWorker`: those of `createAgent` without `workflow`, since a worker serves all of them, and with
 * `stores`, which are needed.
 */
export type CreateWorkerParams = Omit<CreateAgentParams, "workflow" | "stores"> & { stores: AgentStores };

/** Works on sessions as doorbells name them, whatever their workflow, and wakes what is due (S-13, S-59). */
export interface Worker {
  /**
   * Works on a session until nothing is left to do there (S-22, S-25), or until the options' time is over (S-50).
   *
   * @throws when the stores fail, and where the session's workflow cannot be loaded; the attempt is made again later
   */
  work(sessionId: string, options?: LegOptions): Promise<WorkReport>;
  /** One sweep: what is due now is woken (S-59). */
  wake(): Promise<{ due: number; woken: number }>;
  /** Stops what is under way, which goes on when its session is worked on again. The stores stay open. */
  close(): Promise<void>;
}

/** No workflow is composed before a session needs it. @throws for options that cannot be used (H-129) */
export async function createWorker(params: CreateWorkerParams): Promise<Worker> {
  checkOptionKeys(params, { of: "createWorker", but: ["workflow"] });
  const runtime = await createRuntime(params);
  runtime.mcp.checkServers();
  const { host, intake } = runtime.over(params.stores);
  return {
    work: async (sessionId, options) => runtime.watched(workSession(host, parsedSessionId(intake, sessionId), options)),
    wake: () => runtime.watched(wakeDue(host)),
    close: runtime.close,
  };
}

export { embeddedStores } from "./agent/embedded.js";
