/** Session files as files of a folder, at the public address `<dir>/<session id>/<path>` (H-89). */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  FileConflictError,
  InvalidSessionPathError,
  SessionStoreIdError,
  WorkspacePathEscapeError,
} from "../../session/errors.js";
import { ownsPath, parseSessionId } from "../../session/index.js";
import type { FileEntry, FileStore, StoredFile } from "../../session/ports.js";
import { requireFilePath, requireSharedFolder, requireSharedPath, versionOf } from "../file-paths.js";
import { compareText } from "../selection.js";
import { type Areas, openAreas } from "./areas.js";
import {
  asConflict,
  bytesAt,
  codeOf,
  lookAt,
  makeFolders,
  placeOf,
  removeEmptyFolders,
  syncFolders,
  walk,
} from "./tree.js";

/** The longest name that common file systems take for one folder. */
const MAX_NAME_BYTES = 255;

/** A temporary file this old was left by a crash (S-79). */
const LEFT_OVER_MS = 24 * 60 * 60 * 1000;

interface Root {
  /** Absolute, free of links. */
  dir: string;
  areas: Areas;
}

/**
 * A file is replaced whole: written aside, flushed, and renamed into place while no other process changes files, so a
 * conditional write (S-27) is decided and done in one. Any number of processes may use the folder.
 *
 * A session is known here once it has written a file, and from then on owns what lies below its id; that is kept
 * in `<dir>/.parkway/files.db`.
 *
 * @param options.dir - made when it is not there
 */
