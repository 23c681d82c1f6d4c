/** The MCP servers of an agent: connected together, each failing alone, offered as tools (A-57…A-60, F-71). */
import { debuglog } from "node:util";
import { type RuntimeTool, remoteTool, ToolDescriptionError } from "../tools/index.js";
import { type Connection, createConnection } from "./connection.js";
import { McpServerError, McpToolError } from "./errors.js";
import { type OfferedTool, offeredTools } from "./names.js";
import type { ConnectionDeps } from "./open.js";
import { textOfCallResult } from "./result.js";
import type { LocalServer, McpStatus, McpToolDefinition, RemoteServer, ServerSettings } from "./types.js";

export interface McpServersOptions extends Omit<ConnectionDeps, "debug"> {
  /** Told what is wrong with a server or a tool, and stops nothing. */
  warn(message: string): void;
  /** Whether a tool's calls may be made again, by the name that agents use (H-131). */
  repeatable(tool: string): boolean;
}

export interface McpServersHandle {
  /**
   * Connects at once to every server that has not told its tools yet. Those that fail are warned of and left out.
   * The same is warned of once.
   *
   * @param taken - names of the host's tools, which win
   * @throws the signal's reason, once nothing of what was begun is left
   */
  load(taken: ReadonlySet<string>, signal: AbortSignal): Promise<RuntimeTool[]>;
  /** Whether there is no server left that could be asked. */
  isComplete(): boolean;
  /** As it is now: a lost server is `failed` until a call reaches it again. */
  status(): Record<string, McpStatus>;
  close(): Promise<void>;
}

/** `NODE_DEBUG=parkway-mcp` shows what local servers write on stderr. */
const debug = debuglog("parkway-mcp");

export function connectionDeps(options: Omit<ConnectionDeps, "debug">): ConnectionDeps {
  return { ...options, debug: (server, line) => debug("%s: %s", server, line) };
}

export function createMcpServers(settings: readonly ServerSettings[], options: McpServersOptions): McpServersHandle {
  const { repeatable } = options;
  const said = new Set<string>();
  const warn = (message: string) => {
    if (said.has(message)) return;
    said.add(message);
    options.warn(message);
  };
  const lists = new Map<string, McpToolDefinition[]>();
  const deps = connectionDeps(options);
  const usable = settings.filter((server): server is LocalServer | RemoteServer => "timeoutMs" in server);
  const connections = new Map(usable.map((server) => [server.name, createConnection(server, deps)]));
  const closeAll = async () => {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  };

  async function listed(server: LocalServer | RemoteServer, signal: AbortSignal): Promise<McpToolDefinition[] | null> {
    try {
      const { tools, isWhole } = await connectionOf(server.name).list(signal);
      if (!isWhole) warn(`The MCP server "${server.name}" lists more tools than are read; the rest is left out.`);
      return tools;
    } catch (error) {
      signal.throwIfAborted();
      warn(error instanceof McpServerError ? error.message : `The MCP server "${server.name}" failed.`);
      return null;
    }
  }

  function connectionOf(server: string): Connection {
    const connection = connections.get(server);
    if (!connection) throw new McpServerError(server, "is not one of the agent's");
    return connection;
  }

  async function toolOf({ server, name, definition }: OfferedTool): Promise<RuntimeTool | null> {
    const connection = connectionOf(server);
    try {
      return await remoteTool({
        name,
        description: definition.description ?? "",
        inputSchema: definition.inputSchema,
        source: "mcp",
        async run(args, { signal }) {
          const result = await connection.call(definition.name, args, { signal, repeatable: repeatable(name) });
          try {
            return textOfCallResult(result);
          } catch (error) {
            throw error instanceof McpToolError ? new McpToolError(connection.redacted(error.message)) : error;
          }
        },
      });
    } catch (error) {
      if (!(error instanceof ToolDescriptionError)) throw error;
      warn(error.message);
      return null;
    }
  }

  return {
    async load(taken, signal) {
      for (const server of settings) {
        if (server.kind === "broken") warn(new McpServerError(server.name, server.problem ?? "cannot be used").message);
      }
      try {
        await Promise.all(
          usable.map(async (server) => {
            const tools = lists.has(server.name) ? null : await listed(server, signal);
            if (tools) lists.set(server.name, tools);
          }),
        );
        const { offered, warnings } = offeredTools(
          usable.flatMap(({ name, tools: filter }) => {
            const tools = lists.get(name);
            return tools ? [{ name, filter, tools }] : [];
          }),
          taken,
        );
        for (const warning of warnings) warn(warning);
        return (await Promise.all(offered.map(toolOf))).filter((tool) => tool !== null);
      } catch (error) {
        await closeAll();
        throw error;
      }
    },
    isComplete: () => usable.every(({ name }) => lists.has(name)),
    status: () =>
      Object.fromEntries(
        settings.map(({ name, kind }) => {
          if (kind === "disabled") return [name, "disabled"];
          return [name, connections.get(name)?.isConnected() ? "connected" : "failed"];
        }),
      ),
    close: closeAll,
  };
}
