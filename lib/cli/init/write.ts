/** Puts the files of a new workspace into a folder, all of them or none. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InitFolderError, InitRefusedError } from "./errors.js";

/**
 * @throws {InitRefusedError} when a file, or something in the place of a folder, is there already; nothing is changed then
 * @throws {InitFolderError} when the folder is a file itself
 */
export function refuseWhatIsThere(root: string, workflow: string, files: readonly string[]): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new InitFolderError(root, "it is a file");
  }
  const folder = `workflows/${workflow}`;
  if (existsSync(join(root, folder))) throw new InitRefusedError(root, [folder]);
  const there = files.filter((file) => existsSync(join(root, file)));
  if (there.length > 0) throw new InitRefusedError(root, there);
}

/**
 * Whatever has come into being meanwhile stays: each file is created, none replaced, and on a failure those made before it
 * are removed again.
 *
 * @throws {InitRefusedError} {InitFolderError}
 */
export function writeAll(root: string, files: Readonly<Record<string, string>>): void {
  const made: (() => void)[] = [];
  try {
    for (const [file, text] of Object.entries(files)) {
      makeFolder(dirname(join(root, file)), made);
      writeFileSync(join(root, file), text, { flag: "wx" });
      made.push(() => rmSync(join(root, file), { force: true }));
    }
  } catch (error) {
    for (const undo of made.reverse()) undo();
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new InitRefusedError(root, [path ?? message]);
    throw new InitFolderError(root, message, { cause: error });
  }
}

function makeFolder(path: string, made: (() => void)[]): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(() => removeEmpty(path));
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody else has put something there.
  }
}

export function readText(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8");
}
