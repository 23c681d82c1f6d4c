/** Regular expressions written as strings, `/pattern/flags` (C-15). */

const FORM = /^\/(.*)\/([a-z]*)$/s;

/**
 * Reads a string that may be a regular expression: null when it is plain text, `{ error }` when it has the form but
 * cannot be compiled. The flags `g` and `y` are accepted and dropped: they would make `test` remember its last match.
 */
export function readRegexString(text: string): { regex: RegExp } | { error: string } | null {
  const form = FORM.exec(text);
  if (form === null) return null;
  const [, pattern = "", flags = ""] = form;
  if (pattern === "") return { error: "the pattern is empty" };
  try {
    new RegExp(pattern, flags);
    return { regex: new RegExp(pattern, flags.replace(/[gy]/g, "")) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
