/** Where an agent reads what was authored: the root, the plane of `workflows/`, the mounts, the skills (H-23, H-28…H-31, H-95). */
import { resolve } from "node:path";
import { requireSessionStore } from "../stores/bundles/index.js";
import {
  type Authoring,
  type Backend,
  checkAuthoringExposure,
  createAuthoring,
  createFilesystemBackend,
  createMemoryBackend,
  createWorkspace,
  DEFAULT_SKILL_SOURCES,
  defaultMounts,
  type MountTable,
  resolveMounts,
  type Workspace,
} from "../workspace/index.js";
import { SessionStoreRequiredError, WorkspaceRootRequiredError } from "./errors.js";
import type { RuntimeParams } from "./options.js";

export interface Sources {
  /** Null where every source was given, so that none is read from a folder (H-28). */
  rootDir: string | null;
  authoring: Authoring;
  mounts: MountTable;
  /** What agents see of the mounts before a session has files of its own. */
  authored: Workspace;
  skills: readonly string[];
}

/**
 * Resolves the sources and checks them against each other, in the order of H-10; nothing is read.
 *
 * @throws {WorkspaceRootRequiredError} @throws {MountCollisionError} @throws {SessionStoreRequiredError}
 * @throws {AuthoringBackendExposedError}
 */
export function resolveSources(params: RuntimeParams): Sources {
  const { workspace = {}, backend, authoring } = params;
  const stores = params.stores ?? workspace.sessionStore;
  const given = workspace.mounts ?? backend ?? stores ?? authoring;
  const rootDir = workspace.rootDir === undefined && given !== undefined ? null : resolve(workspace.rootDir ?? ".");
  const root = (option: "mounts" | "sessionStore" | "authoring"): string => {
    if (rootDir === null) throw new WorkspaceRootRequiredError(option);
    return rootDir;
  };

  const mounts = workspace.mounts ?? (backend ? {} : defaultMounts(root("mounts")));
  resolveMounts(mounts);
  if (!stores) {
    if (backend) throw new SessionStoreRequiredError();
    root("sessionStore");
  }
  if (workspace.sessionStore !== undefined) requireSessionStore(workspace.sessionStore);
  const plane: Backend = authoring ?? backend ?? createFilesystemBackend(root("authoring"));
  checkAuthoringExposure(mounts, plane);
  return {
    rootDir,
    authoring: createAuthoring(plane),
    mounts,
    authored: createWorkspace({ area: createMemoryBackend(), mounts, mountFailed: refuse }),
    skills: params.skills ?? DEFAULT_SKILL_SOURCES,
  };
}

/** Without what a mount serves, an agent would be another one: assembly fails as the store did. */
function refuse(_mount: string, error: unknown): never {
  throw error;
}
