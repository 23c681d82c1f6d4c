/** Session files as objects of a bucket, at the public address `<prefix><session id>/<path>` (H-89). */
import { FileConflictError, WorkspacePathEscapeError } from "../../session/errors.js";
import { isSessionArea, ownsPath, parseSessionId } from "../../session/ids.js";
import type { FileEntry, FileStore } from "../../session/ports.js";
import { isFilePath, requireFilePath, requireSharedFolder, requireSharedPath } from "../file-paths.js";
import { compareText } from "../selection.js";
import { type Bucket, type BucketOptions, openBucket } from "./bucket.js";
import { keyRejection, layoutUnder, requireKey } from "./keys.js";
import { removeVersions } from "./remove-versions.js";

export interface S3FileStoreOptions extends BucketOptions {
  /** What all keys begin with; a "/" is added where it has none at its end. */
  prefix?: string;
}

/**
 * The version of a file is its object's ETag, compared exactly: a conditional write is decided by the service itself
 * (S-27), for any number of processes. A write whose answer was lost is recognised and is no conflict with itself.
 *
 * A session is known here once it has written a file, and from then on owns what lies below its id. Only an id
 * with a "/" can lie inside another's, so only such a one leaves a mark, `.parkway/areas/<id>`. The mark comes before the
 * first file and goes after the last. An owner of the shorter id who writes a path at the very moment at which a longer id
 * appears there may leave a file to it; ids and paths that a host chooses so are its own.
 *
 * A file is written by one request, which the service takes up to 5 GB of; nothing is uploaded in parts.
 *
 * Needs the rights to get, put and delete objects and to list the bucket; `removeAll` also those to list and delete
 * versions. Without the right to list, the service hides that an object is absent, and reading one fails.
 *
 * @throws from all methods what the client throws when the bucket cannot be reached or refuses
 */
export function createS3FileStore(options: S3FileStoreOptions): FileStore {
  const bucket = openBucket(options);
  const layout = layoutUnder(options.prefix);

  /** Whether the path is the session's own, asking only for the ids that it could lie below. */
  async function owns(id: string, path: string): Promise<boolean> {
    const [first = "", ...others] = path.split("/");
    if (isSessionArea(first)) return true;
    const ids = [`${id}/${first}`];
    for (const segment of others) ids.push(`${ids.at(-1)}/${segment}`);
    const marks = await Promise.all(ids.map((longer) => hasMark(longer)));
    return !marks.includes(true);
  }

  async function hasMark(id: string): Promise<boolean> {
    const key = layout.area(id);
    return keyRejection(key) === null && bucket.has(key);
  }

  /** What decides of any path of the session whether it is its own. */
  async function ownership(id: string): Promise<(path: string) => boolean> {
    const known = new Set<string>();
    const root = layout.area("");
    for await (const { key } of bucket.list(layout.area(`${id}/`))) known.add(key.slice(root.length));
    return (path) => ownsPath(id, path, (longer) => known.has(longer));
  }

  return {
    async read(sessionId, path) {
      const id = parseSessionId(sessionId);
      const key = layout.file(id, requireFilePath(path));
      if (keyRejection(key) !== null) return null;
      const [isOwn, found] = await Promise.all([owns(id, path), bucket.get(key)]);
      return isOwn && found ? { bytes: found.bytes, version: found.etag, modifiedAt: found.modifiedAt } : null;
    },

    async write(sessionId, path, bytes, condition) {
      const id = parseSessionId(sessionId);
      const key = requireKey(layout.file(id, requireFilePath(path)), path);
      const [isOwn, isMarked] = await Promise.all([owns(id, path), !id.includes("/") || hasMark(id)]);
      if (!isOwn) throw new WorkspacePathEscapeError(path);
      if (!isMarked) await bucket.put(requireKey(layout.area(id), path), new Uint8Array());
      const version = await bucket.put(key, bytes, { condition: conditionOf(condition) });
      if (version === null) throw new FileConflictError(path);
      return { version };
    },

    async remove(sessionId, path) {
      const id = parseSessionId(sessionId);
      const key = layout.file(id, requireFilePath(path));
      if (keyRejection(key) !== null || !(await owns(id, path)) || !(await bucket.has(key))) return false;
      await bucket.remove(key);
      return true;
    },

    async list(sessionId) {
      const id = parseSessionId(sessionId);
      const [isOwn, found] = await Promise.all([ownership(id), filesBelow(bucket, layout.file(id, ""))]);
      return found.filter(({ path }) => isOwn(path)).sort((a, b) => compareText(a.path, b.path));
    },

    async removeAll(sessionId) {
      const id = parseSessionId(sessionId);
      const isOwn = await ownership(id);
      const base = layout.file(id, "");
      await removeVersions(bucket, base, (key) => isOwn(key.slice(base.length)));
      const mark = layout.area(id);
      if (id.includes("/")) await removeVersions(bucket, mark, (key) => key === mark);
    },

    async readShared(path) {
      const key = layout.shared(requireSharedPath(path));
      return keyRejection(key) === null ? ((await bucket.get(key))?.bytes ?? null) : null;
    },

    async listShared(folder, { after, limit }) {
      const root = layout.shared("");
      const files: FileEntry[] = [];
      if (limit < 1) return files;
      for await (const entry of bucket.list(layout.shared(requireSharedFolder(folder)), {
        after: root + after,
        limit,
      })) {
        files.push({ path: entry.key.slice(root.length), sizeBytes: entry.sizeBytes, modifiedAt: entry.modifiedAt });
        if (files.length === limit) break;
      }
      return files;
    },

    async removeShared(path) {
      const shared = layout.shared(requireSharedPath(path));
      await removeVersions(bucket, shared, (key) => key === shared);
    },

    async writeShared(path, bytes) {
      await bucket.put(requireKey(layout.shared(requireSharedPath(path)), path), bytes, { condition: "absent" });
    },
  };
}

function conditionOf(condition: { ifVersion: string | null } | undefined) {
  if (!condition) return undefined;
  return condition.ifVersion === null ? "absent" : { etag: condition.ifVersion };
}

async function filesBelow(bucket: Bucket, base: string): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  for await (const { key, sizeBytes, modifiedAt } of bucket.list(base)) {
    const path = key.slice(base.length);
    // A host, or a console that makes folders, may have put objects at addresses that no path of a file has.
    if (isFilePath(path)) files.push({ path, sizeBytes, modifiedAt });
  }
  return files;
}
