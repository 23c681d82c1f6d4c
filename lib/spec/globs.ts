/**
 * The glob language of guards (W-193…W-196, F-99), compiled to an RE2 expression so that matching is linear in the value
 * whatever the glob: a backtracking matcher is not, and both sides can come from a model.
 *
 *   *      within one segment          **     as a whole segment: any number of segments, none included
 *   ?      one character, not `/`      [a-z]  a class; [^…] its complement; without a range, also itself as text
 *   {a,b}  alternatives                \x     x itself
 *
 * Everything else is literal, `!`, `(`, `|` and `+` included. Classes and alternatives are read as picomatch reads them.
 *
 * The expression is matched against `/` + value: every segment then begins with its slash, and `**` is
 * `(?:/[^/]*)*` wherever it stands.
 */
import { RE2JS } from "re2js";

type Node =
  | { kind: "literal"; char: string }
  | { kind: "slash" }
  | { kind: "any" }
  | { kind: "stars"; count: number }
  | { kind: "pattern"; re2: string }
  | { kind: "alternatives"; branches: Node[][] };

/** What stands right after a node: decides whether a run of stars fills its segment. */
type Next = "boundary" | "other";

/** Braces nested deeper are literal; nobody writes them, and the walk over them is recursive. */
const MAX_BRACE_DEPTH = 32;

/** A longer class is literal; keeps reading a glob full of unclosed brackets linear. */
const MAX_CLASS_CHARS = 256;

const SPECIAL = /[\\*?[\]{},!()+@^|$-]/g;
const HAS_SPECIAL = /[\\*?[{]/;

/**
 * Compiles a glob into a predicate over whole values, case-sensitive. Never throws. Where a leading slash is to be
 * ignored (W-196) or Unicode form matters (W-190), the caller prepares both sides.
 */
export function compileGlob(glob: string): (value: string) => boolean {
  if (!HAS_SPECIAL.test(glob)) return (value) => value === glob;
  const chars = [...glob];
  const nodes = parse(chars, matchBraces(chars), 0, chars.length);
  const expression = RE2JS.compile(emit(nodes, true, "boundary"));
  return (value) => expression.matches(`/${value}`);
}

/** Makes every glob character of a text match itself (W-158). */
export function escapeGlob(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}

/** Whether a glob holds a character that stands for more than itself. */
export function isGlob(text: string): boolean {
  return HAS_SPECIAL.test(text);
}

interface Brace {
  close: number;
  /** Positions of the commas between its branches; a brace without one is literal. */
  commas: number[];
}

function matchBraces(chars: readonly string[]): Map<number, Brace> {
  const braces = new Map<number, Brace>();
  const open: { at: number; commas: number[] }[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i];
    if (char === "\\") i++;
    else if (char === "[") i = readClass(chars, i)?.end ?? i;
    else if (char === "{") open.push({ at: i, commas: [] });
    else if (char === ",") open.at(-1)?.commas.push(i);
    else if (char === "}") {
      const brace = open.pop();
      if (brace && brace.commas.length > 0 && open.length < MAX_BRACE_DEPTH) {
        braces.set(brace.at, { close: i, commas: brace.commas });
      }
    }
  }
  return braces;
}

function parse(chars: readonly string[], braces: ReadonlyMap<number, Brace>, from: number, to: number): Node[] {
  const nodes: Node[] = [];
  for (let i = from; i < to; i++) {
    const char = chars[i]!;
    const brace = char === "{" ? braces.get(i) : undefined;
    const charClass = char === "[" ? readClass(chars, i) : undefined;
    if (brace) {
      const starts = [i, ...brace.commas];
      const ends = [...brace.commas, brace.close];
      const branches = starts.map((start, branch) => parse(chars, braces, start + 1, ends[branch]!));
      nodes.push({ kind: "alternatives", branches });
      i = brace.close;
    } else if (charClass) {
      nodes.push({ kind: "pattern", re2: charClass.re2 });
      i = charClass.end;
    } else if (char === "\\" && i + 1 < to) {
      i++;
      nodes.push(chars[i] === "/" ? { kind: "slash" } : { kind: "literal", char: chars[i]! });
    } else if (char === "*") {
      const last = nodes.at(-1);
      if (last?.kind === "stars") last.count++;
      else nodes.push({ kind: "stars", count: 1 });
    } else if (char === "/") nodes.push({ kind: "slash" });
    else if (char === "?") nodes.push({ kind: "any" });
    else nodes.push({ kind: "literal", char });
  }
  return nodes;
}

/** @param pendingSlash - a slash that has been read and not yet written, so that `**` can take it in */
function emit(nodes: readonly Node[], pendingSlash: boolean, after: Next): string {
  let re2 = "";
  let pending = pendingSlash;
  nodes.forEach((node, i) => {
    const following = nodes[i + 1];
    const next: Next = following === undefined ? after : following.kind === "slash" ? "boundary" : "other";
    const fillsSegment = pending && next === "boundary";
    if (node.kind === "alternatives") {
      re2 += `(?:${node.branches.map((branch) => emit(branch, pending, next)).join("|")})`;
      pending = false;
    } else if (node.kind === "stars" && node.count === 2 && fillsSegment) {
      re2 += "(?:/[^/]*)*";
      pending = false;
    } else {
      if (pending) re2 += "/";
      pending = node.kind === "slash";
      if (node.kind === "stars") re2 += fillsSegment ? "[^/]+" : "[^/]*";
      else if (node.kind === "any") re2 += "[^/]";
      else if (node.kind === "pattern") re2 += node.re2;
      else if (node.kind === "literal") re2 += escaped(node.char);
    }
  });
  return pending ? `${re2}/` : re2;
}

/** With one of these inside, a class stands for its members only and not also for its own text. */
const CLASS_SPECIAL = new Set("-*+?.^${}(|)[]\\");

/** Reads the class that opens at `open`; undefined when it is none (no `]`, or a range that runs backwards). */
function readClass(chars: readonly string[], open: number): { end: number; re2: string } | undefined {
  const negated = chars[open + 1] === "^";
  const members: string[] = [];
  let plain = !negated;
  let hasSlash = false;
  const limit = Math.min(chars.length, open + MAX_CLASS_CHARS);
  let i = open + (negated ? 2 : 1);
  for (const first = i; i < limit && (chars[i] !== "]" || i === first); i++) {
    const low = chars[i] === "\\" ? chars[++i] : chars[i];
    if (low === undefined) return undefined;
    if (CLASS_SPECIAL.has(chars[i]!)) plain = false;
    if (low === "/") hasSlash = true;
    if (chars[i + 1] !== "-" || chars[i + 2] === "]" || chars[i + 2] === undefined) {
      members.push(escaped(low));
      continue;
    }
    i += chars[i + 2] === "\\" ? 3 : 2;
    const high = chars[i];
    if (high === undefined || high.codePointAt(0)! < low.codePointAt(0)!) return undefined;
    members.push(`${escaped(low)}-${escaped(high)}`);
    plain = false;
  }
  if (i >= limit) return undefined;
  const set = `[${negated ? "^" : ""}${members.join("")}${negated && !hasSlash ? "/" : ""}]`;
  if (!plain) return { end: i, re2: set };
  const itself = chars
    .slice(open, i + 1)
    .map(escaped)
    .join("");
  return { end: i, re2: `(?:${itself}|${set})` };
}

const PLAIN = /^[A-Za-z0-9_]$/;

function escaped(char: string): string {
  return PLAIN.test(char) ? char : `\\x{${char.codePointAt(0)!.toString(16)}}`;
}
