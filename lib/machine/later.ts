/** Features of the format that validate but that this engine does not run yet. */
import type { ToolEntry } from "../spec/types.js";
import type { Machine } from "./types.js";

export type LaterFeature = "archmax_eval" | "archmax_run";

export interface LaterUse {
  feature: LaterFeature;
  /** Absent for a list at the root. */
  state?: string;
  /** Dotted key path, as in a diagnostic. */
  where: string;
}

/** Every explicit use, root lists first, then states in document order. The implicit default tools are no use. */
export function usesLater(machine: Machine): LaterUse[] {
  const { spec } = machine;
  const uses: LaterUse[] = [...toolUses(spec.tools?.allow_always, "tools.allow_always")];
  for (const { slug, spec: state } of machine.states.values()) {
    const at = `states.${slug}`;
    const found: LaterUse[] = [...toolUses(state.tools?.allow, `${at}.tools.allow`)];
    uses.push(...found.map((use) => ({ ...use, state: slug })));
  }
  return uses;
}

function toolUses(entries: readonly ToolEntry[] | undefined, at: string): LaterUse[] {
  return (entries ?? []).flatMap((entry, index) => {
    const feature = toolFeature(typeof entry === "string" ? entry : entry.tool);
    return feature === null ? [] : [{ feature, where: `${at}.${index}` }];
  });
}

function toolFeature(tool: string): LaterFeature | null {
  return tool === "archmax_eval" || tool === "archmax_run" ? tool : null;
}
