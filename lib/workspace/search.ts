/** Globs and literal search over paths and texts (H-82 g, h). */
import { compileGlob } from "../spec/index.js";
import type { GrepMatch } from "./types.js";

/** Matches at most this many when a search names no `max_count` (H-86, R-240). */
export const DEFAULT_MATCH_CAP = 1000;

/**
 * A test for paths relative to a search's base: `*` and `?` stay within a segment, `**` crosses, dot-names match (the
 * glob language of guards, linear in the path). A leading slash of the pattern is ignored.
 */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  return compileGlob(pattern.normalize("NFC").replace(/^\/+/, ""));
}

/** The `glob` filter of a search: a pattern without a slash is tried on the file's name in any folder. */
export function grepFilter(pattern: string): (relativePath: string) => boolean {
  const matches = globMatcher(pattern);
  return pattern.includes("/") ? matches : (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}

/** Lines of `text` that hold `needle`, at most `limit` of them, numbered from 1. */
export function matchingLines(path: string, text: string, needle: string, limit: number): GrepMatch[] {
  const found: GrepMatch[] = [];
  if (limit <= 0 || !text.includes(needle)) return found;
  for (const [index, line] of linesOf(text).entries()) {
    if (!line.includes(needle)) continue;
    found.push({ path, line: index + 1, text: line });
    if (found.length === limit) break;
  }
  return found;
}

/** Lines of a text; a final line break ends the last line and opens none. An empty text has no lines. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Occurrences of `needle`, not overlapping. */
export function countOccurrences(text: string, needle: string): number {
  return needle === "" ? 0 : text.split(needle).length - 1;
}
