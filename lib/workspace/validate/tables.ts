/** Where validation reads, and the tables the kernel judges with: the ones assembly would use (W-285, W-286). */
import type { GovernanceTables } from "../../kernel/index.js";
import { defaultMounts } from "../default-mounts.js";
import { createFilesystemBackend } from "../filesystem-backend.js";
import { createMemoryBackend } from "../memory-backend.js";
import { type MountTable, mountInfos } from "../mounts.js";
import { DEFAULT_SKILL_SOURCES, listSkills, type SkillEntry } from "../skills.js";
import { mountSubtree } from "../subtree.js";
import type { Backend } from "../types.js";
import { createWorkspace } from "../workspace.js";
import type { ValidateWorkflowOptions } from "./options.js";
import type { HostTables } from "./subject.js";

export function authoringBackend({ authoring, backend, rootDir }: ValidateWorkflowOptions): Backend {
  return authoring ?? backend ?? createFilesystemBackend(rootDir ?? process.cwd());
}

/** The host's tables and every skill bundle found, served or not. Throws MountCollisionError as assembly does. */
export async function hostTables(
  options: ValidateWorkflowOptions,
): Promise<{ host: HostTables; skills: SkillEntry[] }> {
  const sources = options.skills ?? DEFAULT_SKILL_SOURCES;
  const mounts = options.mounts ?? implicitMounts(options);
  const workspace = createWorkspace({ area: createMemoryBackend(), mounts });
  const skills = await listSkills(workspace, sources);
  const governance: GovernanceTables = {
    mounts: mountInfos(mounts),
    skills: [...new Set(skills.filter(({ served }) => served).map(({ slug }) => slug))],
    skillSources: sources,
    toolPaths: options.toolPaths ?? {},
    essentialTools: options.essentialTools ?? [],
    hostTools: options.tools ?? [],
    inherited: [],
    policyRules: [],
  };
  const tools = options.tools === undefined ? null : new Set([...options.tools, ...governance.essentialTools]);
  const mcp = options.mcp ?? (() => "none" as const);
  return { host: { governance, mountsGiven: options.mounts !== undefined, tools, mcp }, skills };
}

/** The default table, over the given backend when there is no root: read-only and ungoverned. */
function implicitMounts({ rootDir, backend, authoring }: ValidateWorkflowOptions): MountTable {
  const stored = backend ?? (rootDir === undefined ? authoring : undefined);
  if (stored === undefined) return defaultMounts(rootDir ?? process.cwd());
  return Object.fromEntries(Object.keys(defaultMounts("/")).map((key) => [key, subtreeFor(stored, key)]));
}

function subtreeFor(backend: Backend, key: string): Backend {
  return key.endsWith("/") ? mountSubtree(backend, key) : backend;
}
