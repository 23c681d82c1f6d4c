/** Input files put into a session before a turn (H-79). */
import { mountOf } from "../kernel/index.js";
import type { MountInfo } from "../kernel/types.js";
import { InvalidSessionPathError } from "../session/errors.js";
import { SESSION_AREAS } from "../spec/index.js";
import { treePath } from "./paths.js";
import { storeBytes } from "./store-bytes.js";
import type { Backend } from "./types.js";

/** First segments beside the areas that no session file may take. */
const RUNTIME_ROOTS = ["_specs", ".parkway", "workflows"];

/**
 * Writes `files` to the session root or `scratchpad/`: strings and bytes as they are, anything else as pretty JSON with a
 * final line break; existing files are replaced. One key that cannot be taken writes nothing.
 *
 * @throws {InvalidSessionPathError} for a key in a mount or an area of the runtime, or one that leaves the session
 */
export async function seedFiles(
  area: Backend,
  seed: { files: Readonly<Record<string, unknown>>; mounts: readonly MountInfo[] },
): Promise<void> {
  const writes = Object.entries(seed.files).map(([key, value]) => ({
    key,
    path: acceptedPath(key, seed.mounts),
    bytes: bytesOf(value),
  }));
  for (const { key, path, bytes } of writes) {
    const error = await storeBytes(area, path, bytes);
    if (error !== null) throw new InvalidSessionPathError(key, `the session store did not take it (${error})`);
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return new TextEncoder().encode(typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`);
}

function acceptedPath(key: string, mounts: readonly MountInfo[]): string {
  const canonical = treePath(key);
  if ("problem" in canonical)
    throw new InvalidSessionPathError(key, "it leaves the session or holds a control character");
  const name = canonical.path.slice(1);
  const first = name.split("/", 1)[0]!;
  if (name === "" || name === "scratchpad") throw new InvalidSessionPathError(key, "it names a folder");
  if (mountOf(name, mounts) !== null) throw new InvalidSessionPathError(key, "it lies in a mount");
  const kept: readonly string[] = [...SESSION_AREAS, ...RUNTIME_ROOTS];
  if (first !== "scratchpad" && kept.includes(first)) {
    throw new InvalidSessionPathError(key, `"${first}/" belongs to the runtime`);
  }
  return canonical.path;
}
