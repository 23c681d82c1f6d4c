/** Loads `parkway.config.ts` (or `.js`, `.mjs`) of a root (C-73). */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ParkwayConfig } from "./config.js";
import { ConfigFileError, oneLineOf } from "./errors.js";

const NAMES = ["parkway.config.ts", "parkway.config.js", "parkway.config.mjs"];

/**
 * What the `parkway.config.ts` of a root exports (C-73); empty without one.
 *
 * @throws {ConfigFileError} when it does not load, or holds an unknown key
 */
export async function loadConfigFile(root: string): Promise<ParkwayConfig> {
  const name = NAMES.find((candidate) => existsSync(join(root, candidate)));
  if (name === undefined) return {};
  const url = pathToFileURL(join(root, name)).href;
  const hooks = registerConfigHooks(url);
  try {
    const loaded = (await import(url)) as { default?: unknown };
    const { parseConfig } = await import("./parse.js");
    return parseConfig(loaded.default);
  } catch (error) {
    throw new ConfigFileError(name, oneLineOf(error), { cause: error });
  } finally {
    hooks.deregister();
  }
}

/**
 * Makes `import … from "parkway"` mean the Parkway that runs, installed beside the root or not, and has Node read the file
 * as an ES module without guessing (it warns on stderr when it guesses).
 */
function registerConfigHooks(configUrl: string): { deregister(): void } {
  return registerHooks({
    resolve(specifier, context, nextResolve) {
      const own = specifier === "parkway" || specifier.startsWith("parkway/");
      const resolved = nextResolve(specifier, own ? { ...context, parentURL: import.meta.url } : context);
      if (resolved.url !== configUrl) return resolved;
      return { ...resolved, format: configUrl.endsWith(".ts") ? "module-typescript" : "module" };
    },
  });
}
