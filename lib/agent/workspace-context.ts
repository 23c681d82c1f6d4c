/** What an agent reads and writes, for those who need it without an agent (H-130). */
import { parsedSessionId } from "../intake/index.js";
import { portsOf } from "../stores/bundles/index.js";
import {
  type Authoring,
  createWorkspace,
  fileStoreBackend,
  type MountTable,
  mountInfos,
  type Workspace,
} from "../workspace/index.js";
import { embeddedStore } from "./embedded.js";
import type { CreateAgentParams } from "./options.js";
import { resolveSources } from "./sources.js";

/** The options of `createAgent` that say where files come from (H-28 to H-31). */
export type WorkspaceContextOptions = Pick<CreateAgentParams, "workspace" | "backend" | "authoring" | "stores">;

/**
 * Where an agent of the same options reads and writes: root, mounts, authored files, and each session's own tree
 * (H-130).
 */
export interface WorkspaceContext {
  /** Null where nothing is read from a folder. */
  rootDir: string | null;
  mounts: MountTable;
  /** `workflows/**`, as the runtime alone reads it. */
  authoring: Authoring;
  /** What the tools of this session read and write: its own area under the mounts. @throws {SessionStoreIdError} */
  workspaceOf(sessionId: string): Workspace;
  /** Closes the embedded store, where none was given. */
  close(): Promise<void>;
}

/**
 * Session area, mounts and authoring plane, composed as an agent of the same options has them.
 *
 * @throws {WorkspaceRootRequiredError} @throws {MountCollisionError} @throws {SessionStoreRequiredError}
 * @throws {AuthoringBackendExposedError}
 */
export async function createWorkspaceContext(options: WorkspaceContextOptions = {}): Promise<WorkspaceContext> {
  const { rootDir, mounts, authoring } = resolveSources(options);
  const mountNames = mountInfos(mounts).map(({ name }) => name);
  const given = options.stores ?? options.workspace?.sessionStore;
  const { files, sessions } =
    options.stores ?? (await portsOf(options.workspace?.sessionStore ?? embeddedStore(rootDir ?? ".")));
  return {
    rootDir,
    mounts,
    authoring,
    workspaceOf: (id) =>
      createWorkspace({ area: fileStoreBackend(files, parsedSessionId({ mounts: mountNames }, id)), mounts }),
    close: async () => {
      if (!given) await sessions.close();
    },
  };
}
