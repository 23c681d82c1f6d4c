/** The workflows that a workflow may call, bound as tools when it is composed (R-172, H-26). */
import { loadMachine, workflowText } from "../intake/index.js";
import type { Machine } from "../machine/types.js";
import { MANUAL_TRIGGER, WORKFLOW_TOOL_PREFIX, workflowSlugFromToolName } from "../spec/index.js";
import type { ToolEntry } from "../spec/types.js";
import { delegationDefinition, type ToolDefinition } from "../tools/index.js";
import type { Authoring } from "../workspace/index.js";

/** Slugs that the grants name, root list first, then states in document order; each once. */
export function delegationTargets({ spec, states }: Machine): string[] {
  const granted: ToolEntry[] = [
    ...(spec.tools?.allow_always ?? []),
    ...[...states.values()].flatMap((state) => state.spec.tools?.allow ?? []),
  ];
  const slugs = granted.flatMap((entry) => {
    return workflowSlugFromToolName(typeof entry === "string" ? entry : entry.tool) ?? [];
  });
  return [...new Set(slugs)];
}

/**
 * One definition for each target. Of a target that cannot be called, the caller is composed all the same: `warn` names it.
 */
export async function delegationDefinitions(
  authoring: Authoring,
  machine: Machine,
  warn: (message: string) => void,
): Promise<ToolDefinition[]> {
  return Promise.all(
    delegationTargets(machine).map(async (target) => {
      const found = await loadMachine(authoring, target).catch((error: unknown) => messageOf(error));
      const manual = typeof found === "string" ? null : (found.triggers.get(MANUAL_TRIGGER)?.signature ?? null);
      if (manual === null) {
        const why = typeof found === "string" ? found : `It declares no trigger ${MANUAL_TRIGGER}.`;
        warn(`${machine.workflow} may call the workflow "${target}", which cannot be called: ${why}`);
      }
      const title = typeof found === "string" ? undefined : found.spec.title;
      return delegationDefinition(target, { ...(title ? { title } : {}), manual });
    }),
  );
}

/** Everything a composition is made from: its own text, and that of the workflows it names, whose signatures its tools show. */
export async function compositionText(authoring: Authoring, workflow: string): Promise<string> {
  const own = await workflowText(authoring, workflow);
  const named = new Set([...own.matchAll(NAMED)].map((match) => match[1]!));
  const others = await Promise.all([...named].sort().map((target) => authoring.readSpec(target)));
  return JSON.stringify([own, ...others]);
}

const NAMED = new RegExp(`${WORKFLOW_TOOL_PREFIX}([A-Za-z0-9_-]+)`, "g");

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
