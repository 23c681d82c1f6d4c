/** Folders for tests, gone afterwards. In memory where the system offers it, since nothing here tests the disk. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TemporaryFolder {
  dir: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const dir = mkdtempSync(join(base, "parkway-"));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Writes files by their paths below `dir`, parents included. */
export function writeTree(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}
