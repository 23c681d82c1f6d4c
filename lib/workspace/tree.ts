/** What differs from one store of files to another; `treeBackend` makes a whole `Backend` of it. */
import type { FileInfo } from "./types.js";

export interface TreeFile {
  bytes: Uint8Array;
  /** What a conditional write refers to, where the store knows such a thing. */
  version?: string;
  modifiedAt: number;
}

/**
 * Paths are canonical. A method throws FileProblem for an ordinary failure (a folder where a file is meant, a link out
 * of the root); anything else that it throws is no ordinary failure and is passed on.
 */
export interface Tree {
  /** Null: nothing there. Throws `is_directory` for a folder. */
  read(path: string): Promise<TreeFile | null>;
  /** Replaces the file whole, parents included. `found` is the file that the operation read before, if it did. */
  write(path: string, bytes: Uint8Array, found: TreeFile | null): Promise<void>;
  /** False: nothing there. Throws `is_directory` for a folder. */
  remove(path: string): Promise<boolean>;
  /** One level, folders marked; empty for an absent folder. */
  children(dir: string): Promise<FileInfo[]>;
  /** Every file at or under the path. */
  walk(path: string): Promise<FileInfo[]>;
}
