/** The surface of a state: which tools a model or a script is given (W-207, W-208, R-219, R-226). */
import { type Machine, stateOf } from "../machine/index.js";
import { controlsOf, decidingSource, isUngrantable, stateDenials, workflowDenials } from "./grants.js";
import { entryTool, isBare } from "./guards.js";
import { ALL_CONTROLS, SANDBOX_TOOLS } from "./names.js";
import type { GovernanceTables } from "./types.js";

/**
 * The tools of a state, in registration order: granted ones and controls, minus those a denial without guards names. A
 * human state's are those of an agent state with the same grants. For a code state this is its script's `tools`.
 *
 * @param options.registered - every tool that exists in this assembly, delegation tools and controls included
 */
export function offeredTools(
  machine: Machine,
  tables: GovernanceTables,
  state: string,
  { registered }: { registered: readonly string[] },
): string[] {
  const current = stateOf(machine, state);
  const controls = controlsOf(current);
  const denied = bareDenials(machine, tables, state);
  return registered.filter((tool) => {
    if (denied.has(tool) || denied.has("*") || isUngrantable(current, tool)) return false;
    return controls.includes(tool) || decidingSource(machine, tables, { state, tool }) !== null;
  });
}

/** What `tools` holds in a script of `archmax_eval` or `archmax_run`: the state's tools without controls and sandbox tools. */
export function scriptTools(
  machine: Machine,
  tables: GovernanceTables,
  state: string,
  options: { registered: readonly string[] },
): string[] {
  const kept = [...ALL_CONTROLS, ...SANDBOX_TOOLS];
  return offeredTools(machine, tables, state, options).filter((tool) => !kept.includes(tool));
}

function bareDenials(machine: Machine, tables: GovernanceTables, state: string): Set<string> {
  const lists = [...workflowDenials(machine, tables), stateDenials(machine, state)];
  return new Set(lists.flatMap(({ entries }) => entries.filter(isBare).map(entryTool)));
}
