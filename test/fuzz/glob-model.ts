/** The glob language of W-193…W-195 read a second time: alternatives written out, then tried one by one. */

/** A glob as its characters; `plain` ones stand for themselves. */
export type Glob = { char: string; plain: boolean }[];

export function modelGlob(text: string): Glob {
  const glob: Glob = [];
  const chars = [...text.normalize("NFC")];
  for (let i = 0; i < chars.length; i++) {
    const escapes = chars[i] === "\\" && i + 1 < chars.length;
    if (escapes) i += 1;
    glob.push({ char: chars[i]!, plain: escapes });
  }
  return glob;
}

/** A variable's value in a guard: every character for itself (W-158). */
export function ofValue(text: string): Glob {
  return [...text.normalize("NFC")].map((char) => ({ char, plain: true }));
}

export function modelMatches(glob: Glob, value: string): boolean {
  return writtenOut(glob).some((one) => segmentsMatch(inSegments(one), value.split("/")));
}

/** W-193: `{a,b}` alternatives, inner ones first. */
function writtenOut(glob: Glob): Glob[] {
  const close = glob.findIndex(({ char, plain }) => !plain && char === "}");
  const open = glob.slice(0, Math.max(close, 0)).findLastIndex(({ char, plain }) => !plain && char === "{");
  if (close < 0) return [glob];
  const inner = open < 0 ? [] : glob.slice(open + 1, close);
  const branches: Glob[] = [[]];
  for (const part of inner) {
    if (part.plain || part.char !== ",") branches.at(-1)!.push(part);
    else branches.push([]);
  }
  // Without a comma, or without its partner, a brace is itself.
  if (branches.length === 1) {
    const literal = glob.map((part, at) => (at === close || at === open ? { ...part, plain: true } : part));
    return writtenOut(literal);
  }
  return branches.flatMap((branch) => writtenOut([...glob.slice(0, open), ...branch, ...glob.slice(close + 1)]));
}

function inSegments(glob: Glob): Glob[] {
  const segments: Glob[] = [[]];
  for (const part of glob) {
    if (part.char === "/") segments.push([]);
    else segments.at(-1)!.push(part);
  }
  return segments;
}

function segmentsMatch(globs: readonly Glob[], values: readonly string[]): boolean {
  const [first, ...rest] = globs;
  if (first === undefined) return values.length === 0;
  if (isStars(first, 2)) {
    // `**` alone is everything, the empty value too, which is one empty segment.
    return values.some((_, skipped) => segmentsMatch(rest, values.slice(skipped))) || segmentsMatch(rest, []);
  }
  const [value, ...others] = values;
  if (value === undefined) return false;
  const whole = isStars(first, first.length) && first.length > 0;
  return (whole ? value !== "" : charsMatch(first, [...value])) && segmentsMatch(rest, others);
}

function isStars(glob: Glob, count: number): boolean {
  return glob.length === count && glob.every(({ char, plain }) => char === "*" && !plain);
}

function charsMatch(glob: Glob, value: readonly string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return value.length === 0;
  if (!first.plain && first.char === "[") {
    const close = glob.findIndex(({ char }, at) => at > 1 && char === "]");
    const members = glob.slice(1, close).map(({ char }) => char);
    return value[0] !== undefined && isMember(value[0], members) && charsMatch(glob.slice(close + 1), value.slice(1));
  }
  if (first.plain || !"*?".includes(first.char)) return value[0] === first.char && charsMatch(rest, value.slice(1));
  if (first.char === "?") return value.length > 0 && charsMatch(rest, value.slice(1));
  return charsMatch(rest, value) || (value.length > 0 && charsMatch(glob, value.slice(1)));
}

/** `[a-c]` and `[^b]`, which is all that the generators write. */
function isMember(char: string, [first, ...rest]: readonly string[]): boolean {
  return first === "^" ? char !== rest[0] : char >= first! && char <= rest[1]!;
}
