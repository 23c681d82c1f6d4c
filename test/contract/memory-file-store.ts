/** A file store for tests, over memory, with versions as the port asks for them. */
import { FileConflictError } from "../../lib/session/errors.js";
import type { FileStore, StoredFile } from "../../lib/session/ports.js";

export function aFileStore(): FileStore & { stored: Map<string, StoredFile> } {
  const stored = new Map<string, StoredFile>();
  let writes = 0;
  const key = (sessionId: string, path: string) => `${sessionId}/${path}`;
  return {
    stored,
    async read(sessionId, path) {
      return stored.get(key(sessionId, path)) ?? null;
    },
    async write(sessionId, path, bytes, condition) {
      const current = stored.get(key(sessionId, path))?.version ?? null;
      if (condition && condition.ifVersion !== current) throw new FileConflictError(path);
      writes += 1;
      stored.set(key(sessionId, path), { bytes, version: String(writes), modifiedAt: writes });
      return { version: String(writes) };
    },
    async remove(sessionId, path) {
      return stored.delete(key(sessionId, path));
    },
    async list(sessionId) {
      return [...stored]
        .filter(([name]) => name.startsWith(`${sessionId}/`))
        .map(([name, file]) => ({
          path: name.slice(sessionId.length + 1),
          sizeBytes: file.bytes.length,
          modifiedAt: file.modifiedAt,
        }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async removeAll(sessionId) {
      for (const name of [...stored.keys()]) if (name.startsWith(`${sessionId}/`)) stored.delete(name);
    },
    async readShared(path) {
      return stored.get(path)?.bytes ?? null;
    },
    async listShared(folder, { after, limit }) {
      const paths = [...stored.keys()].filter((path) => path.startsWith(folder) && path > after).sort();
      return paths.slice(0, limit).flatMap((path) => {
        const file = stored.get(path);
        return file ? [{ path, sizeBytes: file.bytes.length, modifiedAt: file.modifiedAt }] : [];
      });
    },
    async removeShared(path) {
      stored.delete(path);
    },
    async writeShared(path, bytes) {
      if (!stored.has(path)) stored.set(path, { bytes, version: "shared", modifiedAt: 0 });
    },
  };
}
