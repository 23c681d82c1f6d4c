/** Whole files of any backend, as bytes, with its answers turned into values and errors. */
import { InvalidSessionPathError, StoreUnavailableError } from "../../session/errors.js";
import { type Backend, createWorkspace, storeBytes } from "../../workspace/index.js";

export interface ExactFiles {
  /** Null: there is none. @throws {InvalidSessionPathError} where the backend cannot give the exact bytes */
  get(path: string): Promise<Uint8Array | null>;
  /** Epoch milliseconds; 0 where the backend does not say. */
  modifiedAt(path: string): Promise<number>;
  /** @throws {InvalidSessionPathError} where the backend cannot hold the bytes at the path @throws {StoreUnavailableError} */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /** @throws {StoreUnavailableError} */
  remove(path: string): Promise<void>;
  /** Every file below the folder, absolute. @throws {StoreUnavailableError} */
  below(folder: string): Promise<{ path: string; size: number; modifiedAt: number }[]>;
}

export function exactFiles(backend: Backend): ExactFiles {
  const whole = createWorkspace({ area: backend, mounts: {} });
  const failed = (doing: string, said: unknown, cause?: unknown) =>
    new StoreUnavailableError(doing, String(said), cause === undefined ? undefined : { cause });
  const asked = async <Answer>(doing: string, work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await work();
    } catch (error) {
      throw failed(doing, error instanceof Error ? error.message : error, error);
    }
  };
  return {
    async get(path) {
      const [answer] = await asked("read a file", () => whole.downloadFiles([path]));
      if (answer?.content) return answer.content;
      if (answer?.error !== "permission_denied") return null;
      throw new InvalidSessionPathError(path, "its store cannot give the exact bytes");
    },
    async modifiedAt(path) {
      const folder = path.slice(0, path.lastIndexOf("/")) || "/";
      const { files } = await asked("list files", () => backend.ls(folder));
      return timeOf(files?.find((file) => file.path === path)?.modifiedAt);
    },
    async put(path, bytes) {
      const error = await asked("write a file", () => storeBytes(backend, path, bytes));
      if (error === null) return;
      if (/^(permission_denied|invalid_path|is_directory)/.test(error)) throw new InvalidSessionPathError(path, error);
      throw failed("write a file", error);
    },
    async remove(path) {
      const { error } = await asked("remove a file", () => whole.delete(path));
      if (error !== undefined && !/not.found|no such/i.test(error)) throw failed("remove a file", error);
    },
    async below(folder) {
      const { files, error } = await asked("list files", () => backend.glob("**", folder));
      if (error !== undefined) throw failed("list files", error);
      return (files ?? [])
        .filter(({ isDir }) => !isDir)
        .map(({ path, size = 0, modifiedAt }) => ({ path, size, modifiedAt: timeOf(modifiedAt) }));
    },
  };
}

function timeOf(text: string | undefined): number {
  return Date.parse(text ?? "") || 0;
}
