/** Prose that names files no reader has (W-258). */
import { type KeyPath, type Pass, quote } from "./subject.js";

/** A path that starts `workflows/`, not one that has such a folder further in. */
const AUTHORED_PATH = /(?<![\w./-])(?:\.?\/)?workflows\/[^\s"'`)\]},;]*/;

export function checkInstructions({ report }: Pass, text: string | undefined, path: KeyPath): void {
  const named = AUTHORED_PATH.exec(text ?? "")?.[0];
  if (named === undefined) return;
  report({
    code: "path/mentions-authoring-plane",
    path,
    message: `The instructions name ${quote(named)}, but whoever reads them has no files under workflows/; name a skill's file or say it in words.`,
  });
}
