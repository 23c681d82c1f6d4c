/** The public names of an entry, as its list in source writes them out. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entry, ROOT } from "./built.js";

export interface PublicNames {
  values: string[];
  types: string[];
}

const EXPORT = /^export (type )?\{([^}]*)\}(?: from "[^"]+")?;/gm;
const ALL_OF = /^export \* from "([^"]+)";/gm;
const DECLARED = /^export (?:declare )?(interface|type|const|function|async function|class) (\w+)/gm;

export function publicNames(name: string): PublicNames {
  return namesIn(join(ROOT, entry(name).source));
}

function namesIn(file: string): PublicNames {
  const text = readFileSync(file, "utf8");
  const found: PublicNames = { values: [], types: [] };
  for (const [, source] of text.matchAll(ALL_OF)) {
    const { values, types } = namesIn(join(dirname(file), source!.replace(/\.js$/, ".ts")));
    found.values.push(...values);
    found.types.push(...types);
  }
  for (const [, allTypes, list] of text.matchAll(EXPORT)) {
    for (const item of list!.split(",").map((word) => word.trim())) {
      if (item === "") continue;
      const isType = allTypes !== undefined || item.startsWith("type ");
      const exported = item
        .replace(/^type /, "")
        .split(" as ")
        .at(-1)!;
      (isType ? found.types : found.values).push(exported);
    }
  }
  for (const [, kind, declared] of text.matchAll(DECLARED)) {
    (kind === "interface" || kind === "type" ? found.types : found.values).push(declared!);
  }
  return found;
}
