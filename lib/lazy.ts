/**
 * What needs the engine loads it when it is first called, so that importing the package stays cheap: LangGraph, LangChain
 * and the parsers are most of what a process would read.
 */
import type { embeddedStores as EmbeddedStores } from "./agent/embedded.js";
import type { listMcpTools as ListMcpTools } from "./agent/list-mcp-tools.js";
import type { createWorkspaceContext as CreateWorkspaceContext } from "./agent/workspace-context.js";
import type { createAgent as CreateAgent } from "./agent.js";
import type {
  createChatModel as CreateChatModel,
  createInProcessModel as CreateInProcessModel,
  scriptedModel as ScriptedModel,
} from "./models/index.js";
import type { createWorker as CreateWorker } from "./worker.js";
import type { validateWorkflow as ValidateWorkflow } from "./workspace/validate/index.js";

/**
 * An agent, assembled once and working on any number of sessions (H-8).
 *
 * @example
 * const agent = await createAgent({ workflow: "refund-desk" });
 * const outcome = await agent.workflow.send("ticket-1", { message: "Please refund order NL-204." });
 *
 * @throws {TypeError} for an option that there is none of, and the errors of H-129's first row; no model is called and
 *   nothing is written before (H-9)
 */
export const createAgent = (async (...given: Parameters<typeof CreateAgent>) =>
  (await import("./agent.js")).createAgent(...given)) as typeof CreateAgent;

/** A worker for the sessions of any workflow of a workspace (S-13). @throws for options that cannot be used (H-129) */
export const createWorker: typeof CreateWorker = async (params) => (await import("./worker.js")).createWorker(params);

/** Everything that can be found wrong with one workflow without running it (H-100). */
export const validateWorkflow: typeof ValidateWorkflow = async (...given) =>
  (await import("./workspace/validate/index.js")).validateWorkflow(...given);

/** The embedded stores of a workspace: SQLite and files under `<rootDir>/sessions` (H-88). */
export const embeddedStores: typeof EmbeddedStores = async (rootDir) =>
  (await import("./agent/embedded.js")).embeddedStores(rootDir);

/** Session areas, mounts and authored files, composed as an agent of the same options has them (H-130). */
export const createWorkspaceContext: typeof CreateWorkspaceContext = async (options) =>
  (await import("./agent/workspace-context.js")).createWorkspaceContext(options);

/** What MCP servers offer, as they describe it, with the status of each. @throws {InvalidMcpConfigError} */
export const listMcpTools: typeof ListMcpTools = async (...given) =>
  (await import("./agent/list-mcp-tools.js")).listMcpTools(...given);

/** A client for any OpenAI-compatible endpoint, for Bedrock, or a script in its place (H-16, H-133). */
export const createChatModel: typeof CreateChatModel = async (...given) =>
  (await import("./models/index.js")).createChatModel(...given);

/** A chat model without endpoint or key, whose answers a function makes. */
export const createInProcessModel: typeof CreateInProcessModel = async (options) =>
  (await import("./models/index.js")).createInProcessModel(options);

/** An in-process model that answers step by step, and records the requests it got. */
export const scriptedModel: typeof ScriptedModel = async (steps) =>
  (await import("./models/index.js")).scriptedModel(steps);
