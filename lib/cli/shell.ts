/** Commands that are printed to be copied into a shell. */
import type { CommandContext } from "./types.js";

/** A command of ours with the root or endpoint it was called with; words are quoted where a shell would split them. */
export function shellCommand(
  { rootOption, endpoint }: Pick<CommandContext, "rootOption" | "endpoint">,
  words: readonly string[],
): string {
  const root = rootOption === undefined ? [] : ["--root", rootOption];
  const where = endpoint === undefined ? root : ["--endpoint", endpoint];
  return ["parkway", ...words, ...where].map(quoted).join(" ");
}

/** The word as a shell takes it for one. */
export function quoted(word: string): string {
  const placeholder = /^<[a-z]+>$/.test(word);
  return placeholder || /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
