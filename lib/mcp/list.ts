/** What servers offer, for whoever writes a `tools` filter or a workflow. */
import { readMcpConfig } from "./config.js";
import { createConnection } from "./connection.js";
import { McpServerError } from "./errors.js";
import type { ConnectionDeps } from "./open.js";
import { connectionDeps } from "./servers.js";
import type { McpOption, McpStatus, McpToolDefinition } from "./types.js";

/** What `listMcpTools` found at one server; `tools` is empty unless it is `connected`. */
export interface ListedMcpServer {
  status: McpStatus;
  /** As the server describes them, none left out. */
  tools: McpToolDefinition[];
  /** Why it failed. */
  reason?: string;
}

/** @throws {InvalidMcpConfigError} @throws the signal's reason */
export async function listServers(
  config: McpOption,
  options: Omit<ConnectionDeps, "debug">,
  signal: AbortSignal,
): Promise<Record<string, ListedMcpServer>> {
  const deps = connectionDeps(options);
  const listed = await Promise.all(
    readMcpConfig(config).map(async (server): Promise<[string, ListedMcpServer]> => {
      const { name } = server;
      if (server.kind === "disabled") return [name, { status: "disabled", tools: [] }];
      if (!("timeoutMs" in server)) {
        const { reason } = new McpServerError(name, server.problem ?? "cannot be used");
        return [name, { status: "failed", tools: [], reason }];
      }
      const connection = createConnection(server, deps);
      try {
        const { tools } = await connection.list(signal);
        return [name, { status: "connected", tools }];
      } catch (error) {
        if (!(error instanceof McpServerError)) throw error;
        return [name, { status: "failed", tools: [], reason: error.reason }];
      } finally {
        await connection.close();
      }
    }),
  );
  return Object.fromEntries(listed);
}
