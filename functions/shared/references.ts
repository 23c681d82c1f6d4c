/** The model's settings of a deployed function (H-126). */
import { isSecretReference, type Secrets } from "../../lib/stores/secrets/index.js";
import type { Environment } from "./environment.js";

/**
 * The `ARCHMAX_*` variables with every reference replaced by what it refers to. The result is handed on, never put back
 * into the process's environment, where child processes and dumps would find it.
 *
 * @throws what `secrets` throws, naming the reference
 */
export async function resolveReferences(env: Environment, secrets: Secrets): Promise<Record<string, string>> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith("ARCHMAX_") && entry[1] !== undefined,
  );
  const resolved = own.map(async ([name, value]) => [name, isSecretReference(value) ? await secrets(value) : value]);
  return Object.fromEntries(await Promise.all(resolved));
}
