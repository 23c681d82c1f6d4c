/** Commands that are printed to be copied into a shell. */
import type { CommandContext } from "./types.js";

/** A command of ours with the root it was called with; words are quoted where a shell would split them. */
export function shellCommand(context: Pick<CommandContext, "rootOption">, words: readonly string[]): string {
  const root = context.rootOption === undefined ? [] : ["--root", context.rootOption];
  return ["parkway", ...words, ...root].map(quoted).join(" ");
}

function quoted(word: string): string {
  const placeholder = /^<[a-z]+>$/.test(word);
  return placeholder || /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
