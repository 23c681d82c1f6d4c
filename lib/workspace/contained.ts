/** A mount's store that cannot bring down what uses it. */
import type { Backend, FileError } from "./types.js";

/** What a caller is told; the store's own words may hold its paths, addresses or secrets. */
const FAILED = "io_error: the store failed";

/**
 * The backend with what its methods throw as ordinary failures, told to `failed` and to nobody else. The optional methods
 * are there exactly when the source has them.
 */
export function contained(backend: Backend, failed: (error: unknown) => void): Backend {
  const orFailed = async <T>(work: () => Promise<T>): Promise<T | { error: string }> => {
    try {
      return await work();
    } catch (error) {
      failed(error);
      return { error: FAILED };
    }
  };
  const orRefused = async <T>(work: () => Promise<T[]>, refused: () => T[]): Promise<T[]> => {
    try {
      return await work();
    } catch (error) {
      failed(error);
      return refused();
    }
  };
  const { downloadFiles, uploadFiles, delete: remove } = backend;
  const denied: FileError = "permission_denied";
  return {
    ls: (...args) => orFailed(async () => backend.ls(...args)),
    read: (...args) => orFailed(async () => backend.read(...args)),
    readRaw: (...args) => orFailed(async () => backend.readRaw(...args)),
    write: (...args) => orFailed(async () => backend.write(...args)),
    edit: (...args) => orFailed(async () => backend.edit(...args)),
    glob: (...args) => orFailed(async () => backend.glob(...args)),
    grep: (...args) => orFailed(async () => backend.grep(...args)),
    ...(remove ? { delete: (path: string) => orFailed(async () => remove.call(backend, path)) } : {}),
    ...(downloadFiles && {
      downloadFiles: (paths: string[]) =>
        orRefused(
          async () => downloadFiles.call(backend, paths),
          () => paths.map((path) => ({ path, content: null, error: denied })),
        ),
    }),
    ...(uploadFiles && {
      uploadFiles: (files: [path: string, content: Uint8Array][]) =>
        orRefused(
          async () => uploadFiles.call(backend, files),
          () => files.map(([path]) => ({ path, error: denied })),
        ),
    }),
  };
}
