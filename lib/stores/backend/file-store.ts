/** Session files on any backend, at the public address `/<session id>/<path>` (H-89). */
import { FileConflictError, WorkspacePathEscapeError } from "../../session/errors.js";
import { ownsPath, parseSessionId } from "../../session/ids.js";
import type { FileEntry, FileStore } from "../../session/ports.js";
import type { Backend } from "../../workspace/index.js";
import { isFilePath, requireFilePath, requireSharedFolder, requireSharedPath, versionOf } from "../file-paths.js";
import { compareText } from "../selection.js";
import { exactFiles } from "./exact.js";
import { inTurns } from "./in-turns.js";
import { areaMarkOf } from "./places.js";

/**
 * A conditional write reads, compares and writes; in this process nothing comes between. A backend has no such write of
 * its own, so two processes must not write one session's files.
 *
 * @param options.removeFiles - removes all files of a session in place of one deletion after the other
 */
export function createBackendFileStore(
  backend: Backend,
  { removeFiles }: { removeFiles?: (sessionId: string) => Promise<void> } = {},
): FileStore {
  const files = exactFiles(backend);
  const inOrder = inTurns();

  const hasMark = async (id: string) => (await files.get(areaMarkOf(id))) !== null;

  /** The longer ids below this one that have files, of those that the paths could belong to. */
  async function ownership(id: string, paths: readonly string[]): Promise<(path: string) => boolean> {
    const longer = new Set<string>();
    for (const path of paths) {
      const segments = path.split("/");
      for (let end = 1; end <= segments.length; end += 1) longer.add(`${id}/${segments.slice(0, end).join("/")}`);
    }
    const known = new Set<string>();
    await Promise.all([...longer].map(async (other) => (await hasMark(other)) && known.add(other)));
    return (path) => ownsPath(id, path, (other) => known.has(other));
  }

  async function own(id: string): Promise<FileEntry[]> {
    const found = (await files.below(`/${id}`))
      .map(({ path, size, modifiedAt }) => ({ path: path.slice(id.length + 2), sizeBytes: size, modifiedAt }))
      .filter(({ path }) => isFilePath(path));
    const owns = await ownership(
      id,
      found.map(({ path }) => path),
    );
    return found.filter(({ path }) => owns(path)).sort((a, b) => compareText(a.path, b.path));
  }

  return {
    ...(backend.uploadFiles && backend.delete
      ? {}
      : { lacks: { ...(backend.uploadFiles ? {} : { bytes: true }), ...(backend.delete ? {} : { removal: true }) } }),

    async read(sessionId, path) {
      const id = parseSessionId(sessionId);
      const owns = await ownership(id, [requireFilePath(path)]);
      const address = `/${id}/${path}`;
      if (!owns(path)) return null;
      const [bytes, modifiedAt] = await Promise.all([files.get(address), files.modifiedAt(address)]);
      return bytes && { bytes, version: versionOf(bytes), modifiedAt };
    },

    async write(sessionId, path, bytes, condition) {
      const id = parseSessionId(sessionId);
      const address = `/${id}/${requireFilePath(path)}`;
      return inOrder([address], async () => {
        if (!(await ownership(id, [path]))(path)) throw new WorkspacePathEscapeError(path);
        if (condition) {
          const found = await files.get(address);
          if ((found && versionOf(found)) !== condition.ifVersion) throw new FileConflictError(path);
        }
        if (id.includes("/") && !(await hasMark(id)))
          await files.put(areaMarkOf(id), new TextEncoder().encode("files"));
        await files.put(address, bytes);
        return { version: versionOf(bytes) };
      });
    },

    async remove(sessionId, path) {
      const id = parseSessionId(sessionId);
      const address = `/${id}/${requireFilePath(path)}`;
      return inOrder([address], async () => {
        if (!(await ownership(id, [path]))(path) || (await files.get(address)) === null) return false;
        await files.remove(address);
        return true;
      });
    },

    list: async (sessionId) => own(parseSessionId(sessionId)),

    async removeAll(sessionId) {
      const id = parseSessionId(sessionId);
      if (removeFiles) await removeFiles(id);
      else for (const { path } of await own(id)) await files.remove(`/${id}/${path}`);
      if (id.includes("/") && (await hasMark(id))) await files.remove(areaMarkOf(id));
    },

    readShared: async (path) => files.get(`/${requireSharedPath(path)}`),

    async writeShared(path, bytes) {
      const address = `/${requireSharedPath(path)}`;
      await inOrder([address], async () => {
        if ((await files.get(address)) === null) await files.put(address, bytes);
      });
    },

    async listShared(folder, { after, limit }) {
      const found = (await files.below(`/${requireSharedFolder(folder).slice(0, -1)}`)).map(
        ({ path, size, modifiedAt }) => ({ path: path.slice(1), sizeBytes: size, modifiedAt }),
      );
      const page = found.filter(({ path }) => path > after).sort((a, b) => compareText(a.path, b.path));
      return page.slice(0, Math.max(0, limit));
    },

    removeShared: async (path) => files.remove(`/${requireSharedPath(path)}`),
  };
}
