/** Slugs, variable names and titles: the words every other rule is built from. */

/** W-54: lower-case words joined by single hyphens. */
export const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** W-139: never dotted, so a dot always begins a path segment. */
export const VARIABLE_NAME = /^[a-z][a-z0-9_]*$/;

/** W-141: characters of a title, counted after trimming. */
export const MAX_TITLE_CHARS = 200;

/** Whether a text can name a workflow or a state: lower-case words joined by single hyphens (W-54). */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Whether a text can name a variable, `^[a-z][a-z0-9_]*$` (W-139); the reserved `trigger` passes too. */
export function isVariableName(text: string): boolean {
  return VARIABLE_NAME.test(text);
}

/**
 * Why a value cannot be the session's `title`, or null when it can (W-141). The stored title is the trimmed text.
 */
export function titleIssue(value: unknown): string | null {
  if (typeof value !== "string") return "The title must be text.";
  const title = value.trim();
  if (title === "") return "The title must not be blank.";
  if (/[\n\r\u0085\u2028\u2029]/.test(title)) return "The title must be a single line.";
  const length = [...title].length;
  if (length > MAX_TITLE_CHARS) return `The title has ${length} characters; at most ${MAX_TITLE_CHARS} are allowed.`;
  return null;
}
