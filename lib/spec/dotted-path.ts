/**
 * Dotted paths: over variables (`ticket.id`, `triggers.-1.threadId`; W-104, W-105, R-23, R-24) and over values from
 * elsewhere, such as a webhook's body or an event (`data.thread.id`, `detail.orderId`; N-28).
 */
import { isVariableName } from "./names.js";

/** A parsed path into variables: its segments, the variable's name first, or why it is none. */
export type DottedPath = { ok: true; segments: string[] } | { ok: false; reason: string };

/** Splits and checks a path: a variable name first, then keys or array indices. */
export function parseDottedPath(path: string): DottedPath {
  const parsed = parseValuePath(path);
  const [first] = parsed.ok ? parsed.segments : [];
  if (first !== undefined && !isVariableName(first)) {
    return { ok: false, reason: `"${first}" is not a variable name (lower-case letters, digits and _)` };
  }
  return parsed;
}

/** Splits and checks a path over any value: keys or array indices from the first segment on. */
export function parseValuePath(path: string): DottedPath {
  if (path.trim() === "") return { ok: false, reason: "the path is empty" };
  if (path.includes("${{")) return { ok: false, reason: "a path is written without ${{ }}" };
  const segments = path.split(".");
  if (segments.includes("")) return { ok: false, reason: "a segment of the path is empty" };
  return { ok: true, segments };
}

/** The value a path reaches, or undefined when the path is malformed or leads nowhere. */
export function resolveDottedPath(path: string, variables: Readonly<Record<string, unknown>>): unknown {
  const parsed = parseDottedPath(path);
  return parsed.ok ? descend(variables, parsed.segments) : undefined;
}

/** The same for a path over any value. */
export function resolveValuePath(path: string, value: unknown): unknown {
  const parsed = parseValuePath(path);
  return parsed.ok ? descend(value, parsed.segments) : undefined;
}

/**
 * The session id a resolved value stands for (W-105): trimmed text that is not blank, or a finite number in decimal.
 * Undefined means unresolved. Whether the id may name a session is asked separately, see `sessionIdRejection`.
 */
export function sessionIdFromValue(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value === "number" && Number.isFinite(value)) return decimal(value);
  return undefined;
}

/** Follows own properties, and canonical indices in arrays; undefined when a segment leads nowhere (W-155). */
export function descend(start: unknown, segments: readonly string[]): unknown {
  let value = start;
  for (const segment of segments) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) {
      if (!CANONICAL_INDEX.test(segment)) return undefined;
      value = value.at(Number(segment));
    } else {
      if (!Object.hasOwn(value, segment)) return undefined;
      value = (value as Record<string, unknown>)[segment];
    }
  }
  return value;
}

/** `0`, `1`, …, `-1`, `-2`, …; not `-0`, `01` or `-01`. */
const CANONICAL_INDEX = /^(0|-?[1-9][0-9]*)$/;

function decimal(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  if (Number.isInteger(value)) return BigInt(value).toString();
  const digits = mantissa.replace(/[-.]/g, "");
  return `${value < 0 ? "-" : ""}0.${"0".repeat(-Number(exponent) - 1)}${digits}`;
}
