/** A session's files and the authored sources without an agent (H-130): what migrations, viewers and tests work on. */
import {
  type Authoring,
  createWorkspace,
  fileStoreBackend,
  type MountTable,
  type Workspace,
} from "../workspace/index.js";
import { embeddedStores } from "./embedded.js";
import type { CreateAgentParams } from "./options.js";
import { resolveSources } from "./sources.js";

export type WorkspaceContextOptions = Pick<
  CreateAgentParams,
  "workspace" | "backend" | "authoring" | "skills" | "stores"
>;

export interface WorkspaceContext {
  /** Null where nothing is read from a folder (H-28). */
  rootDir: string | null;
  mounts: MountTable;
  /** Reads `workflows/**`, which no mount serves (H-31). */
  authoring: Authoring;
  /** One session's tree: its own area, overlaid by the mounts, read-only where they are (H-84, H-94). */
  workspaceOf(sessionId: string): Workspace;
  /** Closes the embedded store, where none was given. */
  close(): Promise<void>;
}

/**
 * Composes session areas, mounts and the authoring backend as assembly does, from the same options.
 *
 * @throws {WorkspaceRootRequiredError} @throws {SessionStoreRequiredError} @throws {MountCollisionError}
 * @throws {AuthoringBackendExposedError}
 */
export async function createWorkspaceContext(options: WorkspaceContextOptions = {}): Promise<WorkspaceContext> {
  const { rootDir, authoring, mounts } = resolveSources(options);
  const stores = options.stores ?? (await embeddedStores(rootDir ?? "."));
  return {
    rootDir,
    mounts,
    authoring,
    workspaceOf: (sessionId) => createWorkspace({ area: fileStoreBackend(stores.files, sessionId), mounts }),
    close: async () => {
      if (!options.stores) await stores.sessions.close();
    },
  };
}
