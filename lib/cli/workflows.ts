/** Which workflow a command is about (C-60). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./errors.js";
import type { CommandContext } from "./types.js";

/** Slugs of the directories under `workflows/` that hold a workflow.yaml, sorted. */
export function listWorkflows(root: string): string[] {
  const folder = join(root, "workflows");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "workflow.yaml")))
    .map((entry) => entry.name)
    .sort();
}

/**
 * The workflow that was named, else the only one there is.
 *
 * @throws {UsageError} when a path was given for a name, or when it was left out and there is not exactly one
 */
export function chooseWorkflow(root: string, named: string | undefined, command: string): string {
  if (named?.includes("/")) {
    throw new UsageError(`give the workflow's name, such as "refund-desk", in place of the path ${named}`, command);
  }
  if (named !== undefined) return named;
  const workflows = listWorkflows(root);
  if (workflows.length === 1) return workflows[0]!;
  throw ambiguous(workflows, root, command);
}

/**
 * The workflow that was named, else the only one there is, else the one that the session follows.
 *
 * @throws {UsageError} when none of these says which
 */
export async function workflowOf(
  context: CommandContext,
  { named, sessionId }: { named: string | undefined; sessionId: string },
): Promise<string> {
  const { root, command, endpoint } = context;
  if (endpoint !== undefined) return named ?? workflowThere(context, sessionId);
  if (named !== undefined || listWorkflows(root).length === 1) return chooseWorkflow(root, named, command);
  const { workflowOfSession } = await import("../agent.js");
  return (await workflowOfSession(root, sessionId)) ?? chooseWorkflow(root, named, command);
}

/** A session of a deployed environment says itself which workflow it follows. */
async function workflowThere(context: CommandContext, sessionId: string): Promise<string> {
  const agent = await context.openAgent({ root: context.root, workflow: "" });
  return (await agent.sessions.get(sessionId))?.workflow ?? "";
}

/** For what concerns all sessions of a root: any workflow will do to open it. @throws {UsageError} when there is none */
export function anyWorkflow({ root, command, endpoint }: CommandContext, named: string | undefined): string {
  if (endpoint !== undefined) return named ?? "";
  return named ?? listWorkflows(root)[0] ?? chooseWorkflow(root, named, command);
}

/**
 * For `run` and `test`: the first word is the slug when a workflow of that name exists; with exactly one workflow it
 * belongs to the prompt, or is the filter, otherwise.
 *
 * @throws {UsageError} when neither holds
 */
export function splitWorkflow(
  { root, command, endpoint }: Pick<CommandContext, "root" | "command" | "endpoint">,
  words: readonly string[],
): [string, string[]] {
  if (endpoint !== undefined) {
    const [workflow, ...prompt] = words;
    if (workflow === undefined) throw new UsageError("with --endpoint the first word is the workflow's name", command);
    return [workflow, prompt];
  }
  const workflows = listWorkflows(root);
  const [first, ...rest] = words;
  if (first !== undefined && workflows.includes(first)) return [first, rest];
  if (workflows.length === 1) return [workflows[0]!, [...words]];
  throw ambiguous(workflows, root, command);
}

function ambiguous(workflows: readonly string[], root: string, command: string): UsageError {
  return new UsageError(
    workflows.length === 0
      ? `there is no workflow in ${join(root, "workflows")}; name the workspace with --root`
      : `say which workflow: ${workflows.join(", ")}`,
    command,
  );
}
