/** A `Tree` over a store that knows files by path and no folders: memory, an object store. */
import { FileProblem } from "./errors.js";
import { isWithin, joinPath, parentOf, relativeTo } from "./paths.js";
import type { Tree, TreeFile } from "./tree.js";
import type { FileInfo } from "./types.js";

export interface FlatFiles {
  read(path: string): Promise<TreeFile | null>;
  write(path: string, bytes: Uint8Array, found: TreeFile | null): Promise<void>;
  remove(path: string): Promise<boolean>;
  list(): Promise<{ path: string; size: number; modifiedAt: number }[]>;
}

/** Folders are what the paths of files imply. */
export function flatTree(files: FlatFiles): Tree {
  return {
    async read(path) {
      const file = await files.read(path);
      if (file === null && (await holdsFiles(files, path))) throw new FileProblem("is_directory");
      return file;
    },
    async write(path, bytes, found) {
      if (found === null) await refuseBelowFile(files, path);
      await files.write(path, bytes, found);
    },
    async remove(path) {
      if (await files.remove(path)) return true;
      if (await holdsFiles(files, path)) throw new FileProblem("is_directory");
      return false;
    },
    async children(dir) {
      const children = new Map<string, FileInfo>();
      for (const file of await files.list()) {
        if (file.path === dir || !isWithin(file.path, dir)) continue;
        const [name = "", ...rest] = relativeTo(file.path, dir).split("/");
        const path = joinPath(dir, name);
        children.set(path, rest.length > 0 ? { path, isDir: true } : fileInfo(file));
      }
      return [...children.values()];
    },
    async walk(path) {
      return (await files.list()).filter((file) => isWithin(file.path, path)).map(fileInfo);
    },
  };
}

/** What is a file is no folder, in any store. */
async function refuseBelowFile(files: FlatFiles, path: string): Promise<void> {
  const isBelow = (file: { path: string }) => file.path !== path && isWithin(path, file.path);
  if (parentOf(path) !== "/" && (await files.list()).some(isBelow)) {
    throw new FileProblem("invalid_path", "a file lies where a folder is needed");
  }
}

async function holdsFiles(files: FlatFiles, dir: string): Promise<boolean> {
  if (dir === "/") return true;
  return (await files.list()).some((file) => file.path !== dir && isWithin(file.path, dir));
}

function fileInfo(file: { path: string; size: number; modifiedAt: number }): FileInfo {
  return { path: file.path, size: file.size, modifiedAt: new Date(file.modifiedAt).toISOString() };
}
