/** What a host says of its MCP servers, and what is told of them (A-54…A-59). */

/** One server, as `mcp.json` describes it. */
export interface McpServer {
  /** Without it `url` means remote, `command` local. */
  type?: "local" | "remote";
  /** The program and its arguments; or the program, with `args`. No shell reads it. */
  command?: string | readonly string[];
  args?: readonly string[];
  /** Set for the process, beside `PATH`, `HOME`, `LANG` and `TMPDIR`. `${NAME}` stands for a variable of the environment. */
  environment?: Readonly<Record<string, string>>;
  /** The same as `environment`, which wins. */
  env?: Readonly<Record<string, string>>;
  /** A folder, from the workspace's root; that root unless given. */
  cwd?: string;
  /** Of a remote server. */
  url?: string;
  /** Sent with every request. `${NAME}` stands for a variable of the environment. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds for connecting, for initializing, for listing, and for each call; 30000 unless given. */
  timeout?: number;
  enabled?: boolean;
  /** Wins over `enabled`. */
  disabled?: boolean;
  /** By a tool's own name: any `true` offers those alone, otherwise each `false` is left out. */
  tools?: Readonly<Record<string, boolean>>;
}

/** MCP servers by name; where tools of two get the same name, the earlier server keeps it. */
export type McpServers = Readonly<Record<string, McpServer>>;

/** A path to a JSON file, or its content: the servers by name, by themselves or under one of three keys. */
export type McpOption =
  | string
  | { mcpServers: McpServers }
  | { servers: McpServers }
  | { mcp: McpServers }
  | McpServers;

/** What became of a server: one that is `failed` leaves the others and the agent working. */
export type McpStatus = "connected" | "disabled" | "failed";

/** A tool as its server describes it. */
export interface McpToolDefinition {
  name: string;
  description?: string;
  /** JSON Schema of the arguments object. */
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  title?: string;
  annotations?: Record<string, unknown>;
}

/** A server's settings, checked; values that name variables are not expanded yet. */
export type ServerSettings = LocalServer | RemoteServer | UnusableServer;

interface Server {
  name: string;
  timeoutMs: number;
  tools: Readonly<Record<string, boolean>>;
}
export interface LocalServer extends Server {
  kind: "local";
  command: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  cwd?: string;
}
export interface RemoteServer extends Server {
  kind: "remote";
  url: URL;
  headers: Readonly<Record<string, string>>;
}
/** Disabled, or described in a way that nothing can be connected to. */
export interface UnusableServer {
  name: string;
  kind: "disabled" | "broken";
  /** What is wrong, without values. */
  problem?: string;
}
