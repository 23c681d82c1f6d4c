/** `${{name.path}}` in tool arguments and in guards (W-154…W-161, R-91…R-95). */
import { descend } from "./dotted-path.js";
import { escapeGlob } from "./globs.js";
import { isVariableName } from "./names.js";

type Variables = Readonly<Record<string, unknown>>;

export type ReferencePart =
  | { kind: "text"; text: string }
  /** `text` is what `$${{…}}` stands for. */
  | { kind: "escape"; text: string }
  /** `source` with its braces, `inner` trimmed. */
  | { kind: "reference"; source: string; inner: string }
  /** `${{` that is never closed: plain text in arguments, malformed in a guard. */
  | { kind: "unclosed"; text: string };

/** What stands in `${{…}}` (W-154): a variable's name and the segments below it, or why it is no reference. */
export type ParsedReference = { ok: true; name: string; segments: string[] } | { ok: false; reason: string };

export type ResolvedReference = { ok: true; value: string | number | boolean } | { ok: false; reason: string };

export type Substituted =
  | { ok: true; args: Record<string, unknown> }
  /** `reference` as written, with its braces. */
  | { ok: false; reference: string; reason: string };

/** Cuts a text into references and what stands between them, left to right, once. */
export function referenceParts(text: string): ReferencePart[] {
  const parts: ReferencePart[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf("${{", from);
    if (open === -1) break;
    const close = text.indexOf("}}", open + 3);
    const escaped = open > from && text[open - 1] === "$";
    const start = escaped ? open - 1 : open;
    if (start > from) parts.push({ kind: "text", text: text.slice(from, start) });
    if (close === -1) {
      parts.push({ kind: escaped ? "text" : "unclosed", text: text.slice(start) });
      return parts;
    }
    const source = text.slice(open, close + 2);
    parts.push(
      escaped ? { kind: "escape", text: source } : { kind: "reference", source, inner: source.slice(3, -2).trim() },
    );
    from = close + 2;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** Reads what stands between the braces: a variable name, then non-empty segments. */
export function parseReference(inner: string): ParsedReference {
  const [name = "", ...segments] = inner.trim().split(".");
  if (name === "") return { ok: false, reason: "it names no variable" };
  if (!isVariableName(name)) return { ok: false, reason: `"${name}" is not a variable name` };
  if (segments.includes("")) return { ok: false, reason: "a segment of its path is empty" };
  return { ok: true, name, segments };
}

/**
 * The scalar a reference stands for (W-156).
 *
 * @param ref - with or without the braces
 */
export function resolveReference(ref: string, variables: Variables): ResolvedReference {
  const found = resolveReferenceValue(ref, variables);
  if (!found.ok) return found;
  const { value } = found;
  if (typeof value === "string" || typeof value === "boolean") return { ok: true, value };
  if (typeof value === "number" && Number.isFinite(value)) return { ok: true, value };
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  return { ok: false, reason: `it leads to ${kind}, not to text, a number or a boolean` };
}

/** The value of any kind a reference leads to: what a delegation argument passes (W-161). */
export function resolveReferenceValue(
  ref: string,
  variables: Variables,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  const inner = ref.startsWith("${{") && ref.endsWith("}}") ? ref.slice(3, -2) : ref;
  const parsed = parseReference(inner);
  if (!parsed.ok) return parsed;
  if (!Object.hasOwn(variables, parsed.name) || variables[parsed.name] === undefined) {
    return { ok: false, reason: `the variable "${parsed.name}" is not set` };
  }
  const value = descend(variables[parsed.name], parsed.segments);
  if (value === undefined) return { ok: false, reason: `"${parsed.name}" has nothing at that path` };
  return { ok: true, value };
}

/** The reference a text consists of and nothing else, without its braces; undefined for any other text (W-161). */
export function wholeReference(text: string): string | undefined {
  const [part, ...rest] = referenceParts(text);
  return part?.kind === "reference" && rest.length === 0 ? part.inner : undefined;
}

/**
 * Replaces the references in every string inside the arguments; object keys and other values stay. All or nothing:
 * the first reference that does not resolve is the answer (W-160). The given arguments are not changed.
 */
export function substituteReferences(args: Record<string, unknown>, variables: Variables): Substituted {
  try {
    return { ok: true, args: substituteIn(args, variables) as Record<string, unknown> };
  } catch (error) {
    if (error instanceof Unresolved) return { ok: false, reference: error.reference, reason: error.reason };
    throw error;
  }
}

/** Replaces references in a guard so that each value matches only itself (W-158). */
export function resolveGuard(
  glob: string,
  variables: Variables,
): { ok: true; glob: string } | { ok: false; reference: string } {
  let resolved = "";
  for (const part of referenceParts(glob)) {
    if (part.kind === "text") resolved += part.text;
    else if (part.kind === "escape") resolved += escapeGlob(part.text);
    else if (part.kind === "unclosed") return { ok: false, reference: part.text };
    else {
      const found = resolveReference(part.inner, variables);
      if (!found.ok) return { ok: false, reference: part.source };
      resolved += escapeGlob(asText(found.value));
    }
  }
  return { ok: true, glob: resolved };
}

/** Unwinds the walk at the first reference that does not resolve; never leaves this file. */
class Unresolved extends Error {
  constructor(
    readonly reference: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

function substituteIn(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return substituteText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituteIn(item, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substituteIn(item, variables)]));
}

function substituteText(text: string, variables: Variables): string {
  return referenceParts(text)
    .map((part) => {
      if (part.kind !== "reference") return part.text;
      const found = resolveReference(part.inner, variables);
      if (!found.ok) throw new Unresolved(part.source, found.reason);
      return asText(found.value);
    })
    .join("");
}

function asText(value: string | number | boolean): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
