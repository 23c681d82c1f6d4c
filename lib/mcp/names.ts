/** Which of a server's tools are offered, and under which names. */
import { RESERVED_TOOL_NAMES, RESERVED_TOOL_PREFIX } from "../kernel/index.js";
import type { McpToolDefinition } from "./types.js";

export interface OfferedTool {
  server: string;
  /** What agents and workflows call it. */
  name: string;
  definition: McpToolDefinition;
}

/** Model providers accept no longer tool name. */
const MAX_NAME = 64;

export function sanitize(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_");
}

/** What every tool of the server begins with. */
export function prefixOf(server: string): string {
  return `${sanitize(server)}_`;
}

export function exposedName(server: string, tool: string): string {
  return `${prefixOf(server)}${sanitize(tool)}`;
}

/** Whether the name is one that a tool of such a server would have. */
export function isToolOf(servers: readonly { name: string }[], tool: string): boolean {
  return servers.some(({ name }) => tool.startsWith(prefixOf(name)) && tool.length > prefixOf(name).length);
}

/** */
export function chosenBy(filter: Readonly<Record<string, boolean>>, tool: string): boolean {
  const own = Object.hasOwn(filter, tool) ? filter[tool] : undefined;
  return Object.values(filter).includes(true) ? own === true : own !== false;
}

/**
 * @param servers - in the order of the file, each with what it listed
 * @param taken - names of the host's tools, which win
 */
export function offeredTools(
  servers: readonly {
    name: string;
    filter: Readonly<Record<string, boolean>>;
    tools: readonly McpToolDefinition[];
  }[],
  taken: ReadonlySet<string>,
): { offered: OfferedTool[]; warnings: string[] } {
  const warnings: string[] = [];
  const offered = new Map<string, OfferedTool>();
  for (const { name: server, filter, tools } of servers) {
    const unknown = Object.keys(filter).filter((name) => !tools.some((tool) => tool.name === name));
    if (unknown.length > 0)
      warnings.push(`The MCP server "${server}" has no ${unknown.map(quoted).join(", ")}, which its \`tools\` name.`);
    for (const definition of tools) {
      if (!chosenBy(filter, definition.name)) continue;
      const name = exposedName(server, definition.name);
      const winner = winnerOver(name, taken, offered);
      if (winner === null) {
        offered.set(name, { server, name, definition });
        if (name.length > MAX_NAME)
          warnings.push(`${quoted(name)} has ${name.length} characters, and model providers accept ${MAX_NAME}.`);
      } else
        warnings.push(
          `${quoted(definition.name)} of the MCP server "${server}" is left out: ${quoted(name)} ${winner}.`,
        );
    }
  }
  return { offered: [...offered.values()], warnings };
}

/** What already has the name; null where it is free. */
function winnerOver(
  name: string,
  taken: ReadonlySet<string>,
  offered: ReadonlyMap<string, OfferedTool>,
): string | null {
  if (name.startsWith(RESERVED_TOOL_PREFIX) || RESERVED_TOOL_NAMES.includes(name)) return "belongs to the runtime";
  if (taken.has(name)) return "is a tool of the host";
  const other = offered.get(name);
  return other ? `is ${quoted(other.definition.name)} of "${other.server}"` : null;
}

function quoted(name: string): string {
  return `"${name}"`;
}
