/** One session's tree: its own area, overlaid by the mounts (H-84, H-93, R-228…R-230). */
import { contained } from "./contained.js";
import { FileProblem } from "./errors.js";
import { listFolder } from "./listing.js";
import { type MountTable, resolveMounts } from "./mounts.js";
import { isWithin } from "./paths.js";
import { createRoutes, outerPath, type Place, refuseReadOnly } from "./routing.js";
import { globWorkspace, grepWorkspace } from "./searching.js";
import { downloadFromWorkspace, uploadToWorkspace } from "./transfers.js";
import type { Backend, Workspace } from "./types.js";

export interface WorkspaceParts {
  /** The session's own part, which serves every path that no mount serves. What it throws, the workspace throws. */
  area: Backend;
  mounts: MountTable;
  /** Told what a mount's store threw, which for whoever asked is an ordinary failure. */
  mountFailed?(mount: string, error: unknown): void;
}

/**
 * Composes the tree of one session.
 *
 * Paths may be written with or without the leading slash; answers have it. A path above the root throws
 * WorkspacePathEscapeError. A read-only mount refuses writes, uploads and deletions here, before its store is asked.
 *
 * @throws {MountCollisionError} as `resolveMounts`
 */
export function createWorkspace({ area, mounts, mountFailed }: WorkspaceParts): Workspace {
  const table = resolveMounts(mounts).map((mount) => ({
    ...mount,
    backend: contained(mount.backend, (error) => mountFailed?.(mount.name, error)),
  }));
  const routes = createRoutes(area, table);

  const reading = async <T>(path: string, work: (place: Place) => Promise<T>) =>
    asValue(() => work(routes.placeOf(path)));
  const writing = async <T extends { path?: string }>(path: string, work: (place: Place) => Promise<T>) =>
    asValue(async () => {
      const place = writable(path);
      const result = await work(place);
      return result.path === undefined ? result : { ...result, path: outerPath(place.mount, result.path) };
    });

  const workspace: Workspace = {
    ls: (path) => asValue(() => listFolder(routes, path)),
    read: (path, offset, limit) => reading(path, ({ backend, inner }) => backend.read(inner, offset, limit)),
    readRaw: (path) => reading(path, ({ backend, inner }) => backend.readRaw(inner)),
    write: (path, content) => writing(path, ({ backend, inner }) => backend.write(inner, content)),
    edit: (path, oldText, newText, replaceAll) =>
      writing(path, ({ backend, inner }) => backend.edit(inner, oldText, newText, replaceAll)),
    glob: (pattern, path = "/") => asValue(() => globWorkspace(routes, pattern, path)),
    grep: (pattern, path = "/", glob, maxCount) =>
      asValue(() => grepWorkspace(routes, pattern, { path, glob, maxCount })),
    downloadFiles: (paths) => downloadFromWorkspace(routes, paths),
    delete: (path) =>
      asValue(async () => {
        const { backend, inner, path: outer } = writable(path);
        if (!backend.delete) throw new FileProblem("permission_denied", `the store of ${outer} cannot delete files`);
        return backend.delete(inner);
      }),
  };
  if (area.uploadFiles) workspace.uploadFiles = (files) => uploadToWorkspace(routes, files);
  return workspace;

  /** Where a write goes; a file may not take the place of a folder that a mount lies in. */
  function writable(path: string): Place {
    const place = routes.placeOf(path);
    refuseReadOnly(place);
    const hidesMount = routes.mounts.some((mount) => mount.path !== place.path && isWithin(mount.path, place.path));
    if (hidesMount) throw new FileProblem("is_directory");
    return place;
  }
}

async function asValue<T>(work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileProblem) return { error: error.message };
    throw error;
  }
}
