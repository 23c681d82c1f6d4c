import type { ToolPaths } from "../../kernel/index.js";
import type { MountTable } from "../mounts.js";
import type { Backend } from "../types.js";

/** What validation is told (H-100, W-286). Findings that need an option are silent without it. */
export interface ValidateWorkflowOptions {
  /** The workspace's folder; default the current one. Backends that are given are read instead. */
  rootDir?: string;
  /** The slug: the name of a folder in `workflows/`. */
  workflow: string;
  /** Serves `workflows/**`; default `backend`. */
  authoring?: Backend;
  /** Serves the rest of the workspace where no `mounts` do. */
  backend?: Backend;
  /** Without it the default mounts hold and no mount name is checked against a table (H-100). */
  mounts?: MountTable;
  /** Skill sources, default `["skills/"]`. */
  skills?: readonly string[];
  toolPaths?: Readonly<Record<string, ToolPaths>>;
  essentialTools?: readonly string[];
  /** Names of the host's tools; without it no name is reported as unknown. */
  tools?: readonly string[];
  /** What is known of a tool of an MCP server by its name; without it no name is one's (A-61). */
  mcp?(tool: string): McpToolKnowledge;
}

/**
 * `none`: no server's tools are called so. `unsure`: a server may have it, and was not asked. `missing`: the servers that
 * would have it do not offer it.
 */
export type McpToolKnowledge = "none" | "unsure" | "offered" | "missing";
