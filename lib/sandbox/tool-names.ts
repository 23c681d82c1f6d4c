/** The names under which a script finds its tools. */

/** `read_file` → `readFile`, `archmax_workflow_enrich-order` → `archmaxWorkflowEnrichOrder`. */
export function camelCaseName(tool: string): string {
  return tool
    .replace(/^[^A-Za-z0-9$]+/, "")
    .replace(/[^A-Za-z0-9$]+(.)?/g, (_separator, next: string | undefined) => next?.toUpperCase() ?? "");
}

/**
 * Every name in `tools` with the exact tool it calls.
 *
 * An exact name always wins over another tool's camelCase name; a camelCase name that two tools would share is left out.
 */
export function scriptToolNames(tools: readonly string[]): [name: string, tool: string][] {
  const exact = new Set(tools);
  const owners = new Map<string, Set<string>>();
  for (const tool of exact) {
    const name = camelCaseName(tool);
    if (name === "" || exact.has(name)) continue;
    owners.set(name, (owners.get(name) ?? new Set()).add(tool));
  }
  const names: [string, string][] = [...exact].map((tool) => [tool, tool]);
  for (const [name, [tool, ...others]] of owners)
    if (tool !== undefined && others.length === 0) names.push([name, tool]);
  return names;
}
