/** What goes wrong with MCP servers. No message holds a value of a header or of the environment. */
import { ParkwayError } from "../session/errors.js";

/**
 * An MCP configuration that cannot be read: its file is missing or no JSON, or there is no map of servers in it.
 */
export class InvalidMcpConfigError extends ParkwayError {
  override readonly code = "invalid-mcp-config";
  /** @param source - the file, or `mcp` where an object was given */
  constructor(
    readonly source: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`The MCP servers of ${source} cannot be used: ${reason}.`, options);
  }
}

/** A server could not be connected to, or did not answer a call. Told to whoever called, and stops nothing else. */
export class McpServerError extends ParkwayError {
  override readonly code = "mcp-server";
  /** @param reason - a whole sentence's rest after the server's name */
  constructor(
    readonly server: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The MCP server "${server}" ${reason}.`, options);
  }
}

/** A tool answered that it failed: its own text is what the caller is told. */
export class McpToolError extends ParkwayError {
  override readonly code = "mcp-tool";
}
