/** What every agent has beside its turns (H-44). */
import { emitRunArtifacts } from "../artifacts/index.js";
import { type IntakeHost, parsedSessionId } from "../intake/index.js";
import { runtimeContractOf } from "../machine/index.js";
import { SessionStoreCapabilityError } from "../session/errors.js";
import { specPath } from "../spec/index.js";
import type { SessionStore } from "../stores/bundles/index.js";
import type { Assembly, Host } from "../turn/types.js";
import { workSession } from "../turn/worker.js";
import { PACKAGE_VERSION } from "../version.js";
import { invocation, resultOf } from "./invoke.js";
import type { RuntimeParams } from "./options.js";
import type { Runtime } from "./runtime.js";
import { createSessions } from "./sessions.js";
import { createStreams } from "./streams.js";
import type { Thread } from "./thread.js";
import type { Turns } from "./turns.js";
import type { AgentMembers } from "./types.js";
import { wakeDue } from "./wake.js";

/** The name by which a middleware is known to answer calls in place of tools (H-46). */
const TOOL_MOCKS = "ToolMockMiddleware";

export function createMembers(
  {
    runtime,
    params,
    kept,
  }: {
    runtime: Runtime;
    params: Pick<RuntimeParams, "middleware">;
    /** What the ports are of, where that may lack something; null where they were given one by one. */
    kept: Pick<SessionStore, "kind" | "capabilities"> | null;
  },
  ports: { host: Host; intake: IntakeHost },
  given: { assembly: Assembly; turns: Turns },
): Omit<AgentMembers, "close" | "withConfig" | keyof Thread> {
  const { host, intake } = ports;
  const { assembly, turns } = given;
  const sessions = createSessions(intake, assembly);

  /** A turn takes its sandbox and its checkpoints with it when it ends; what is left is what a store keeps. */
  async function dispose(id: string): Promise<void> {
    const sessionId = parsedSessionId(intake, id);
    await intake.store.forget?.(sessionId);
  }

  return {
    capabilities: {
      toolMocks: (params.middleware ?? []).some(({ name }) => name === TOOL_MOCKS),
      subWorkflows: !assembly.machine.plain,
    },
    runtimeContract: runtimeContractOf(assembly.machine.spec),
    invoke: async (input, config) => resultOf(await turns.run(...invocation(input, config))),
    ...createStreams(turns),
    accept: turns.accept,
    work: async (sessionId, options) => runtime.watched(workSession(host, parsedSessionId(intake, sessionId), options)),
    receipt: (arrivalId) => intake.store.receipt(arrivalId, host.clock.now()),
    sessions: {
      ...sessions,
      list: async (filter) => (kept && !kept.capabilities.list ? [] : sessions.list(filter)),
      async delete(sessionId, options) {
        parsedSessionId(intake, sessionId);
        if (kept && !kept.capabilities.delete) throw new SessionStoreCapabilityError(kept.kind, "delete");
        const existed = await sessions.delete(sessionId, options);
        await dispose(sessionId);
        return existed;
      },
    },
    wake: () => runtime.watched(wakeDue(host)),
    emitRunArtifacts: async (id, trajectory, { trail } = {}) =>
      emitRunArtifacts(
        {
          store: intake.store,
          files: host.files,
          packageVersion: PACKAGE_VERSION,
          machineOf: async (workflow) => (await runtime.workflows.current(workflow)).machine,
          warn: (message) => host.emitter.emit({ type: "warning", scope: "run-artifacts", message }, id),
        },
        parsedSessionId(intake, id),
        { trajectory, trail },
      ),
    async getSpecSnapshot(hash) {
      const bytes = await host.files.readShared(specPath(hash));
      return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
    },
    mcp: { status: runtime.mcp.status },
    dispose,
  };
}
