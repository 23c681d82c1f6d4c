/** The `.env` file of a workspace root (H-125). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./environment.js";
import { EnvFileError } from "./errors.js";

/**
 * The environment with what `<dir>/.env` adds: a variable that `env` has, even an empty one, wins over the file. A missing
 * file adds nothing. Neither `env` nor the process is changed, and nothing is printed.
 *
 * @throws {EnvFileError} for a file that is there and cannot be read
 */
export function loadDotEnv(dir: string, env: Environment): Record<string, string | undefined> {
  const merged: Record<string, string | undefined> = { ...readDotEnv(join(dir, ".env")) };
  for (const [name, value] of Object.entries(env)) if (value !== undefined) merged[name] = value;
  return merged;
}

function readDotEnv(file: string): Record<string, string | undefined> {
  try {
    return { ...parseEnv(readFileSync(file, "utf8").replace(/^\uFEFF/, "")) };
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return {};
    throw new EnvFileError(file, (error as Error).message);
  }
}
