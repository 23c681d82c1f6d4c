/** Text in a picture that nobody has rendered yet: how wide it will be, and where its lines break. */

/** Widths as parts of the font size: an average sans-serif, on the wide side, since the reader's own font is not known. */
const NARROW = /[ijlI.,:;'|!()[\]{}ftr /-]/;
const WIDE = /[mwMW@%&]/;
const CAPITAL = /[A-Z0-9_$#+=<>?]/;
/** Scripts whose characters fill a square, and emoji. */
const SQUARE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

/** Pixels that a line takes at most, by estimate. */
export function textWidth(text: string, fontSize: number): number {
  let parts = 0;
  for (const char of text) {
    if (SQUARE.test(char)) parts += 1.05;
    else if (NARROW.test(char)) parts += 0.36;
    else if (WIDE.test(char)) parts += 0.92;
    else if (CAPITAL.test(char)) parts += 0.68;
    else parts += 0.57;
  }
  return Math.ceil(parts * fontSize);
}

/**
 * The text in lines of at most `maxWidth` pixels, white space folded; what does not fit `maxLines` ends in an ellipsis.
 * A word that is wider than a line is broken.
 */
export function wrapped(text: string, limits: { fontSize: number; maxWidth: number; maxLines: number }): string[] {
  const { fontSize, maxWidth, maxLines } = limits;
  const fits = (line: string) => textWidth(line, fontSize) <= maxWidth;
  const lines: string[] = [];
  let line = "";
  for (const word of text
    .trim()
    .split(/\s+/)
    .flatMap((whole) => piecesOf(whole, fits))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || fits(longer)) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  if (lines.length <= maxLines) return lines;
  const kept = lines.slice(0, maxLines);
  kept[maxLines - 1] = ended(kept[maxLines - 1]!, fits);
  return kept;
}

function piecesOf(word: string, fits: (text: string) => boolean): string[] {
  if (fits(word)) return [word];
  const pieces = [""];
  for (const char of word) {
    const longer = `${pieces.at(-1)}${char}`;
    if (fits(longer) || pieces.at(-1) === "") pieces[pieces.length - 1] = longer;
    else pieces.push(char);
  }
  return pieces;
}

function ended(line: string, fits: (text: string) => boolean): string {
  let chars = [...line];
  while (chars.length > 1 && !fits(`${chars.join("")}…`)) chars = chars.slice(0, -1);
  return `${chars.join("").replace(/[\s.,;:]+$/, "")}…`;
}

/** For text and attribute values of XML: markup as entities; what XML does not allow at all is left out. */
export function escapedXml(text: string): string {
  return text
    .replace(NOT_XML, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** All but the characters of XML 1.0 (section 2.2): controls, halves of a pair, and two non-characters. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
