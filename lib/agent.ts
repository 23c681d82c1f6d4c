/** An agent: assembled once, working on any number of sessions (H-8, H-44…H-79). */
import { embeddedStore } from "./agent/embedded.js";
import { createMembers } from "./agent/members.js";
import { type CreateAgentParams, checkOptionKeys, type GovernedAgentParams } from "./agent/options.js";
import { createRuntime, graphOptions } from "./agent/runtime.js";
import { createThread } from "./agent/thread.js";
import { createTurns } from "./agent/turns.js";
import type { Agent, GovernedAgent, PlainAgent } from "./agent/types.js";
import { configurable } from "./agent/with-config.js";
import { createAgentWorkflow } from "./agent/workflow.js";
import { PLAIN_WORKFLOW } from "./machine/index.js";
import { portsOf } from "./stores/bundles/index.js";

/**
 * @example
 * const agent = await createAgent({ workflow: "desk" });
 * const outcome = await agent.workflow.send("ticket-1", { message: "Where is order 1001?" });
 *
 * @throws the errors of H-129's first row, before anything is written to the session store (H-9)
 */
export async function createAgent(params: GovernedAgentParams): Promise<GovernedAgent>;
export async function createAgent(params: CreateAgentParams & { workflow: false }): Promise<PlainAgent>;
export async function createAgent(params?: CreateAgentParams): Promise<Agent>;
export async function createAgent(params: CreateAgentParams = {}): Promise<Agent> {
  checkOptionKeys(params);
  const runtime = await createRuntime(params, { isAgent: true });
  const workflow = runtime.own ?? PLAIN_WORKFLOW;
  const current = () => runtime.workflows.current(workflow);
  // What assembly connected to does not outlive its failure.
  const disconnected = async (error: unknown) => {
    await runtime.mcp.close();
    throw error;
  };
  const assembly = await current().catch(disconnected);
  const kept = params.stores ? null : (params.workspace?.sessionStore ?? embeddedStore(runtime.rootDir ?? "."));
  const stores = params.stores ?? (await portsOf(kept!).catch(disconnected));
  const ports = runtime.over(stores);
  const turns = createTurns(runtime, ports, { workflow, assembly });
  const { sessionPath } = params;
  const own = {
    workflow: assembly.machine.plain
      ? undefined
      : createAgentWorkflow(turns, ports.intake, { workflow, assembly, current, sessionPath }),
    ...createMembers({ runtime, params, kept }, ports, { assembly, turns }),
    async close() {
      await runtime.close();
      // An embedded database opens again for whoever still uses the store; a client of a service would not.
      if (kept && kept.kind !== "aws") await stores.sessions.close();
    },
  };
  return configurable(own, createThread(ports.intake, graphOptions(params)));
}

export { workflowOfSession } from "./agent/embedded.js";
export { type ListMcpToolsOptions, listMcpTools } from "./agent/list-mcp-tools.js";
export type { LoopRunStatus } from "./agent/loop-status.js";
export type { CreateAgentParams, GovernedAgentParams } from "./agent/options.js";
export type {
  Agent,
  AgentCapabilities,
  AgentMembers,
  AgentWorkflow,
  DecisionInput,
  DeliveryInput,
  GovernedAgent,
  Loop,
  LoopRun,
  LoopRunOptions,
  PlainAgent,
  TurnConfig,
  TurnInput,
} from "./agent/types.js";
