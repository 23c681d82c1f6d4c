/**
 * Whether an entry of a tools list matches a call (W-181…W-196, W-158, W-159, R-95, R-96, R-207, R-213).
 *
 * An entry is prepared once against the variables of the moment, then asked about any number of calls.
 */
import { compileGlob, resolveGuard } from "../spec/index.js";
import type { ToolEntry } from "../spec/types.js";
import { otherSpelling, pathsOf } from "./names.js";
import { canonicalPath } from "./paths.js";
import type { GovernanceTables } from "./types.js";

/** Which kind of entry asks: a grant needs everything to match, a denial needs one (W-185, W-192). */
export type EntryKind = "grant" | "denial";

export interface GuardedCall {
  tool: string;
  args: Record<string, unknown>;
}

export interface PreparedEntry {
  tool: string;
  /** No `args` and no `paths`. */
  bare: boolean;
  /** The guard refers to a variable that gives no text: as a grant it matches nothing, as a denial everything. */
  unresolved: boolean;
  matches(call: GuardedCall): boolean;
}

export interface EntryContext {
  kind: EntryKind;
  variables: Readonly<Record<string, unknown>>;
  tables: Pick<GovernanceTables, "toolPaths">;
}

export function prepareEntry(entry: ToolEntry, context: EntryContext): PreparedEntry {
  const tool = entryTool(entry);
  const about = (call: GuardedCall) => tool === "*" || tool === call.tool;
  if (typeof entry === "string" || isBare(entry)) return { tool, bare: true, unresolved: false, matches: about };
  const guard = prepareGuard(entry, context);
  if (guard === null) {
    return { tool, bare: false, unresolved: true, matches: (call) => context.kind === "denial" && about(call) };
  }
  return { tool, bare: false, unresolved: false, matches: (call) => about(call) && guard(call) };
}

export function entryTool(entry: ToolEntry): string {
  return typeof entry === "string" ? entry : entry.tool;
}

/** W-186. */
export function isBare(entry: ToolEntry): boolean {
  return typeof entry === "string" || (entry.args === undefined && entry.paths === undefined);
}

type Matcher = (text: string) => boolean;

function prepareGuard(
  entry: Exclude<ToolEntry, string>,
  context: EntryContext,
): ((call: GuardedCall) => boolean) | null {
  if (entry.paths !== undefined) {
    const globs = resolvePathGlobs(entry.paths, context);
    if (globs === null) return null;
    const matcher = pathMatcher(globs, context.kind);
    return (call) => pathsMatch(call, matcher, context);
  }
  const matchers: { name: string; path: Matcher; other: Matcher }[] = [];
  for (const [name, authored] of Object.entries(entry.args ?? {})) {
    const globs = resolveAll(authored, context.variables);
    const pathGlobs = resolvePathGlobs(authored, context);
    if (globs === null || pathGlobs === null) return null;
    matchers.push({ name, path: pathMatcher(pathGlobs, context.kind), other: textMatcher(globs, context.kind) });
  }
  return (call) =>
    matchers.every(({ name, path, other }) => {
      const { value, isPath } = argumentOf(call, name, context);
      return valueMatches(value, isPath ? path : other, context.kind);
    });
}

/** The globs with their references replaced, or null when one is unresolved. */
function resolveAll(authored: string | string[], variables: Readonly<Record<string, unknown>>): string[] | null {
  const globs: string[] = [];
  for (const glob of Array.isArray(authored) ? authored : [authored]) {
    const resolved = resolveGuard(glob, variables);
    if (!resolved.ok) return null;
    globs.push(resolved.glob);
  }
  return globs;
}

/**
 * The globs of a path argument. Slashes are put in order as the author wrote them, before any value is in: an empty value
 * must not turn `${{dir}}/**` into `**`. A denial is put in order again afterwards, since it may only match more.
 */
