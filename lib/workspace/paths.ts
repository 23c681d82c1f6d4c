/** Paths inside a tree: absolute, POSIX, canonical (F-96). */
import { canonicalPath } from "../kernel/index.js";

/**
 * The canonical form `/a/b` of a path, or why it has none: `escapes` when it climbs above the root, `invalid` when it
 * holds a control character.
 */
export function treePath(path: string): { path: string } | { problem: "escapes" | "invalid" } {
  const canonical = canonicalPath(path);
  if (canonical.control) return { problem: "invalid" };
  return canonical.escapes ? { problem: "escapes" } : { path: `/${canonical.path}` };
}

/** Whether `path` is `dir` or lies under it; both canonical. */
export function isWithin(path: string, dir: string): boolean {
  return dir === "/" || path === dir || path.startsWith(`${dir}/`);
}

/** `/a/b` of `/a` and `b`; also where `dir` is the root. */
export function joinPath(dir: string, name: string): string {
  return dir === "/" ? `/${name}` : `${dir}/${name}`;
}

/** The part of `path` below `dir`, without a leading slash; empty when they are the same. */
export function relativeTo(path: string, dir: string): string {
  return dir === "/" ? path.slice(1) : path.slice(dir.length + 1);
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Order of listings and search results: by code units, the same everywhere. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
