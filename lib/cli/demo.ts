/** `parkway demo`. */
import { EXIT } from "./errors.js";
import type { CommandContext } from "./types.js";

export async function demo({ terminal }: CommandContext): Promise<number> {
  terminal.err("The demo is not part of this build.");
  return EXIT.failure;
}
