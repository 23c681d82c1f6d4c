/** Files sent with a turn: checked before anything is written, then placed once (R-19…R-21, H-72…H-74). */
import { InvalidTurnFileError } from "../session/errors.js";
import { isVariableName } from "../spec/index.js";
import { sameBytes } from "./bytes.js";
import { joinPath } from "./paths.js";
import { contentForWrite, storeBytes } from "./store-bytes.js";
import type { Backend } from "./types.js";

export interface TurnFile {
  variable: string;
  name: string;
  bytes: Uint8Array;
}

export interface TurnFileChecks {
  /** Names that `variables` of the same input supplies. */
  supplied: readonly string[];
  /** The session waits for a decision. */
  awaitingDecision: boolean;
  /** The session's own area: can it hold the bytes? */
  area: Backend;
}

const ATTACHMENTS = "/scratchpad/attachments";
/** Where the chosen names are kept, in an area that no agent reaches. */
const PLACEMENTS = "/checkpoints/attachments";
const MAX_NAME_BYTES = 255;

/**
 * Refuses files that cannot be taken, all of them for one bad one, before anything is written.
 *
 * @throws {InvalidTurnFileError} naming the first variable, in key order, whose file cannot be taken
 */
export function checkTurnFiles(files: readonly TurnFile[], checks: TurnFileChecks): void {
  for (const file of inKeyOrder(files)) {
    const reason = rejection(file, checks);
    if (reason !== null) throw new InvalidTurnFileError(file.variable, reason);
  }
}

/**
 * Writes the files to `scratchpad/attachments/` and answers each variable's path (without a leading slash), numbering
 * names that are taken: `invoice.pdf`, `invoice-1.pdf`, ….
 *
 * A re-run after a crash places no second copy: the names are chosen once per arrival and noted under its id before
 * the first file is written, so a re-run writes the same bytes under the same names. Comparing bytes alone would not
 * do: the same file sent with two arrivals is two files.
 *
 * @throws {InvalidTurnFileError} when the store refuses a file
 */
export async function placeTurnFiles(
  area: Backend,
  placement: { arrivalId: string; files: readonly TurnFile[] },
): Promise<Record<string, string>> {
  const files = inKeyOrder(placement.files);
  if (files.length === 0) return {};
  const note = `${PLACEMENTS}/${placement.arrivalId.replace(/[^A-Za-z0-9_-]/g, "_")}.json`;
  const names = (await notedNames(area, note)) ?? (await chooseNames(area, files));
  await mustSucceed(files[0]!.variable, (await area.write(note, JSON.stringify(names))).error ?? null);

  const paths: Record<string, string> = {};
  for (const file of files) {
    const path = joinPath(ATTACHMENTS, names[file.variable]!);
    if (!(await holds(area, path, file.bytes))) {
      await mustSucceed(file.variable, await storeBytes(area, path, file.bytes));
    }
    paths[file.variable] = path.slice(1);
  }
  return paths;
}

function rejection(file: TurnFile, checks: TurnFileChecks): string | null {
  const { variable, name, bytes } = file;
  if (!isVariableName(variable)) return "variable names match ^[a-z][a-z0-9_]*$";
  if (variable === "trigger") return "this variable is set by the runtime";
  if (checks.supplied.includes(variable)) return "`variables` supplies the same name; give it once";
  if (checks.awaitingDecision) return "the session waits for a decision and takes no files; decide first";
  if (name === "" || name === "." || name === "..") return "a file needs a name of its own";
  if (/[/\\]/.test(name)) return "the name must be one path segment, without slash or backslash";
  if (/\p{Cc}/u.test(name)) return "the name holds a control character";
  if (!name.isWellFormed()) return "the name holds half a surrogate pair";
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) return `the name is longer than ${MAX_NAME_BYTES} bytes`;
  if (!checks.area.uploadFiles && contentForWrite(`/${name}`, bytes) === null) {
    return "the session store holds text only and cannot keep these bytes unchanged";
  }
  return null;
}

/** Free names for all files, in key order; two files of one arrival never share one (H-73). */
async function chooseNames(area: Backend, files: readonly TurnFile[]): Promise<Record<string, string>> {
  const listed = await area.ls(ATTACHMENTS);
  const taken = new Set((listed.files ?? []).map(({ path }) => path.slice(path.lastIndexOf("/") + 1)));
  const names: Record<string, string> = {};
  for (const { variable, name } of files) {
    const free = freeName(name.normalize("NFC"), taken);
    taken.add(free);
    names[variable] = free;
  }
  return names;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  let number = 1;
  while (taken.has(`${stem}-${number}${extension}`)) number += 1;
  return `${stem}-${number}${extension}`;
}

async function notedNames(area: Backend, note: string): Promise<Record<string, string> | null> {
  const { data } = await area.readRaw(note);
  return typeof data?.content === "string" ? (JSON.parse(data.content) as Record<string, string>) : null;
}

async function holds(area: Backend, path: string, bytes: Uint8Array): Promise<boolean> {
  const [found] = (await area.downloadFiles?.([path])) ?? [];
  return found?.content != null && sameBytes(found.content, bytes);
}

async function mustSucceed(variable: string, error: string | null): Promise<void> {
  if (error !== null) throw new InvalidTurnFileError(variable, `the session store did not take it (${error})`);
}

function inKeyOrder(files: readonly TurnFile[]): TurnFile[] {
  return [...files].sort((a, b) => (a.variable < b.variable ? -1 : a.variable > b.variable ? 1 : 0));
}
