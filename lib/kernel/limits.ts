/** The lines of `### Argument limits` (W-264 part 8, W-270). */
import { type Machine, stateOf } from "../machine/index.js";
import { referenceParts, resolveReference } from "../spec/index.js";
import type { ToolEntry } from "../spec/types.js";
import { decidingSource, stateDenials, workflowDenials, workflowGrants } from "./grants.js";
import { entryTool, isBare } from "./guards.js";
import type { GovernanceTables } from "./types.js";

/**
 * One line for each guarded grant that decides in the state, in the order written, the state's own first. A tool that is
 * also granted bare, or that a bare denial names, has no limits to state.
 */
export function argumentLimits(
  machine: Machine,
  tables: GovernanceTables,
  state: string,
  variables: Readonly<Record<string, unknown>>,
): string[] {
  const own = stateOf(machine, state)?.spec.tools?.allow ?? [];
  const tools = new Set([...own, ...workflowGrants(machine)].map(entryTool));
  return [...tools].flatMap((tool) => {
    const source = decidingSource(machine, tables, { state, tool });
    if (source === null || source.from === "host" || source.entries.some(isBare)) return [];
    if (isDenied(machine, tables, { state, tool })) return [];
    return source.entries.map((entry) => limitLine(entry, variables));
  });
}

function isDenied(
  machine: Machine,
  tables: GovernanceTables,
  { state, tool }: { state: string; tool: string },
): boolean {
  return [...workflowDenials(machine, tables), stateDenials(machine, state)].some(({ entries }) =>
    entries.some((entry) => isBare(entry) && [tool, "*"].includes(entryTool(entry))),
  );
}

function limitLine(entry: ToolEntry, variables: Readonly<Record<string, unknown>>): string {
  if (typeof entry === "string") return `- \`${entry}\``;
  const limits: [string, string | string[]][] =
    entry.paths === undefined ? Object.entries(entry.args ?? {}) : [["every path", entry.paths]];
  const texts = limits.map(([name, globs]) => {
    const shown = (Array.isArray(globs) ? globs : [globs]).map((glob) => `\`${oneLine(showGuard(glob, variables))}\``);
    return `${entry.paths === undefined ? `\`${name}\`` : name}: ${shown.join(" or ")}`;
  });
  return `- \`${entry.tool}\`: ${texts.join("; ")}`;
}

/** The glob as people read it: each value as it is, and what is unset as its reference with that word. */
function showGuard(glob: string, variables: Readonly<Record<string, unknown>>): string {
  return referenceParts(glob)
    .map((part) => {
      if (part.kind !== "reference") return part.text;
      const found = resolveReference(part.inner, variables);
      return found.ok ? String(found.value) : `${part.source} (unset)`;
    })
    .join("");
}

/** A value may hold line breaks; a limit is one line. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ");
}
