/** moto in a virtual environment of its own. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
const INSTALLED_WITHIN_MS = 300_000;

/** This machine has no Python, or its pip finds no moto: nothing that this repository could mend. */
export class CannotInstallError extends Error {
  override name = "CannotInstallError";
}

/**
 * Makes the environment in `dir` unless it is there with the required versions.
 *
 * @returns its Python
 * @throws {CannotInstallError} with a last line of what Python or pip said
 */
export async function installMoto(dir: string): Promise<string> {
  const python = join(dir, "bin", "python");
  const installed = join(dir, "requirements.txt");
  const required = readFileSync(REQUIREMENTS, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === required && existsSync(python)) return python;
  try {
    rmSync(dir, { recursive: true, force: true });
    await run("python3", ["-m", "venv", dir]);
    console.log(`Installing ${required.trim()} into ${dir} …`);
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS];
    await run(python, args, { timeout: INSTALLED_WITHIN_MS });
  } catch (error) {
    const { stderr = "", stdout = "", message } = error as Error & { stderr?: string; stdout?: string };
    const said = (stderr.trim() || stdout.trim() || message).split("\n").at(-1);
    throw new CannotInstallError(`for Python or pip said: ${said}`, { cause: error });
  }
  writeFileSync(installed, required);
  return python;
}
