/** Files as objects of a bucket, for mounts, authored files and session stores (H-82). */
import { type Backend, FileProblem, parentOf, type Tree, treeBackend, treePath } from "../../workspace/index.js";
import { type BucketOptions, type ObjectEntry, openBucket } from "./bucket.js";
import { keyRejection } from "./keys.js";

/** The bucket of `createS3Backend`, and how it is reached. */
export interface S3BackendOptions extends BucketOptions {
  /** What all keys begin with; a "/" is added where it has none at its end. It is in no path that is answered. */
  prefix?: string;
}

/**
 * A backend over a bucket: the file `/a/b` is the object `<prefix>a/b`, and folders are what the keys of objects imply.
 * The service's own guarantees hold: what is written is seen by whoever reads next, and a file is replaced whole. Of two
 * processes that write or edit one file at once, the last one counts. `glob` and `grep` list everything below their path,
 * and `grep` reads it.
 *
 * Needs the rights to get, put and delete objects and to list the bucket. The AWS SDK is loaded at the first use.
 *
 * @example
 * const handbook = createS3Backend({ bucket: "handbook", prefix: "published" });
 * const agent = await createAgent({ workflow: "desk", workspace: { mounts: { "/handbook/": handbook } } });
 *
 * @throws from all methods what the client throws when the bucket cannot be reached or refuses
 */
export function createS3Backend(options: S3BackendOptions): Required<Backend> {
  return treeBackend(bucketTree(options));
}

function bucketTree(options: S3BackendOptions): Tree {
  const bucket = openBucket(options);
  const bare = (options.prefix ?? "").replace(/^\/+/, "");
  const base = bare === "" || bare.endsWith("/") ? bare : `${bare}/`;
  const keyOf = (path: string) => base + path.slice(1);
  const folderOf = (path: string) => (path === "/" ? base : `${keyOf(path)}/`);
  const pathOf = (key: string) => `/${key.slice(base.length)}`;

  async function holdsFiles(path: string): Promise<boolean> {
    const folder = folderOf(path);
    for await (const _entry of bucket.list(folder, { after: folder, limit: 1 })) return true;
    return path === "/";
  }

  /** What is a file is no folder. */
  async function refuseBelowFile(path: string): Promise<void> {
    const above: string[] = [];
    for (let at = parentOf(path); at !== "/"; at = parentOf(at)) above.push(at);
    const areFiles = await Promise.all(above.map((folder) => bucket.has(keyOf(folder))));
    if (areFiles.includes(true)) throw new FileProblem("invalid_path", "a file lies where a folder is needed");
  }

  /** Null for what no path of a file leads to: a folder's own mark, `a//b`. */
  function fileOf({ key, sizeBytes, modifiedAt }: ObjectEntry) {
    const path = pathOf(key);
    if (!isPath(path)) return null;
    return { path, size: sizeBytes, modifiedAt: new Date(modifiedAt).toISOString() };
  }

  return {
    async read(path) {
      const key = keyOf(path);
      if (path === "/") throw new FileProblem("is_directory");
      const found = keyRejection(key) === null ? await bucket.get(key) : null;
      if (found) return { bytes: found.bytes, version: found.etag, modifiedAt: found.modifiedAt };
      if (keyRejection(`${key}/`) === null && (await holdsFiles(path))) throw new FileProblem("is_directory");
      return null;
    },

    async write(path, bytes, found) {
      const reason = keyRejection(keyOf(path));
      if (reason !== null) throw new FileProblem("invalid_path", "the store has no such place");
      if (found === null) await refuseBelowFile(path);
      await bucket.put(keyOf(path), bytes);
    },

    async remove(path) {
      if (keyRejection(keyOf(path)) !== null) return false;
      if (path !== "/" && (await bucket.has(keyOf(path)))) {
        await bucket.remove(keyOf(path));
        return true;
      }
      if (await holdsFiles(path)) throw new FileProblem("is_directory");
      return false;
    },

    async children(dir) {
      if (keyRejection(folderOf(dir)) !== null) return [];
      const { objects, folders } = await bucket.level(folderOf(dir));
      const inner = folders.map((key) => pathOf(key).slice(0, -1)).filter(isPath);
      return [
        ...objects.map(fileOf).filter((file) => file !== null),
        ...inner.map((path) => ({ path, isDir: true as const })),
      ];
    },

    async walk(path) {
      if (keyRejection(folderOf(path)) !== null) return [];
      const files = [];
      for await (const entry of bucket.list(folderOf(path))) files.push(fileOf(entry));
      const itself = path === "/" ? null : await bucket.head(keyOf(path));
      return [...(itself ? [fileOf(itself)] : []), ...files].filter((file) => file !== null);
    },
  };
}

function isPath(path: string): boolean {
  const canonical = treePath(path);
  return "path" in canonical && canonical.path === path && path !== "/";
}
