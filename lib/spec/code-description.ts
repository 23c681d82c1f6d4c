/**
 * The prose of the comment that opens an authored script (W-282, H-124), or null when it has none.
 *
 * @param source - the script's text; nothing is run
 */
export function parseCodeDescription(source: string): { description: string } | null {
  const text = source
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .trimStart();
  if (!text.startsWith("/**") || text.startsWith("/**/")) return null;
  const end = text.indexOf("*/", 3);
  if (end === -1) return null;

  const lines = text
    .slice(3, end)
    .split("\n")
    .map((line) =>
      line
        .replace(/^\s*\**/, "")
        .replace(/^ /, "")
        .trimEnd(),
    );
  const firstTag = lines.findIndex((line) => line.startsWith("@"));
  const description = (firstTag === -1 ? lines : lines.slice(0, firstTag)).join("\n").trim();
  return description === "" ? null : { description };
}
