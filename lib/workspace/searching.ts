/** Searches over the session's area and the mounts below the place they start at (H-86, H-99, R-224). */
import { mountedFile } from "./listing.js";
import type { Mount } from "./mounts.js";
import { byPath, isWithin, relativeTo } from "./paths.js";
import { HIDDEN_AREAS, outerPath, type Place, type Routes } from "./routing.js";
import { DEFAULT_MATCH_CAP, type Found, globMatcher, grepFilter, grepShown } from "./search.js";
import type { Backend, FileInfo, GrepMatch } from "./types.js";

interface Layer {
  mount: Mount | null;
  backend: Backend;
  /** Where the search starts in the backend. */
  inner: string;
}

export async function globWorkspace(
  routes: Routes,
  pattern: string,
  path: string,
): Promise<{ files?: FileInfo[]; error?: string }> {
  const base = routes.placeOf(path);
  const layers = layersOf(routes, base);
  // Under one store the pattern can be asked as it is; several stores are asked for all files, since a pattern that
  // spans them means nothing inside one. The file of a file mount is not searched for at all.
  const isAsked = layers.length === 1 && base.mount?.kind !== "file";
  const asked = isAsked ? pattern : "**";
  const matches = isAsked ? () => true : globMatcher(pattern);

  const files: FileInfo[] = [];
  for (const layer of layers) {
    const found = await filesOf(layer, asked);
    if (found.error !== undefined) return { error: found.error };
    files.push(...shown(routes, layer, found.files ?? []).filter((file) => matches(relativeTo(file.path, base.path))));
  }
  return { files: files.filter((file) => !file.isDir).sort(byPath) };
}

export async function grepWorkspace(
  routes: Routes,
  pattern: string,
  search: { path: string; glob?: string; maxCount?: number },
): Promise<Found> {
  const base = routes.placeOf(search.path);
  const layers = layersOf(routes, base);
  const cap = search.maxCount ?? DEFAULT_MATCH_CAP;
  const spans = layers.length > 1 && search.glob?.includes("/") === true;

  const matches: GrepMatch[] = [];
  let truncated = false;
  for (const layer of layers) {
    const found = spans
      ? await grepChosenFiles(routes, layer, { pattern, glob: search.glob!, base: base.path, cap })
      : await grepLayer(routes, layer, { pattern, glob: search.glob, base: base.path, cap });
    if (found.error !== undefined) return { error: found.error };
    if (found.truncated) truncated = true;
    matches.push(...(found.matches ?? []));
  }
  matches.sort((a, b) => byPath(a, b) || a.line - b.line);
  if (matches.length > cap) truncated = true;
  return { matches: matches.slice(0, cap), ...(truncated ? { truncated } : {}) };
}

/**
 * The store that serves the place, and every searchable mount below it. A mount that is not searchable is asked only
 * when the search is addressed at it or inside it.
 */
function layersOf(routes: Routes, base: Place): Layer[] {
  const below = routes.mounts.filter(
    (mount) => mount.searchable && mount.path !== base.path && isWithin(mount.path, base.path),
  );
  return [
    { mount: base.mount, backend: base.backend, inner: base.inner },
    ...below.map((mount) => ({
      mount,
      backend: mount.backend,
      inner: mount.kind === "file" ? mount.path : "/",
    })),
  ];
}

/** A layer's results under their workspace paths, without what a mount hides or the runtime keeps to itself. */
function shown<T extends { path: string }>(routes: Routes, layer: Layer, items: readonly T[]): T[] {
  return items
    .map((item) => ({ ...item, path: outerPath(layer.mount, item.path) }))
    .filter(({ path }) => isShown(routes, layer, path));
}

function isShown(routes: Routes, { mount }: Layer, path: string): boolean {
  if (routes.placeOf(path).mount !== mount) return false;
  return mount !== null || !HIDDEN_AREAS.some((area) => isWithin(path, area));
}

/** Whether the layer may hold anything below the folder that is not shown. */
function hidesBelow(routes: Routes, { mount }: Layer, dir: string): boolean {
  if (mount === null && HIDDEN_AREAS.some((area) => isWithin(area, dir) || isWithin(dir, area))) return true;
  return routes.mounts.some((other) => other !== mount && isWithin(other.path, dir));
}

async function filesOf(layer: Layer, pattern: string): Promise<{ files?: FileInfo[]; error?: string }> {
  if (layer.mount?.kind !== "file") return layer.backend.glob(pattern, layer.inner);
  const info = await mountedFile(layer.mount);
  return { files: info ? [info] : [] };
}

/** What a store shows of its matches, under workspace paths. */
async function grepLayer(
  routes: Routes,
  layer: Layer,
  { pattern, glob, base, cap }: { pattern: string; glob?: string; base: string; cap: number },
): Promise<Found> {
  const ask = async (maxCount: number): Promise<Found> => {
    const { matches = [], ...found } = await layer.backend.grep(pattern, layer.inner, glob, maxCount);
    return { ...found, matches: matches.map((match) => ({ ...match, path: outerPath(layer.mount, match.path) })) };
  };
  const start = layer.mount === null || isWithin(base, layer.mount.path) ? base : layer.mount.path;
  return grepShown(cap, ask, hidesBelow(routes, layer, start) ? (match) => isShown(routes, layer, match.path) : null);
}

/** For a filter that spans stores: its files are chosen first, then searched one by one. */
async function grepChosenFiles(
  routes: Routes,
  layer: Layer,
  search: { pattern: string; glob: string; base: string; cap: number },
): Promise<Found> {
  const found = await filesOf(layer, "**");
  if (found.error !== undefined) return { error: found.error };
  const accepts = grepFilter(search.glob);
  const matches: GrepMatch[] = [];
  for (const file of [...(found.files ?? [])].sort(byPath)) {
    const [outer] = shown(routes, layer, [file]);
    if (!outer || !accepts(relativeTo(outer.path, search.base))) continue;
    const inFile = await layer.backend.grep(search.pattern, file.path, undefined, search.cap);
    if (inFile.error !== undefined) return { error: inFile.error };
    matches.push(...shown(routes, layer, inFile.matches ?? []));
    if (inFile.truncated || matches.length > search.cap) return { matches, truncated: true };
  }
  return { matches };
}
