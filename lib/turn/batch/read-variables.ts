/** `archmax_get_variables`. */

import { shownVariables } from "../../session/outcome.js";
import type { SessionState } from "../../session/state.js";
import { ownVariable } from "../../session/variables.js";
import { resolveDottedPath } from "../../spec/index.js";

export function readVariables(
  state: SessionState,
  args: { name?: string; path?: string },
): { text: string; refusal?: string } {
  const name = args.name?.trim();
  const path = args.path?.trim();
  if (!name) return { text: JSON.stringify(shownVariables(state)) };
  const variable = ownVariable(state, name);
  if (!variable) {
    const set = Object.keys(state.variables).sort();
    return { text: `The variable "${name}" is not set. Set are: ${set.join(", ") || "none"}.`, refusal: "unset" };
  }
  if (!path) return { text: JSON.stringify({ value: variable.value, locked: variable.locked }) };
  const found = resolveDottedPath(`${name}.${path}`, { [name]: variable.value });
  if (found === undefined) {
    return { text: `The variable "${name}" has nothing at the path "${path}".`, refusal: "path-missing" };
  }
  return { text: JSON.stringify({ value: found }) };
}