function resolvePathGlobs(authored: string | string[], { variables, kind }: EntryContext): string[] | null {
  const ordered = (Array.isArray(authored) ? authored : [authored]).map((glob) => inOrder(glob.normalize("NFC")));
  const globs = resolveAll(ordered, variables);
  if (globs === null) return null;
  return globs.map((glob, index) => {
    const text = glob.normalize("NFC");
    return kind === "denial" || beginsWithRootedValue(ordered[index] ?? "", variables) ? inOrder(text) : text;
  });
}

function inOrder(glob: string): string {
  return glob.replace(/\/{2,}/g, "/").replace(/^\//, "");
}

/** The glob begins with a reference whose value is a path from the root, as `/docs`. */
function beginsWithRootedValue(glob: string, variables: Readonly<Record<string, unknown>>): boolean {
  const leading = /^\$\{\{[^}]*\}\}/.exec(glob)?.[0];
  const resolved = leading === undefined ? null : resolveGuard(leading, variables);
  return resolved?.ok === true && resolved.glob.startsWith("/");
}

/** W-185: in a grant every declared path must be there and match; in a denial one is enough. */
function pathsMatch(call: GuardedCall, matcher: Matcher, { kind, tables }: EntryContext): boolean {
  const declared = pathsOf(call.tool, tables.toolPaths);
  const names = declared === null ? ["file_path"] : Object.keys(declared);
  const one = (name: string) => valueMatches(pathValue(call, name, { declared, kind }), matcher, kind);
  return kind === "grant" ? names.length > 0 && names.every(one) : names.some(one);
}

/** An omitted folder of a listing or a search is the root, so leaving it out evades no denial. */
function pathValue(
  { args }: GuardedCall,
  name: string,
  { declared, kind }: { declared: Readonly<Record<string, string>> | null; kind: EntryKind },
): unknown {
  if (Object.hasOwn(args, name)) return args[name];
  const rooted = declared !== null && ["list", "search"].includes(declared[name] ?? "");
  return kind === "denial" && rooted ? "" : undefined;
}

/** The guarded argument's value: dotted names descend by own properties, and the other spelling of a path is the path. */
function argumentOf(call: GuardedCall, name: string, { tables }: EntryContext): { value: unknown; isPath: boolean } {
  const declared = pathsOf(call.tool, tables.toolPaths);
  const spelling = otherSpelling(call.tool);
  const [first = "", ...rest] = (spelling?.other === name ? spelling.declared : name).split(".");
  let value: unknown = call.args;
  for (const key of [first, ...rest]) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
  }
  return { value, isPath: declared === null ? name === "file_path" : Object.hasOwn(declared, first) };
}

/** W-192. */
function valueMatches(value: unknown, matcher: Matcher, kind: EntryKind): boolean {
  if (Array.isArray(value)) {
    const one = (element: unknown) => valueMatches(element, matcher, kind);
    return kind === "grant" ? value.length > 0 && value.every(one) : value.some(one);
  }
  if (typeof value === "string") return matcher(value);
  return typeof value === "number" || typeof value === "boolean" ? matcher(JSON.stringify(value)) : false;
}

/** A path is compared in canonical form with a glob without leading slash, both in NFC (W-190, W-196). */
function pathMatcher(globs: readonly string[], kind: EntryKind): Matcher {
  const compiled = globs.map((glob) => compileGlob(glob));
  return (text) => {
    const { path, escapes, control } = canonicalPath(text);
    if (kind === "grant" && (escapes || control)) return false;
    return compiled.some((matches) => matches(path));
  };
}

/** Any other argument is compared as written; a denial is tried against its canonical form too (W-191). */
function textMatcher(globs: readonly string[], kind: EntryKind): Matcher {
  const compiled = globs.map((glob) => compileGlob(glob));
  const canonical = kind === "denial" ? globs.map((glob) => compileGlob(glob.normalize("NFC"))) : [];
  return (text) =>
    compiled.some((matches) => matches(text)) ||
    (kind === "denial" && canonical.some((matches) => matches(canonicalPath(text).path)));
}
