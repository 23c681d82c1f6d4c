/** One level of the workspace: what the serving store lists, overlaid by the mounts below. */
import type { Mount } from "./mounts.js";
import { byPath, isWithin, joinPath, parentOf, relativeTo } from "./paths.js";
import { HIDDEN_AREAS, outerPath, type Routes } from "./routing.js";
import type { FileInfo } from "./types.js";

export async function listFolder(routes: Routes, path: string): Promise<{ files?: FileInfo[]; error?: string }> {
  const place = routes.placeOf(path);
  const listed = await place.backend.ls(place.inner);
  if (listed.error !== undefined) return { error: listed.error };

  const entries = new Map<string, FileInfo>();
  for (const file of listed.files ?? []) {
    const outer = outerPath(place.mount, withoutFinalSlash(file.path));
    const shown = routes.placeOf(outer).mount === place.mount && !HIDDEN_AREAS.includes(outer);
    if (shown) entries.set(outer, { ...file, path: outer, ...(file.path.endsWith("/") ? { isDir: true } : {}) });
  }
  for (const mount of routes.mounts) {
    if (mount.path === place.path || !isWithin(mount.path, place.path)) continue;
    const [name = "", ...deeper] = relativeTo(mount.path, place.path).split("/");
    const child = joinPath(place.path, name);
    if (mount.kind === "directory" || deeper.length > 0) entries.set(child, { path: child, isDir: true });
    else {
      const info = await mountedFile(mount);
      if (info) entries.set(child, info);
    }
  }
  return { files: [...entries.values()].sort(byPath) };
}

/** The file of a file mount as its store lists it; null when it is not there. */
export async function mountedFile(mount: Mount): Promise<FileInfo | null> {
  const { files } = await mount.backend.ls(parentOf(mount.path));
  return files?.find((file) => outerPath(mount, file.path) === mount.path && !file.isDir) ?? null;
}

function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
