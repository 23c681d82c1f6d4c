/** Files of a folder on disk. The folder's own path appears in no answer. */
import { randomUUID } from "node:crypto";
import { constants, type Dirent, lstatSync, realpathSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { FileProblem } from "./errors.js";
import { joinPath } from "./paths.js";
import type { Tree } from "./tree.js";
import { treeBackend } from "./tree-backend.js";
import type { Backend, FileInfo } from "./types.js";

/**
 * A backend over the folder `rootDir`, which need not exist yet. The deepest existing part of every path is resolved
 * before it is judged: a link that leads out of the root is refused for every operation and is in no listing (F-97).
 * A write replaces the file by a rename, so a reader sees the old bytes or the new ones.
 */
export function createFilesystemBackend(rootDir: string): Required<Backend> {
  return treeBackend(filesystemTree(rootDir));
}

function filesystemTree(rootDir: string): Tree {
  return {
    read: (path) =>
      translating(async () => {
        const target = await locate(rootDir, path);
        if (!target.exists) return null;
        const handle = await open(target.real, constants.O_RDONLY | constants.O_NOFOLLOW);
        try {
          const info = await handle.stat();
          if (info.isDirectory()) throw new FileProblem("is_directory");
          if (!info.isFile()) throw new FileProblem("permission_denied");
          return { bytes: new Uint8Array(await handle.readFile()), modifiedAt: Math.floor(info.mtimeMs) };
        } finally {
          await handle.close();
        }
      }),

    write: (path, bytes) =>
      translating(async () => {
        const { real } = await locate(rootDir, path);
        const folder = dirname(real);
        await mkdir(folder, { recursive: true });
        const draft = join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
        try {
          const handle = await open(draft, "wx");
          try {
            await handle.writeFile(bytes);
            await handle.sync();
          } finally {
            await handle.close();
          }
          await rename(draft, real);
        } catch (error) {
          await rm(draft, { force: true });
          throw error;
        }
      }),

    remove: (path) =>
      translating(async () => {
        const target = await locate(rootDir, path);
        if (!target.exists) return false;
        if ((await stat(target.real)).isDirectory()) throw new FileProblem("is_directory");
        await unlink(target.real);
        return true;
      }),

    children: (dir) => translating(() => childrenOf(rootDir, dir)),

    walk: (path) =>
      translating(async () => {
        const target = await locate(rootDir, path);
        if (!target.exists) return [];
        const info = await stat(target.real);
        if (info.isFile()) return [fileInfo(path, info)];
        return info.isDirectory() ? walkFolder(rootDir, path, [target.real]) : [];
      }),
  };
}

/** Name of a file that is being written; such files are in no listing. */
const DRAFT_PREFIX = ".parkway-draft-";

async function childrenOf(rootDir: string, dir: string): Promise<FileInfo[]> {
  const target = await locate(rootDir, dir);
  if (!target.exists) return [];
  const entries = await readFolder(target.real);
  const children = await Promise.all(entries.map((entry) => describe(rootDir, dir, entry)));
  return children.filter((child) => child !== null);
}

async function walkFolder(rootDir: string, dir: string, above: readonly string[]): Promise<FileInfo[]> {
  const files: FileInfo[] = [];
  for (const child of await childrenOf(rootDir, dir)) {
    if (!child.isDir) {
      files.push(child);
      continue;
    }
    // A link may lead back to a folder above it.
    const { real } = await locate(rootDir, child.path);
    if (!above.includes(real)) files.push(...(await walkFolder(rootDir, child.path, [...above, real])));
  }
  return files;
}

/** An entry as listings show it; null for what is neither file nor folder, leads out of the root or has gone. */
async function describe(rootDir: string, dir: string, entry: Dirent): Promise<FileInfo | null> {
  if (entry.name.startsWith(DRAFT_PREFIX) || /\p{Cc}/u.test(entry.name)) return null;
  const path = joinPath(dir, entry.name.normalize("NFC"));
  try {
    const target = await locate(rootDir, path);
    if (!target.exists) return null;
    const info = await stat(target.real);
    if (info.isDirectory()) return { path, isDir: true, modifiedAt: info.mtime.toISOString() };
    return info.isFile() ? fileInfo(path, info) : null;
  } catch (error) {
    if (error instanceof FileProblem || KINDS[codeOf(error)]) return null;
    throw error;
  }
}

function fileInfo(path: string, info: { size: number; mtime: Date }): FileInfo {
  return { path, size: info.size, modifiedAt: info.mtime.toISOString() };
}

async function readFolder(real: string): Promise<Dirent[]> {
  try {
    return await readdir(real, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/**
 * Where a path really lies: every existing part resolved, what does not exist yet appended. A link without a target
 * is refused, because writing to it would create a file at a place nobody judged.
 *
 * It asks for a dozen names, each in microseconds; as calls that are waited for one after another they would take longer
 * than reading the file does.
 */
async function locate(rootDir: string, path: string): Promise<{ real: string; exists: boolean }> {
  const root = resolved(rootDir) ?? rootDir;
  let real = root;
  const segments = path.split("/").filter((segment) => segment !== "");
  for (const [index, segment] of segments.entries()) {
    const name = await nameOnDisk(real, segment);
    if (name === null) return { real: join(real, ...segments.slice(index)), exists: false };
    const next = resolved(join(real, name));
    if (next === null || !isInside(next, root)) throw new FileProblem("permission_denied");
    real = next;
  }
  return { real, exists: resolved(real) !== null };
}

/** The entry's own spelling: names on disk may be in another Unicode form than the path (F-96). Null: no such entry. */
async function nameOnDisk(folder: string, name: string): Promise<string | null> {
  try {
    if (lstatSync(join(folder, name), { throwIfNoEntry: false })) return name;
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") throw new FileProblem("file_not_found");
    throw error;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(name)) return null;
  const entries = await readdir(folder).catch(() => []);
  return entries.find((entry) => entry.normalize("NFC") === name) ?? null;
}

function resolved(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function isInside(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

const KINDS: Readonly<Record<string, FileProblem["kind"]>> = {
  ENOENT: "file_not_found",
  ENOTDIR: "file_not_found",
  EISDIR: "is_directory",
  ENOTEMPTY: "is_directory",
  EACCES: "permission_denied",
  EPERM: "permission_denied",
  EROFS: "permission_denied",
  ELOOP: "permission_denied",
  EEXIST: "invalid_path",
  EINVAL: "invalid_path",
  ENAMETOOLONG: "invalid_path",
};

/** System errors by their code alone: their messages hold real paths. */
async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof FileProblem || code === "") throw error;
    throw new FileProblem(KINDS[code] ?? "io_error", KINDS[code] ? undefined : code);
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "";
}
