/** The rules beside a signature entry's `type`: which types take them, what value they take (W-123, W-124). */
import { RE2JS } from "re2js";
import { compareInstants, instantOf, isDate } from "./signature-types.js";
import { SIGNATURE_FORMATS, type SignatureType } from "./types.js";

/** W-123: media types of `content`. */
export const SIGNATURE_CONTENTS: Readonly<Record<string, string>> = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  json: "application/json",
};

/** The types each rule applies to, in the order in which the rules are tried (H-120). */
export const RULE_TYPES = {
  format: ["string"],
  pattern: ["string"],
  minLength: ["string"],
  maxLength: ["string"],
  enum: ["string"],
  content: ["string"],
  minimum: ["integer", "number", "date", "date-time"],
  maximum: ["integer", "number", "date", "date-time"],
  minItems: ["array"],
  maxItems: ["array"],
  accept: ["file"],
  maxSize: ["file"],
} as const satisfies Record<string, readonly SignatureType[]>;

/** A rule that may stand beside a signature entry's `type` (W-123). */
export type SignatureRule = keyof typeof RULE_TYPES;
export const SIGNATURE_RULES = Object.keys(RULE_TYPES) as SignatureRule[];

/** Pairs of which the first may not be above the second. */
export const BOUND_PAIRS: readonly (readonly [SignatureRule, SignatureRule])[] = [
  ["minLength", "maxLength"],
  ["minimum", "maximum"],
  ["minItems", "maxItems"],
];

export function ruleAppliesTo(rule: SignatureRule, type: SignatureType | undefined): boolean {
  return type !== undefined && (RULE_TYPES[rule] as readonly SignatureType[]).includes(type);
}

/** What a rule's value must be, as the end of "must be …", or undefined when this value is fine. */
export function ruleValueProblem(rule: SignatureRule, type: SignatureType, value: unknown): string | undefined {
  switch (rule) {
    case "format":
      return (SIGNATURE_FORMATS as readonly unknown[]).includes(value) ? undefined : "email, url or phone";
    case "content":
      return typeof value === "string" && Object.hasOwn(SIGNATURE_CONTENTS, value)
        ? undefined
        : "text, markdown, html or json";
    case "pattern":
      return typeof value === "string" ? undefined : "an RE2 expression as text";
    case "enum":
      return isList(value, (item) => typeof item === "string") && new Set(value).size === value.length
        ? undefined
        : "a list of distinct texts with at least one item";
    case "accept":
      return isList(value, (item) => typeof item === "string" && /^\.[^\s/]+$/.test(item))
        ? undefined
        : "a list of extensions with their leading dot, such as [.pdf]";
    case "maxSize":
      return parseSize(value) === undefined ? "whole bytes, or a number with a unit such as 10MB or 4MiB" : undefined;
    case "minimum":
    case "maximum":
      return boundProblem(type, value);
    default:
      return Number.isInteger(value) && (value as number) >= 0 ? undefined : "an integer that is not negative";
  }
}

/** Whether a lower bound lies above its upper bound; symbolic bounds (`today`, `now`) are not compared. */
export function boundsContradict(type: SignatureType, lower: unknown, upper: unknown): boolean {
  if (typeof lower === "number" && typeof upper === "number") return lower > upper;
  if (typeof lower !== "string" || typeof upper !== "string") return false;
  if (type === "date") return isDate(lower) && isDate(upper) && lower > upper;
  const [from, to] = [instantOf(lower), instantOf(upper)];
  return from !== undefined && to !== undefined && compareInstants(from, to) > 0;
}

/** A compiled RE2 expression, or undefined when it does not compile; no other engine is tried (F-95). */
export function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB)$/;
const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Whole bytes of a `maxSize` value, or undefined when it is none. */
export function parseSize(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const match = typeof value === "string" ? SIZE.exec(value.trim()) : null;
  if (!match) return undefined;
  const bytes = Math.round(Number(match[1]) * UNIT_BYTES[match[2]!]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function boundProblem(type: SignatureType, value: unknown): string | undefined {
  if (type === "date") {
    return value === "today" || (typeof value === "string" && isDate(value)) ? undefined : "a date or `today`";
  }
  if (type === "date-time") {
    const fits = value === "now" || (typeof value === "string" && instantOf(value) !== undefined);
    return fits ? undefined : "a date-time with Z or an offset, or `now`";
  }
  return Number.isFinite(value) ? undefined : "a number";
}

function isList(value: unknown, fits: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(fits);
}
