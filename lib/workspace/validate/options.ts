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
}
