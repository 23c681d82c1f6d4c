/** Reading authored text through a backend; nothing is ever written (W-285). */
import { textFromBytes } from "../bytes.js";
import type { Backend } from "../types.js";

export interface AuthoredFiles {
  /** The text of a workspace path, or null when there is no such file or it is not text. */
  read(path: string): Promise<string | null>;
  exists(path: string): Promise<boolean>;
  /** Every file below a directory, as workspace paths in code-unit order; empty when there is none. */
  below(directory: string): Promise<string[]>;
}

export function authoredFiles(backend: Backend): AuthoredFiles {
  const raw = (path: string) => backend.readRaw(`/${path}`);
  return {
    async read(path) {
      const { data } = await raw(path);
      if (data === undefined) return null;
      return typeof data.content === "string" ? data.content : textFromBytes(data.content);
    },
    async exists(path) {
      return (await raw(path)).data !== undefined;
    },
    async below(directory) {
      return (await walk(backend, `/${directory}`)).map((path) => path.slice(1)).sort((a, b) => (a < b ? -1 : 1));
    },
  };
}

async function walk(backend: Backend, directory: string): Promise<string[]> {
  const { files = [] } = await backend.ls(directory);
  const found: string[] = [];
  for (const { path, isDir } of files) {
    // Listings mark folders by `isDir`, a trailing slash, or both.
    if (isDir || path.endsWith("/")) found.push(...(await walk(backend, path.replace(/\/+$/, ""))));
    else found.push(path);
  }
  return found;
}