export function createFilesystemFileStore(options: { dir: string }): FileStore {
  let root: Root | undefined;
  function opened(): Root {
    root ??= openRoot(options.dir);
    return root;
  }
  const owns = (id: string, path: string) => ownsPath(id, path, (longer) => opened().areas.has(longer));

  /** Renames a flushed temporary file into place if `mayReplace` still says so, then makes the change durable. */
  async function replace(
    address: string,
    bytes: Uint8Array,
    change: { path: string; mayReplace: (at: string) => boolean },
  ) {
    const { dir, areas } = opened();
    const temporary = await writeAside(dir, bytes);
    try {
      const changed = areas.exclusively(() => {
        const place = placeOf(dir, address);
        if (!change.mayReplace(place)) return [];
        const folders = makeFolders(place, change.path);
        try {
          renameSync(temporary, place);
        } catch (error) {
          throw asConflict(error, change.path);
        }
        return folders;
      });
      syncFolders(changed);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  return {
    async read(sessionId, path) {
      const id = parseSessionId(sessionId);
      if (!owns(id, requireFilePath(path)) || unspellable(id) !== null) return null;
      return readStored(placeOf(opened().dir, `${id}/${path}`));
    },

    async write(sessionId, path, bytes, condition) {
      const id = storableId(sessionId);
      requireStorableNames(requireFilePath(path));
      const version = versionOf(bytes);
      const mayReplace = (place: string) => {
        if (!owns(id, path)) throw new WorkspacePathEscapeError(path);
        if (condition && currentVersion(place) !== condition.ifVersion) throw new FileConflictError(path);
        opened().areas.add(id);
        return true;
      };
      await replace(`${id}/${path}`, bytes, { path, mayReplace });
      return { version };
    },

    async remove(sessionId, path) {
      const id = parseSessionId(sessionId);
      requireFilePath(path);
      if (unspellable(id) !== null) return false;
      const { dir, areas } = opened();
      return areas.exclusively(() => {
        if (!owns(id, path)) return false;
        const place = placeOf(dir, `${id}/${path}`);
        if (!lookAt(place)?.isFile()) return false;
        unlinkSync(place);
        removeEmptyFolders(dir, dirname(place));
        return true;
      });
    },

    async list(sessionId) {
      const id = parseSessionId(sessionId);
      if (unspellable(id) !== null) return [];
      const base = placeOf(opened().dir, id);
      const entries: FileEntry[] = [];
      for (const { path, kind } of walk(base, (found) => !owns(id, found))) {
        const stats = kind === "file" ? lookAt(join(base, path)) : undefined;
        if (stats) entries.push({ path, sizeBytes: stats.size, modifiedAt: Math.round(stats.mtimeMs) });
      }
      return entries.sort((a, b) => compareText(a.path, b.path));
    },

    async removeAll(sessionId) {
      const id = parseSessionId(sessionId);
      if (unspellable(id) !== null) return;
      const { dir, areas } = opened();
      areas.exclusively(() => {
        const base = placeOf(dir, id);
        for (const { path, kind } of walk(base, (found) => !owns(id, found))) {
          if (kind === "folder") removeEmptyFolders(base, join(base, path));
          else unlinkSync(join(base, path));
        }
        removeEmptyFolders(dir, base);
        areas.remove(id);
      });
    },

    async readShared(path) {
      return (await readStored(placeOf(opened().dir, requireSharedPath(path))))?.bytes ?? null;
    },

    async listShared(folder, { after, limit }) {
      const base = placeOf(opened().dir, requireSharedFolder(folder).slice(0, -1));
      const paths = [...walk(base, () => false)].flatMap(({ path, kind }) => (kind === "file" ? [folder + path] : []));
      const page = paths.filter((path) => path > after).sort(compareText);
      return page.slice(0, limit).flatMap((path) => {
        const stats = lookAt(join(opened().dir, path));
        return stats ? [{ path, sizeBytes: stats.size, modifiedAt: Math.round(stats.mtimeMs) }] : [];
      });
    },

    async removeShared(path) {
      const { dir, areas } = opened();
      const place = placeOf(dir, requireSharedPath(path));
      areas.exclusively(() => {
        if (!lookAt(place)?.isFile()) return;
        unlinkSync(place);
        removeEmptyFolders(dir, dirname(place));
      });
    },

    async writeShared(path, bytes) {
      const address = requireSharedPath(path);
      if (existsSync(placeOf(opened().dir, address))) return;
      await replace(address, bytes, { path, mayReplace: (place) => !existsSync(place) });
    },
  };
}

function openRoot(dir: string): Root {
  const aside = join(dir, ".parkway", "tmp");
  mkdirSync(aside, { recursive: true });
  for (const name of readdirSync(aside)) {
    const left = lookAt(join(aside, name));
    if (left && left.mtimeMs < Date.now() - LEFT_OVER_MS) rmSync(join(aside, name), { force: true });
  }
  const real = realpathSync(dir);
  return { dir: real, areas: openAreas(join(real, ".parkway", "files.db")) };
}

/** The id, where files can be kept under it. A session of any other id has none here, and can be read and deleted. */
function storableId(sessionId: string): string {
  const id = parseSessionId(sessionId);
  const reason = unspellable(id);
  if (reason !== null) throw new SessionStoreIdError(sessionId, reason);
  return id;
}

/** Why folders cannot spell the id: they would drop an empty segment, and take no longer one. */
function unspellable(id: string): string | null {
  const segments = id.split("/");
  if (segments.includes("")) return "it has an empty segment, which no folder can be named.";
  const isLong = segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES);
  return isLong ? `it has a segment longer than ${MAX_NAME_BYTES} bytes, the most a folder's name can have.` : null;
}

function requireStorableNames(path: string): void {
  if (path.split("/").some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES)) {
    throw new InvalidSessionPathError(path, `a name in it is longer than ${MAX_NAME_BYTES} bytes`);
  }
}

async function writeAside(dir: string, bytes: Uint8Array): Promise<string> {
  const temporary = join(dir, ".parkway", "tmp", randomUUID());
  const handle = await open(temporary, "wx");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

async function readStored(place: string): Promise<StoredFile | null> {
  const stats = lookAt(place);
  if (!stats?.isFile()) return null;
  try {
    const bytes = new Uint8Array(await readFile(place));
    return { bytes, version: versionOf(bytes), modifiedAt: Math.round(stats.mtimeMs) };
  } catch (error) {
    // Removed between the two looks.
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function currentVersion(place: string): string | null {
  const bytes = bytesAt(place);
  return bytes === null ? null : versionOf(bytes);
}
