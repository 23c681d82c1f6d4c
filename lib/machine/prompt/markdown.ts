/** Authored markdown on its way into the prompt. */

/**
 * `WORKFLOW.md` without its HTML comments (W-254). Text without a comment is only trimmed; an unclosed comment is text.
 *
 * @returns empty for blank and comment-only text (W-255)
 */
export function stripComments(markdown: string): string {
  const text = markdown.replace(/\r\n?/g, "\n");
  const stripped = withoutComments(text);
  if (stripped === text) return markdown.trim();
  return stripped
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function withoutComments(text: string): string {
  let rest = text;
  let kept = "";
  for (;;) {
    const start = rest.indexOf("<!--");
    const end = start < 0 ? -1 : rest.indexOf("-->", start + 4);
    if (end < 0) return kept + rest;
    kept += rest.slice(0, start);
    rest = rest.slice(end + 3);
  }
}
