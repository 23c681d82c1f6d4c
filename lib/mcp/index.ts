/** The tools of MCP servers: which servers there are, their connections, what they offer under which names. */
export { readMcpConfig } from "./config.js";
export { InvalidMcpConfigError, McpServerError, McpToolError } from "./errors.js";
export { knowledgeOf } from "./knowledge.js";
export { type ListedMcpServer, listServers } from "./list.js";
export { isToolOf } from "./names.js";
export { createMcpServers, type McpServersHandle, type McpServersOptions } from "./servers.js";
export type { McpOption, McpServer, McpServers, McpStatus, McpToolDefinition, ServerSettings } from "./types.js";
