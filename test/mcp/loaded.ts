/** MCP servers connected as an agent connects them, without the agent. */
import { fileURLToPath } from "node:url";
import { createMcpServers, readMcpConfig } from "../../lib/mcp/index.js";
import type { McpServersOptions } from "../../lib/mcp/servers.js";
import type { McpOption, McpServer } from "../../lib/mcp/types.js";
import type { RuntimeTool, ToolContext } from "../../lib/tools/types.js";
import { manualClock } from "../harness/clock.js";

const SCRIPT = fileURLToPath(new URL("stdio-server.ts", import.meta.url));

/** The test's server, started as a process. */
export function aProcess(mode = "", more: Partial<McpServer> = {}): McpServer {
  return { command: [process.execPath, SCRIPT, mode], ...more };
}

export interface LoadedOptions extends Partial<McpServersOptions> {
  taken?: string[];
  signal?: AbortSignal;
}

export async function loaded(config: McpOption, { taken = [], signal, ...options }: LoadedOptions = {}) {
  const servers = created(config, options);
  const tools = await servers.load(taken, signal);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return { ...servers, tools: byName, call: callerOf(byName) };
}

/** Not connected yet. */
export function created(config: McpOption, options: Partial<McpServersOptions> = {}) {
  const clock = manualClock();
  const warnings: string[] = [];
  const servers = createMcpServers(readMcpConfig(config), {
    clock,
    env: {},
    rootDir: process.cwd(),
    client: { name: "parkway", version: "9.9.9" },
    random: () => 0,
    warn: (message) => warnings.push(message),
    repeatable: () => false,
    ...options,
  });
  return {
    ...servers,
    load: (taken: string[] = [], signal = new AbortController().signal) => servers.load(new Set(taken), signal),
    clock,
    warnings,
  };
}

type Call = (
  name: string,
  args?: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<{ text: string; status: "success" | "error" }>;

/** Calls as a turn does: what is thrown is the answer's text. */
export function callerOf(tools: ReadonlyMap<string, RuntimeTool>): Call {
  return async (name, args = {}, signal = new AbortController().signal) => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`There is no tool ${name}; there are ${[...tools.keys()].join(", ")}.`);
    try {
      return { text: await tool.run(args, { signal } as ToolContext), status: "success" };
    } catch (error) {
      return { text: (error as Error).message, status: "error" };
    }
  };
}

/** Whether there is a process of this id that does anything. */
export async function isRunning(pid: number): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // A zombie has ended; whoever adopted it has not noticed yet.
  return stat !== null && !/^\d+ \(.*\) Z/.test(stat);
}
