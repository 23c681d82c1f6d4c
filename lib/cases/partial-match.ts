/** What a case expects of a value, in part (C-15, C-16). Pure. */
import { readRegexString } from "../spec/cases/index.js";

/**
 * Whether `actual` has what `expected` states: of a mapping the declared keys, at every depth; of a list each element in
 * order; a regular expression written as a string is tested against the value as text; anything else has to be the same.
 */
export function partialMatch(expected: unknown, actual: unknown): boolean {
  if (typeof expected === "string") return matchesText(expected, actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((element, index) => partialMatch(element, actual[index]))
    );
  }
  if (!isMapping(expected)) return expected === actual;
  return (
    isMapping(actual) &&
    Object.entries(expected).every(([key, value]) =>
      // A key that is not there reads as "" to a regular expression, and matches nothing else.
      Object.hasOwn(actual, key) ? partialMatch(value, actual[key]) : isRegex(value) && partialMatch(value, undefined),
    )
  );
}

/** A plain string is the same string; `/pattern/flags` is tested against the text of any value. */
export function matchesText(expected: string, actual: unknown): boolean {
  const read = readRegexString(expected);
  return read !== null && "regex" in read ? read.regex.test(textOf(actual)) : expected === actual;
}

/** A plain token has to occur somewhere in the text; `/pattern/flags` is tested against it. */
export function occursIn(token: string, text: string): boolean {
  const read = readRegexString(token);
  return read !== null && "regex" in read ? read.regex.test(text) : text.includes(token);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isRegex(value: unknown): boolean {
  return typeof value === "string" && readRegexString(value) !== null;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
