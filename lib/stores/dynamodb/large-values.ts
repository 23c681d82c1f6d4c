/** Where values go that are too large for an item (S-74…S-76). */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { compareText } from "../selection.js";

export interface ValueEntry {
  area: string;
  name: string;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** Where a listing goes on after it. */
  cursor: string;
}

/**
 * Bytes under an area and a name, which begins with their SHA-256. A value is never changed, so putting it twice is
 * harmless; it is put before the item that names it is written.
 */
export interface LargeValues {
  /** @param area - whose values these are: removed together */
  put(area: string, name: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is none. */
  get(area: string, name: string): Promise<Uint8Array | null>;
  /** Values of all areas, in an order that stays, from the one after a cursor on; the empty cursor is the start. */
  list(page: { after: string; limit: number }): Promise<ValueEntry[]>;
  remove(area: string, name: string): Promise<void>;
  /** Removes exactly this area's values, not those of one whose name begins with the same text. */
  removeAll(area: string): Promise<void>;
}

/** Lives and dies with its process; for tests. */
export function createMemoryLargeValues(options: { now?: () => number } = {}): LargeValues {
  const now = options.now ?? Date.now;
  const areas = new Map<string, Map<string, { bytes: Uint8Array; modifiedAt: number }>>();
  return {
    async put(area, name, bytes) {
      const values = areas.get(area) ?? new Map();
      if (!values.has(name)) values.set(name, { bytes: bytes.slice(), modifiedAt: now() });
      areas.set(area, values);
    },
    async get(area, name) {
      return areas.get(area)?.get(name)?.bytes.slice() ?? null;
    },
    async list(page) {
      const all = [...areas].flatMap(([area, values]) =>
        [...values].map(([name, { modifiedAt }]) => ({ area, name, modifiedAt, cursor: `${area}/${name}` })),
      );
      return pageOf(all, page);
    },
    async remove(area, name) {
      areas.get(area)?.delete(name);
    },
    async removeAll(area) {
      areas.delete(area);
    },
  };
}

/**
 * Files of a folder, for local use beside a local DynamoDB.
 *
 * @param options.dir - made when it is not there
 */
export function createFileLargeValues(options: { dir: string }): LargeValues {
  const folder = (area: string) => join(options.dir, Buffer.from(area).toString("base64url"));
  return {
    async put(area, name, bytes) {
      const path = join(folder(area), name);
      const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await mkdir(folder(area), { recursive: true });
      await writeFile(aside, bytes);
      await rename(aside, path);
    },
    async get(area, name) {
      return orNull(readFile(join(folder(area), name)));
    },
    async list(page) {
      const paths = (await orNull(readdir(options.dir, { recursive: true }))) ?? [];
      const names = paths.map((path) => path.split(sep)).filter((parts) => parts.length === 2) as [string, string][];
      const entries = pageOf(
        names.map(([encoded, name]) => ({ encoded, name, cursor: `${encoded}/${name}` })),
        page,
      );
      const listed = entries.map(async ({ encoded, name, cursor }): Promise<ValueEntry[]> => {
        const stats = await orNull(stat(join(options.dir, encoded, name)));
        const area = Buffer.from(encoded, "base64url").toString();
        return stats ? [{ area, name, modifiedAt: Math.round(stats.mtimeMs), cursor }] : [];
      });
      return (await Promise.all(listed)).flat();
    },
    async remove(area, name) {
      await rm(join(folder(area), name), { force: true });
    },
    async removeAll(area) {
      await rm(folder(area), { recursive: true, force: true });
    },
  };
}

function pageOf<Entry extends { cursor: string }>(
  entries: readonly Entry[],
  { after, limit }: { after: string; limit: number },
): Entry[] {
  const left = entries.filter(({ cursor }) => cursor > after);
  return left.sort((a, b) => compareText(a.cursor, b.cursor)).slice(0, limit);
}

async function orNull<Result>(found: Promise<Result>): Promise<Result | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
