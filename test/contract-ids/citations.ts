/** Which requirement ids the names of tests cite. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** id → files with a test that cites it. */
export type Citations = Map<string, Set<string>>;

/**
 * A string literal that begins with ids, and what stands before it on its line: `it("R-62 R-63 parks …"`, a table's
 * `["R-62 …"`; or one that is nothing but ids, in a table whose rows begin with them: `["W-56", …]`.
 */
const NAME = /([^\n"'`]*)(["'`])((?:[WRSHNCAF]-\d+ )*[WRSHNCAF]-\d+(?=\2,)|(?:[WRSHNCAF]-\d+[ ,:]+)+)/g;
/** Files whose names cite: tests, and the suites that every adapter of a port passes. */
const TESTED = /\.(?:test|contract)\.ts$/;
/** What turns a literal into no citation: the test does not run. */
const NOT_RUN = /\.(?:skip|todo)\b[^;]*$/;

export function readCitations(folders: readonly string[]): Citations {
  const citations: Citations = new Map();
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!TESTED.test(name) || name.startsWith("contract-ids")) continue;
      const file = join(folder, name);
      for (const id of citedIn(readFileSync(file, "utf8"))) {
        const files = citations.get(id) ?? new Set();
        citations.set(id, files.add(file));
      }
    }
  }
  return citations;
}

export function citedIn(source: string): string[] {
  const cited = new Set<string>();
  for (const [, before, , ids] of source.matchAll(NAME)) {
    if (NOT_RUN.test(before!)) continue;
    for (const id of ids!.match(/[WRSHNCAF]-\d+/g) ?? []) cited.add(id);
  }
  return [...cited];
}
