/** The agent that cases run on (C-53). */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Agent, CreateAgentParams, GovernedAgent } from "../agent.js";
import type { Sandbox } from "../sandbox/types.js";
import type { Backend } from "../workspace/index.js";
import { UngovernedTargetError } from "./errors.js";
import { createToolMockMiddleware } from "./mocks.js";
import type { TargetRequest } from "./types.js";

/**
 * Narrows an agent to one that cases can run on (C-53).
 *
 * @throws {UngovernedTargetError} for an agent without a workflow
 */
export function assertWorkflowGovernedTarget(target: Agent): asserts target is GovernedAgent {
  if (target.workflow === undefined) throw new UngovernedTargetError();
}

/** What the agent of `createCaseTarget` is made for and of (C-53). */
export interface CaseTargetRequest extends Omit<TargetRequest, "onEvent"> {
  onEvent?: TargetRequest["onEvent"];
  authoring?: Backend;
  sandboxRuntime?: Sandbox;
  env?: Record<string, string | undefined>;
}

/**
 * The agent that cases run on unless another is given (C-53): `createAgent` plus the mock middleware, without host tools
 * and without mounts of its own. Sessions are kept under `<rootDir>/sessions`, and in memory where nothing can be written
 * there or no root is given.
 */
export async function createCaseTarget({
  authoring,
  sandboxRuntime,
  env,
  ...request
}: CaseTargetRequest): Promise<GovernedAgent> {
  const { onEvent = () => {} } = request;
  return caseTargetWith({
    authoring,
    env,
    // It is the caller's, and outlives the target.
    ...(sandboxRuntime ? { sandboxRuntime: { ...sandboxRuntime, close: async () => {} } } : {}),
  })({ ...request, onEvent });
}

/**
 * What makes targets with the options of a deployment: its host tools, which cases may then mock, its mounts, its rules.
 * A run's or a case's own models win over `modelFactory` here.
 *
 * @example
 * runTests({ workflow, rootDir, createTarget: caseTargetWith(agentOptions(config, rootDir)) });
 */
export function caseTargetWith(
  options: Omit<CreateAgentParams, "workflow" | "onEvent">,
): (request: TargetRequest) => Promise<GovernedAgent> {
  return async ({ workflow, rootDir, onEvent, modelFactory }) => {
    const [{ createAgent }, sources] = await Promise.all([import("../agent.js"), sourcesOf(options, rootDir)]);
    return createAgent({
      ...options,
      ...sources,
      ...(modelFactory ? { model: undefined, modelFactory } : {}),
      middleware: [createToolMockMiddleware(), ...(options.middleware ?? [])],
      workflow,
      onEvent,
    });
  };
}

type Sources = Pick<CreateAgentParams, "workspace" | "stores">;

async function sourcesOf(options: Sources, rootDir: string | undefined): Promise<Sources> {
  const given: NonNullable<Sources["workspace"]> & { sessionStore?: unknown } = options.workspace ?? {};
  const root = given.rootDir ?? rootDir;
  const workspace = { ...given, ...(root === undefined ? {} : { rootDir: root }) };
  if (options.stores || given.sessionStore) return { workspace, stores: options.stores };
  if (root !== undefined && (await isWritable(root))) return { workspace };
  const { createMemorySessionStore, createMemoryFileStore } = await import("../stores/memory/index.js");
  return {
    workspace: root === undefined ? { ...workspace, mounts: given.mounts ?? {} } : workspace,
    stores: { sessions: createMemorySessionStore(), files: createMemoryFileStore() },
  };
}

/** Whether sessions can be kept under the root: judged by the nearest folder that is there. */
async function isWritable(root: string): Promise<boolean> {
  const folder = join(resolve(root), "sessions", ".parkway");
  for (let place = folder; ; place = dirname(place)) {
    const error = await access(place, constants.W_OK).then(
      () => null,
      (refused: NodeJS.ErrnoException) => refused,
    );
    if (error === null) return true;
    if (error.code !== "ENOENT" || place === dirname(place)) return false;
  }
}
