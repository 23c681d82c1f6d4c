/** A file store that lives and dies with its process. */
import { FileConflictError, WorkspacePathEscapeError } from "../../session/errors.js";
import { ownsPath, parseSessionId } from "../../session/index.js";
import type { FileStore, StoredFile } from "../../session/ports.js";
import { requireFilePath, requireSharedFolder, requireSharedPath, versionOf } from "../file-paths.js";
import { compareText } from "../selection.js";

/**
 * Keeps files by the address `<session id>/<path>`, as stores with real addresses do (H-89). A session is known once it
 * has written a file, and from then on owns what lies below its id.
 *
 * @param options.now - epoch milliseconds for `modifiedAt`
 */
export function createMemoryFileStore(options: { now?: () => number } = {}): FileStore {
  const now = options.now ?? Date.now;
  const files = new Map<string, StoredFile>();
  const ids = new Set<string>();
  const owns = (id: string, path: string) => ownsPath(id, path, (longer) => ids.has(longer));

  function ownedPaths(id: string): string[] {
    const prefix = `${id}/`;
    const below = [...files.keys()].filter((address) => address.startsWith(prefix));
    const paths = below.map((address) => address.slice(prefix.length));
    return paths.filter((path) => owns(id, path)).sort(compareText);
  }

  return {
    async read(sessionId, path) {
      const id = parseSessionId(sessionId);
      const file = owns(id, requireFilePath(path)) ? files.get(`${id}/${path}`) : undefined;
      return file ? { ...file, bytes: file.bytes.slice() } : null;
    },

    async write(sessionId, path, bytes, condition) {
      const id = parseSessionId(sessionId);
      const address = `${id}/${requireFilePath(path)}`;
      if (!owns(id, path)) throw new WorkspacePathEscapeError(path);
      if (condition && (files.get(address)?.version ?? null) !== condition.ifVersion) throw new FileConflictError(path);
      const version = versionOf(bytes);
      ids.add(id);
      files.set(address, { bytes: bytes.slice(), version, modifiedAt: now() });
      return { version };
    },

    async remove(sessionId, path) {
      const id = parseSessionId(sessionId);
      return owns(id, requireFilePath(path)) && files.delete(`${id}/${path}`);
    },

    async list(sessionId) {
      const id = parseSessionId(sessionId);
      return ownedPaths(id).flatMap((path) => {
        const file = files.get(`${id}/${path}`);
        return file ? [{ path, sizeBytes: file.bytes.length, modifiedAt: file.modifiedAt }] : [];
      });
    },

    async removeAll(sessionId) {
      const id = parseSessionId(sessionId);
      for (const path of ownedPaths(id)) files.delete(`${id}/${path}`);
      ids.delete(id);
    },

    async readShared(path) {
      return files.get(requireSharedPath(path))?.bytes.slice() ?? null;
    },

    async listShared(folder, { after, limit }) {
      const within = requireSharedFolder(folder);
      const found = [...files.keys()].filter((path) => path.startsWith(within) && path > after).sort(compareText);
      return found.slice(0, limit).flatMap((path) => {
        const file = files.get(path);
        return file ? [{ path, sizeBytes: file.bytes.length, modifiedAt: file.modifiedAt }] : [];
      });
    },

    async removeShared(path) {
      files.delete(requireSharedPath(path));
    },

    async writeShared(path, bytes) {
      const address = requireSharedPath(path);
      if (files.has(address)) return;
      files.set(address, { bytes: bytes.slice(), version: versionOf(bytes), modifiedAt: now() });
    },
  };
}
