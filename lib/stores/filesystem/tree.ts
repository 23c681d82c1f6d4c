/** Reaching files under one root without ever leaving it (F-97), and changing them so that a crash leaves old or new. */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { FileConflictError, InvalidSessionPathError, WorkspacePathEscapeError } from "../../session/errors.js";

/**
 * The place of `address` under `root`. Links are not followed, wherever they lead: every existing part is looked at, so
 * that neither a link out of the root nor one into another session is a way to a file.
 *
 * @param address - canonical, relative
 * @throws {WorkspacePathEscapeError} when a part of it is a link
 */
export function placeOf(root: string, address: string): string {
  let place = root;
  for (const segment of address.split("/")) {
    place = join(place, segment);
    const stats = lookAt(place);
    if (stats === undefined) break;
    if (stats.isSymbolicLink()) throw new WorkspacePathEscapeError(address);
  }
  return join(root, address);
}

/** What is at the place itself, not behind a link; undefined when nothing is or can be. */
export function lookAt(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** The file's bytes; null when there is none, or a folder in its place. */
export function bytesAt(place: string): Uint8Array | null {
  return lookAt(place)?.isFile() ? readFileSync(place) : null;
}

/** Makes the folder a file is to lie in. Returns the folders whose entries a write of the file changes. */
export function makeFolders(place: string, path: string): string[] {
  const folder = dirname(place);
  try {
    const first = mkdirSync(folder, { recursive: true });
    const changed = [folder];
    for (let at = folder; first !== undefined && at.length >= first.length; at = dirname(at)) changed.push(dirname(at));
    return changed;
  } catch (error) {
    throw asConflict(error, path);
  }
}

/** A file where a folder is needed, or the other way round, cannot be resolved by writing; nor can a path be too long. */
export function asConflict(error: unknown, path: string): unknown {
  if (codeOf(error) === "ENAMETOOLONG") return new InvalidSessionPathError(path, "it is longer than the folder takes");
  const isInTheWay = ["ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY"].includes(codeOf(error) ?? "");
  return isInTheWay ? new FileConflictError(path) : error;
}

/** Makes what was renamed in these folders survive a power loss. */
export function syncFolders(folders: readonly string[]): void {
  for (const folder of new Set(folders)) {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}

/** Removes the folder and those above it as far as they are empty, never the root. */
export function removeEmptyFolders(root: string, folder: string): void {
  for (let at = folder; at.length > root.length && at.startsWith(root); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") return;
    }
  }
}

export interface Entry {
  /** Relative to where the walk began. */
  path: string;
  kind: "file" | "folder" | "link";
}

/**
 * Everything below a folder, each folder after what it holds. Links are named and not followed.
 *
 * @param skips - whether to leave out an entry and what lies below it
 */
export function* walk(folder: string, skips: (path: string) => boolean, prefix = ""): Generator<Entry> {
  for (const entry of entriesOf(folder)) {
    const path = prefix + entry.name;
    if (skips(path)) continue;
    if (entry.isDirectory()) {
      yield* walk(join(folder, entry.name), skips, `${path}/`);
      yield { path, kind: "folder" };
    } else if (entry.isSymbolicLink()) yield { path, kind: "link" };
    else if (entry.isFile()) yield { path, kind: "file" };
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(error) ?? "");
}
