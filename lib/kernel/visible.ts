/** Which lines of a listing or a search a state may see (R-223, W-226, W-236, W-250, F-98). */
import type { Machine } from "../machine/index.js";
import { stateDenials, workflowDenials } from "./grants.js";
import { prepareEntry } from "./guards.js";
import { isReachable } from "./mounts.js";
import { pathsOf } from "./names.js";
import { canonicalPath, isGovernancePlane, mountOf, zoneOf } from "./paths.js";
import { enabledSkills, skillDenial, skillOf } from "./skills.js";
import type { GovernanceTables } from "./types.js";

export interface VisibilityRequest {
  state: string;
  /** The tool whose result is filtered. */
  tool: string;
  /** The call's other arguments, which a denial may be limited by. */
  args?: Record<string, unknown>;
  variables: Readonly<Record<string, unknown>>;
}

/** A test for many paths of one result; paths may be in any spelling. */
export function visibilityFilter(
  machine: Machine,
  tables: GovernanceTables,
  request: VisibilityRequest,
): (path: string) => boolean {
  const { state, tool, variables } = request;
  const enabled = enabledSkills(machine, tables, state);
  const hiddenMounts = new Set(
    tables.mounts.filter((mount) => !isReachable(machine, tables, { state, mount })).map(({ name }) => name),
  );
  const denials = [...workflowDenials(machine, tables), stateDenials(machine, state)]
    .flatMap(({ entries }) => entries.map((entry) => prepareEntry(entry, { kind: "denial", variables, tables })))
    .filter((entry) => entry.tool === "*" || entry.tool === tool);
  const inHiddenSkill = (path: string) => {
    const slug = skillOf(path, tables);
    if (slug === null || enabled.includes(slug)) return false;
    return tables.skills.includes(slug) || skillDenial(machine, tables, { state, slug }) !== null;
  };
  return (text) => {
    const { path, escapes } = canonicalPath(text);
    if (escapes || isGovernancePlane(path) || zoneOf(path, tables.mounts) === "internal") return false;
    if (inHiddenSkill(path)) return false;
    const mount = mountOf(path, tables.mounts);
    if (mount !== null && hiddenMounts.has(mount.name)) return false;
    const args = { ...request.args, ...pathArguments(tool, tables, path) };
    return !denials.some((entry) => entry.matches({ tool, args }));
  };
}

/** One path. A result with many of them is filtered with `visibilityFilter`. */
export function visiblePath(
  machine: Machine,
  tables: GovernanceTables,
  request: VisibilityRequest & { path: string },
): boolean {
  return visibilityFilter(machine, tables, request)(request.path);
}

/** The call as if it had been addressed at the path itself. */
function pathArguments(tool: string, tables: GovernanceTables, path: string): Record<string, string> {
  const declared = Object.keys(pathsOf(tool, tables.toolPaths) ?? { file_path: "read" });
  return Object.fromEntries(declared.map((argument) => [argument, path]));
}
