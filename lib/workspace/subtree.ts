/** One folder of a backend as a backend of its own (H-96). */
import { isWithin, joinPath, relativeTo, treePath } from "./paths.js";
import type { Backend, FileInfo } from "./types.js";

/**
 * Serves `dir` of `backend` as a root. Paths are mapped both ways; the optional methods are there exactly when the
 * source has them. A path that leaves the new root is answered with an error, never passed on.
 *
 * @throws {TypeError} when `dir` leaves the backend's root
 */
export function mountSubtree(backend: Backend, dir: string): Backend {
  const canonical = treePath(dir);
  if ("problem" in canonical) throw new TypeError(`"${dir}" is no folder of the backend.`);
  const base = canonical.path;

  const inner = (path: string): string | null => {
    const outer = treePath(path);
    if ("problem" in outer) return null;
    return outer.path === "/" ? base : joinPath(base, outer.path.slice(1));
  };
  const outer = (path: string): string => {
    const absolute = path.startsWith("/") ? path : `/${path}`;
    return isWithin(absolute, base) ? `/${relativeTo(absolute, base)}` : absolute;
  };
  const at = async <T extends object>(
    path: string,
    work: (innerPath: string) => Promise<T>,
  ): Promise<T | { error: string }> => {
    const innerPath = inner(path);
    return innerPath === null ? { error: "invalid_path" } : work(innerPath);
  };
  const moved = <T extends { path: string }>(items: T[]): T[] =>
    items.map((item) => ({ ...item, path: outer(item.path) }));
  const listed = <R extends { files?: FileInfo[] }>(result: R): R =>
    result.files ? { ...result, files: moved(result.files) } : result;
  const renamed = <T extends { path?: string }>(result: T): T =>
    result.path === undefined ? result : { ...result, path: outer(result.path) };

  const rebased: Backend = {
    ls: (path) => at(path, async (p) => listed(await backend.ls(p))),
    read: (path, offset, limit) => at(path, (p) => backend.read(p, offset, limit)),
    readRaw: (path) => at(path, (p) => backend.readRaw(p)),
    write: (path, content) => at(path, async (p) => renamed(await backend.write(p, content))),
    edit: (path, oldText, newText, replaceAll) =>
      at(path, async (p) => renamed(await backend.edit(p, oldText, newText, replaceAll))),
    glob: (pattern, path = "/") => at(path, async (p) => listed(await backend.glob(pattern, p))),
    grep: (pattern, path = "/", glob, maxCount) =>
      at(path, async (p) => {
        const result = await backend.grep(pattern, p, glob, maxCount);
        return result.matches ? { ...result, matches: moved(result.matches) } : result;
      }),
  };

  const { downloadFiles, uploadFiles, delete: remove } = backend;
  if (downloadFiles) {
    rebased.downloadFiles = (paths) =>
      inBatch(paths, {
        innerPath: inner,
        refused: (path) => ({ path, content: null, error: "invalid_path" as const }),
        call: (innerPaths) => downloadFiles.call(backend, innerPaths),
      });
  }
  if (uploadFiles) {
    rebased.uploadFiles = (files) =>
      inBatch(files, {
        innerPath: ([path]) => inner(path),
        refused: ([path]) => ({ path, error: "invalid_path" as const }),
        call: (innerPaths, sent) =>
          uploadFiles.call(
            backend,
            innerPaths.map((path, index) => [path, sent[index]![1]]),
          ),
        named: ([path]) => path,
      });
  }
  if (remove) rebased.delete = (path) => at(path, (p) => remove.call(backend, p));
  const source = sourceOf(backend);
  SOURCES.set(rebased, { backend: source.backend, dir: joinPath(source.dir, base.slice(1)).replace(/(?<=.)\/$/, "") });
  return rebased;
}

const SOURCES = new WeakMap<Backend, { backend: Backend; dir: string }>();

/** The backend that a subtree, of a subtree even, is a folder of, and that folder; any other backend is its own root. */
export function sourceOf(backend: Backend): { backend: Backend; dir: string } {
  return SOURCES.get(backend) ?? { backend, dir: "/" };
}

/** One result per item, in order and under the path it was asked by; a refused path does not touch the others. */
async function inBatch<I, R extends { path: string }>(
  items: I[],
  rules: {
    innerPath(item: I): string | null;
    refused(item: I): R;
    call(innerPaths: string[], items: I[]): Promise<R[]>;
    named?(item: I): string;
  },
): Promise<R[]> {
  const paths = items.map(rules.innerPath);
  const passed = items.filter((_, index) => paths[index] !== null);
  const answers =
    passed.length > 0
      ? await rules.call(
          paths.filter((path) => path !== null),
          passed,
        )
      : [];
  const name = rules.named ?? String;
  return items.map((item, index) => {
    const answered = paths[index] === null ? rules.refused(item) : answers.shift()!;
    return { ...answered, path: name(item) };
  });
}
