/** Where values go that are too large for an item (S-74…S-76). */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Bytes under an area and their SHA-256. A value is never changed, so putting it twice is harmless; it is put before the
 * item that names it is written.
 */
export interface LargeValues {
  /** @param area - whose values these are: removed together */
  put(area: string, sha256: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is none. */
  get(area: string, sha256: string): Promise<Uint8Array | null>;
  /** Removes exactly this area's values, not those of one whose name begins with the same text. */
  removeAll(area: string): Promise<void>;
}

/** Lives and dies with its process; for tests. */
export function createMemoryLargeValues(): LargeValues {
  const areas = new Map<string, Map<string, Uint8Array>>();
  return {
    async put(area, sha256, bytes) {
      const values = areas.get(area) ?? new Map<string, Uint8Array>();
      areas.set(area, values.set(sha256, bytes.slice()));
    },
    async get(area, sha256) {
      return areas.get(area)?.get(sha256)?.slice() ?? null;
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
    async put(area, sha256, bytes) {
      const path = join(folder(area), sha256);
      const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await mkdir(folder(area), { recursive: true });
      await writeFile(aside, bytes);
      await rename(aside, path);
    },
    async get(area, sha256) {
      try {
        return await readFile(join(folder(area), sha256));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    async removeAll(area) {
      await rm(folder(area), { recursive: true, force: true });
    },
  };
}
