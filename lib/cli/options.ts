/** Reads the values of options that have a form of their own. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { InvalidTurnFileError } from "../session/errors.js";
import { sessionIdRejection } from "../spec/index.js";
import { OutputFileError, UsageError } from "./errors.js";
import type { CommandContext } from "./types.js";

export function textOption(context: CommandContext, name: string): string | undefined {
  return context.options[name] as string | undefined;
}

/** `--variables`: a JSON object. */
export function variablesOption(context: CommandContext): Record<string, unknown> | undefined {
  const source = textOption(context, "variables");
  if (source === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new UsageError(`--variables is no JSON: ${source}`, context.command);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("--variables must be a JSON object", context.command);
  }
  return value as Record<string, unknown>;
}

/** `--file name=path`, read from where the command was called. */
export function filesOption(
  context: CommandContext,
): Record<string, { name: string; content: Uint8Array }> | undefined {
  const given = context.options.file as string[] | undefined;
  if (!given) return undefined;
  const files: Record<string, { name: string; content: Uint8Array }> = {};
  for (const entry of given) {
    const [, name, path] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (!name || !path) throw new UsageError(`--file must be name=path, found "${entry}"`, context.command);
    if (Object.hasOwn(files, name)) throw new UsageError(`--file names "${name}" twice`, context.command);
    files[name] = { name: basename(path), content: readFile(resolve(context.terminal.cwd, path), name) };
  }
  return files;
}

/**
 * Writes a file that an option names, from where the command was called; folders on its way are made.
 *
 * @returns the name as it was given
 * @throws {OutputFileError}
 */
export function writeOutput({ terminal }: CommandContext, file: string, text: string): string {
  const path = resolve(terminal.cwd, file);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new OutputFileError(file, (error as Error).message, { cause: error });
  }
  return file;
}

/** H-91, before anything is assembled (C-70). */
export function checkedSessionId(id: string, command: string): string {
  const rejection = sessionIdRejection(id);
  if (rejection) throw new UsageError(`"${id}" cannot name a session: ${rejection}`, command);
  return id;
}

function readFile(path: string, variable: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InvalidTurnFileError(variable, (error as Error).message);
  }
}
