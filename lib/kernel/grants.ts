/** The one source of grants that decides a tool in a state, the denials in force, and the controls (W-197…W-206). */
import { type Machine, type MachineState, stateOf } from "../machine/index.js";
import type { ToolEntry } from "../spec/types.js";
import { entryTool } from "./guards.js";
import {
  ALL_CONTROLS,
  AUTOMATED_CONTROLS,
  CONTROL_TOOLS,
  DEFAULT_TOOLS,
  NEVER_AUTOMATED,
  UNGRANTABLE,
} from "./names.js";
import type { GovernanceTables } from "./types.js";

export type GrantSource =
  | { from: "state"; entries: ToolEntry[] }
  | { from: "host" }
  | { from: "workflow"; entries: ToolEntry[] };

/** The source that decides (W-199, R-210), or null when nothing grants the tool. Controls have no grants (W-201). */
export function decidingSource(
  machine: Machine,
  tables: GovernanceTables,
  { state, tool }: { state: string; tool: string },
): GrantSource | null {
  const current = stateOf(machine, state);
  if (ALL_CONTROLS.includes(tool) || isUngrantable(current, tool)) return null;
  const own = naming(current?.spec.tools?.allow ?? [], tool);
  if (own.length > 0) return { from: "state", entries: own };
  if (tables.essentialTools.includes(tool)) return { from: "host" };
  const always = naming(workflowGrants(machine), tool);
  return always.length > 0 ? { from: "workflow", entries: always } : null;
}

/** `tools.allow_always`, or the default tools where it is absent (W-198). */
export function workflowGrants(machine: Machine): readonly ToolEntry[] {
  return machine.spec.tools?.allow_always ?? DEFAULT_TOOLS;
}

/** W-204, and for automated states W-78. */
export function isUngrantable(state: MachineState | null, tool: string): boolean {
  if (UNGRANTABLE.includes(tool)) return true;
  return state?.automated ? NEVER_AUTOMATED.includes(tool) : tool === "archmax_get_history";
}

/** The controls of a state (W-77, W-201, R-212). A human state's are those of an agent state. */
export function controlsOf(state: MachineState | null): readonly string[] {
  const controls = state?.automated ? AUTOMATED_CONTROLS : CONTROL_TOOLS;
  return state?.terminal ? controls.filter((tool) => tool !== "archmax_advance") : controls;
}

export interface DenialList {
  entries: readonly ToolEntry[];
  /** The workflow that declared it, or the state. */
  by: { workflow: string; inherited: boolean } | { state: string };
}

/** The lists that deny in every state, the outermost ancestor's first (W-206, R-181). */
export function workflowDenials(machine: Machine, tables: GovernanceTables): DenialList[] {
  return [
    ...tables.inherited.map(({ workflow, machine: ancestor }) => ({
      entries: ancestor.spec.tools?.forbid_always ?? [],
      by: { workflow, inherited: true },
    })),
    { entries: machine.spec.tools?.forbid_always ?? [], by: { workflow: machine.workflow, inherited: false } },
  ];
}

/** The list that denies while the state is active. */
export function stateDenials(machine: Machine, state: string): DenialList {
  return { entries: stateOf(machine, state)?.spec.tools?.forbid ?? [], by: { state } };
}

function naming(entries: readonly ToolEntry[], tool: string): ToolEntry[] {
  return entries.filter((entry) => entryTool(entry) === tool);
}
