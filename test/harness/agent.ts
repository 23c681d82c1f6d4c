/** An agent over a workspace written for one test, with a model server that answers as the test says. */
import {
  type Agent,
  type CreateAgentParams,
  createAgent,
  type GovernedAgent,
  type PlainAgent,
} from "../../lib/agent.js";
import { createSandbox } from "../../lib/sandbox/index.js";
import type { Sandbox } from "../../lib/sandbox/types.js";
import type { EngineEvent } from "../../lib/session/events.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../model-server/index.js";
import { type ManualClock, manualClock } from "./clock.js";
import { temporaryFolder, writeTree } from "./temporary.js";

export interface BenchOptions extends Partial<Omit<CreateAgentParams, "workflow">> {
  /** Text of `workflows/case/workflow.yaml`. */
  spec?: string;
  /** Further files of the workspace, by path: scripts as `workflows/case/scripts/x.js`, `AGENTS.md`, `skills/…`. */
  files?: Record<string, string>;
  /** What the model answers, in order, or by request. Without it no model is configured. */
  replies?: ModelServerOptions["replies"];
  answer?: ModelServerOptions["handler"];
  /** `case` unless given. */
  workflow?: string;
}

export interface Bench<A extends Agent = GovernedAgent> {
  agent: A;
  /** Every event so far; `clear` by `events.length = 0`. */
  events: EngineEvent[];
  /** Requests the model server got. */
  requests: ModelServer["requests"];
  clock: ManualClock;
  stores: NonNullable<CreateAgentParams["stores"]>;
  rootDir: string;
  /** A new agent that shares only the stores, the workspace and the model: another process. */
  again(options?: Partial<CreateAgentParams>): Promise<A>;
  close(): Promise<void>;
}

let sandbox: Sandbox | undefined;

/** One warm sandbox for all agents of a test file; each evaluation has a fresh engine all the same. */
export function sharedSandbox(): Sandbox {
  sandbox ??= createSandbox();
  const shared = sandbox;
  return { ...shared, close: async () => {} };
}

export async function aBench(options: BenchOptions = {}): Promise<Bench> {
  const { workflow = "case" } = options;
  return openBench(options, (params) => createAgent({ ...params, workflow }));
}

/** A bench whose agent is plain. */
export async function aPlainBench(options: Omit<BenchOptions, "workflow"> = {}): Promise<Bench<PlainAgent>> {
  return openBench(options, (params) => createAgent({ ...params, workflow: false }));
}

/** A bench over whatever `create` makes of the options. */
export async function openBench<A extends Agent>(
  options: BenchOptions,
  create: (params: CreateAgentParams) => Promise<A>,
): Promise<Bench<A>> {
  const { spec, files, replies, answer, workflow: _workflow, ...params } = options;
  const folder = params.workspace?.rootDir === undefined ? temporaryFolder() : null;
  const rootDir = folder?.dir ?? params.workspace?.rootDir ?? "";
  writeTree(rootDir, { ...(spec !== undefined ? { "workflows/case/workflow.yaml": spec } : {}), ...files });
  const server =
    replies || answer ? await startModelServer(answer ? { handler: answer } : { replies: replies ?? [] }) : null;
  const clock = manualClock();
  const stores = params.stores ?? { sessions: createMemorySessionStore(), files: createMemoryFileStore() };
  const events: EngineEvent[] = [];
  const agents: A[] = [];
  const env = server
    ? { ARCHMAX_API_BASE_URL: server.url, ARCHMAX_API_KEY: "test-key", ARCHMAX_MODEL: "test-model" }
    : {};
  const again = async (more: Partial<CreateAgentParams> = {}) => {
    const agent = await create({
      env,
      onEvent: (event) => events.push(event),
      sandboxRuntime: sharedSandbox(),
      ...params,
      ...more,
      workspace: { ...params.workspace, ...more.workspace, rootDir },
      stores: more.stores ?? stores,
      host: { clock, ...params.host, ...more.host },
    });
    agents.push(agent);
    return agent;
  };
  return {
    agent: await again(),
    events,
    requests: server?.requests ?? [],
    clock,
    stores,
    rootDir,
    again,
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await server?.close();
      folder?.remove();
    },
  };
}
