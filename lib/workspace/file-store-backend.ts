/** A session's own area as a backend, over the port that keeps session files (H-89). */
import { InvalidSessionPathError, SessionStoreIdError, WorkspacePathEscapeError } from "../session/errors.js";
import type { FileStore } from "../session/ports.js";
import { FileProblem } from "./errors.js";
import { flatTree } from "./flat-tree.js";
import { treeBackend } from "./tree-backend.js";
import type { Backend } from "./types.js";

/**
 * The area of one session. A write is on condition of the version that the operation found, or of the file's absence
 * (S-27); when somebody else changed the file in between, FileConflictError is thrown, not answered: this owner's time
 * is over. Writes made through the same backend wait for each other, so parallel calls of one turn never conflict.
 */
export function fileStoreBackend(files: FileStore, sessionId: string): Backend {
  const backend: Backend = fullBackend(files, sessionId);
  if (files.lacks?.bytes) delete backend.uploadFiles;
  if (files.lacks?.removal) delete backend.delete;
  return backend;
}

function fullBackend(files: FileStore, sessionId: string): Required<Backend> {
  return treeBackend(
    flatTree({
      read: (path) => placed(() => files.read(sessionId, key(path))),
      async write(path, bytes, found) {
        await placed(() => files.write(sessionId, key(path), bytes, { ifVersion: found?.version ?? null }));
      },
      remove: (path) => placed(() => files.remove(sessionId, key(path))),
      async list() {
        const entries = await files.list(sessionId);
        return entries.map(({ path, sizeBytes, modifiedAt }) => ({ path: `/${path}`, size: sizeBytes, modifiedAt }));
      },
    }),
  );
}

/** A place that the store does not have is an answer, which names no address of the store. */
async function placed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isPathError(error) ? new FileProblem("invalid_path", "the store has no such place") : error;
  }
}

/** The store has no place of that name for this session, today and tomorrow: an answer, not a failure of the store. */
export function isPathError(error: unknown): boolean {
  const kinds = [WorkspacePathEscapeError, InvalidSessionPathError, SessionStoreIdError];
  return kinds.some((kind) => error instanceof kind);
}

/** The port's paths are relative to the area. */
function key(path: string): string {
  return path.slice(1);
}
