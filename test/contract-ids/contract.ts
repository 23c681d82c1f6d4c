/** The requirement ids of the contract's chapters, and the exceptions from being tested. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Contract {
  /** Every id a chapter defines, in order. */
  ids: string[];
  /** id → why no test cites it yet. */
  exceptions: Map<string, string>;
}

/** Where a requirement is defined: its id in bold at a line's beginning, `**W-14** …` or `**S-59.** …`. */
const DEFINITION = /^\s*(?:[-*] )?\*\*([WRSHNCAF]-\d+)\b[^*]*\*\*/gm;
/** A row of the exceptions: `| W-14 | reason |`; a range `W-14…W-20` stands for all of it. */
const EXCEPTION = /^\|\s*([WRSHNCAF])-(\d+)(?:…[WRSHNCAF]-(\d+))?\s*\|\s*(.+?)\s*\|\s*$/gm;

export function readContract(folder: string): Contract {
  const ids = new Set<string>();
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "exceptions.md")
    .sort()) {
    for (const id of idsOf(readFileSync(join(folder, file), "utf8"))) ids.add(id);
  }
  return { ids: [...ids].sort(byId), exceptions: exceptionsOf(readFileSync(join(folder, "exceptions.md"), "utf8")) };
}

export function idsOf(chapter: string): string[] {
  return [...chapter.matchAll(DEFINITION)].map((match) => match[1]!);
}

export function exceptionsOf(source: string): Map<string, string> {
  const exceptions = new Map<string, string>();
  for (const [, letter, first, last, reason] of source.matchAll(EXCEPTION)) {
    for (let n = Number(first); n <= Number(last ?? first); n++) exceptions.set(`${letter}-${n}`, reason!);
  }
  return exceptions;
}

/** Orders ids by chapter letter, then by number. */
export function byId(a: string, b: string): number {
  return a[0] === b[0] ? Number(a.slice(2)) - Number(b.slice(2)) : a < b ? -1 : 1;
}
