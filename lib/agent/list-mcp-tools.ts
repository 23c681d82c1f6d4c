/** What MCP servers offer, for whoever writes their `tools` or a workflow. */
import { type ListedMcpServer, listServers, type McpOption } from "../mcp/index.js";
import { systemClock } from "../stores/clock/index.js";
import { PACKAGE_VERSION } from "../version.js";

/** Where `listMcpTools` reads from, and what cancels it. */
export interface ListMcpToolsOptions {
  /** What `${NAME}` stands for; `process.env` unless given. */
  env?: Readonly<Record<string, string | undefined>>;
  /** From where a local server's `cwd` is read; the current folder unless given. */
  rootDir?: string;
  signal?: AbortSignal;
}

/**
 * Connects to every server, lists its tools as it describes them, whatever its `tools` say, and disconnects. One that fails
 * is told as `failed`, with the reason.
 *
 * @throws {InvalidMcpConfigError} @throws the signal's reason
 * @example
 * const { orders } = await listMcpTools("mcp.json");
 * console.log(orders.status, orders.tools.map((tool) => tool.name));
 */
export function listMcpTools(
  config: McpOption,
  { env = process.env, rootDir = process.cwd(), signal = new AbortController().signal }: ListMcpToolsOptions = {},
): Promise<Record<string, ListedMcpServer>> {
  const client = { name: "parkway", version: PACKAGE_VERSION };
  return listServers(config, { clock: systemClock, env, rootDir, client, random: Math.random }, signal);
}
