/** The mount table: what is served over a session's own area, and how (H-93…H-98). */
import type { MountInfo } from "../kernel/types.js";
import { SESSION_AREAS } from "../spec/index.js";
import { AuthoringBackendExposedError, MountCollisionError } from "./errors.js";
import { isWithin, joinPath, treePath } from "./paths.js";
import { sourceOf } from "./subtree.js";
import type { Backend } from "./types.js";

/** A backend as a mount, with what a host says of it (H-93, H-94). */
export interface MountOptions {
  backend: Backend;
  /** Default true. */
  readOnly?: boolean;
  /** Default false. */
  governed?: boolean;
  /** Default true; false for directory mounts only (H-99). */
  searchable?: boolean;
}

/** Mounts as a host writes them (H-93): a key that ends in `/` is a directory, any other key one exact file. */
export type MountTable = Readonly<Record<string, Backend | MountOptions>>;

/** One mount with its defaults filled in; `path` is canonical, `/skills` or `/AGENTS.md`. */
export interface Mount extends MountInfo {
  /** The key as the host wrote it. */
  key: string;
  path: string;
  backend: Backend;
}

/** First segments that no mount may take beside the session areas (H-97). */
const RUNTIME_ROOTS = ["_specs", "workflows"];

/**
 * The table in normal form, longest path first, which is the order of routing.
 *
 * @throws {MountCollisionError} for a key that begins with a place of the runtime, leaves the root, names the root, or
 * names the same place as another key
 */
export function resolveMounts(table: MountTable): Mount[] {
  const mounts = Object.entries(table).map(([key, entry]) => resolveMount(key, entry));
  const taken = new Set<string>();
  for (const mount of mounts) {
    if (taken.has(mount.path)) throw new MountCollisionError(mount.key, `two mounts are called "${mount.path}"`);
    taken.add(mount.path);
  }
  return mounts.sort((a, b) => b.path.length - a.path.length);
}

/** The table as the kernel knows it, sorted by name. Throws as `resolveMounts` does. */
export function mountInfos(table: MountTable): MountInfo[] {
  return resolveMounts(table)
    .map(({ name, kind, readOnly, governed, searchable }) => ({ name, kind, readOnly, governed, searchable }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * H-31: throws AuthoringBackendExposedError when a writable mount is served by the very backend workflows come from, or by
 * a subtree of it that holds them.
 */
export function checkAuthoringExposure(table: MountTable, authoring: Backend): void {
  const plane = sourceOf(authoring);
  const workflows = joinPath(plane.dir, "workflows");
  for (const mount of resolveMounts(table)) {
    if (mount.readOnly) continue;
    const { backend, dir } = sourceOf(mount.backend);
    const holds = backend === plane.backend && (isWithin(workflows, dir) || isWithin(dir, workflows));
    if (holds || mount.backend === authoring) throw new AuthoringBackendExposedError(mount.key);
  }
}

function resolveMount(key: string, entry: Backend | MountOptions): Mount {
  const options: MountOptions = "backend" in entry ? entry : { backend: entry };
  const canonical = treePath(key);
  if ("problem" in canonical) throw new MountCollisionError(key, "its path leaves the workspace or is no path");
  const name = canonical.path.slice(1);
  const first = name.split("/", 1)[0]!;
  if (name === "") throw new MountCollisionError(key, "the root is the session's own area");
  if ([...SESSION_AREAS, ...RUNTIME_ROOTS].includes(first)) {
    throw new MountCollisionError(key, `"${first}/" belongs to the runtime`);
  }
  const kind = key.endsWith("/") ? "directory" : "file";
  return {
    key,
    path: canonical.path,
    name,
    kind,
    backend: options.backend,
    readOnly: options.readOnly ?? true,
    governed: options.governed ?? false,
    searchable: kind === "file" || (options.searchable ?? true),
  };
}
