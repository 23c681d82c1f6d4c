/** The built package, and what its files import. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

export interface Entry {
  /** As it is imported: `parkway/spec`. */
  name: string;
  /** Path of its source in the repository. */
  source: string;
  /** Path of its bundle. */
  file: string;
}

/** The entries of package.json's `exports`. */
export function entries(): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { types: string; default: string } | string>;
  };
  return Object.entries(exports).flatMap(([key, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            name: key.replace(/^\./, "parkway"),
            source: target.types.replace("./dist/types/", "").replace(/\.d\.ts$/, ".ts"),
            file: target.default,
          },
        ],
  );
}

export function entry(name: string): Entry {
  const found = entries().find((candidate) => candidate.name === name);
  if (!found) throw new Error(`package.json exports no ${name}`);
  return found;
}

/** Builds what is stale, as the command does. */
export function buildIfStale(): void {
  const program = `const { isStale, build } = await import("./bin/build.mjs"); if (isStale()) await build();`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: ROOT });
}

const IMPORT = /(?:^|[;}\n])\s*(?:import|export)\s*(?:[^'"();]*?\sfrom\s*)?"([^"]+)"|\bimport\("([^"]+)"\)/g;

/** A bundle with everything it imports by statement, and the specifiers that lead out of dist/. */
export function staticGraph(file: string): { files: string[]; outside: string[]; text: string } {
  const outside = new Set<string>();
  const texts = new Map<string, string>();
  const queue = [join(ROOT, file)];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (texts.has(path)) continue;
    const text = readFileSync(path, "utf8");
    texts.set(path, text);
    for (const [, stated, called] of text.matchAll(IMPORT)) {
      const specifier = stated ?? called ?? "";
      if (!specifier.startsWith(".")) outside.add(specifier);
      else if (stated !== undefined) queue.push(join(dirname(path), specifier));
    }
  }
  return { files: [...texts.keys()], outside: [...outside], text: [...texts.values()].join("\n") };
}
