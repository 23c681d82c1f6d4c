/** Which values conform to a signature's types, and the RFC 3339 readings that bounds are compared by (W-121, W-126…W-128). */
import { hasControlCharacter } from "./session-ids.js";
import type { SignatureType } from "./types.js";

/** Areas no agent reaches (W-252). */
const RUNTIME_INTERNAL = ["checkpoints", "artifacts", "_specs"];

export function conformsToType(type: SignatureType, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return typeof value === "string" && isDate(value);
    case "date-time":
      return typeof value === "string" && instantOf(value) !== undefined;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "file":
      return typeof value === "string" && isFilePath(value);
  }
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `YYYY-MM-DD` naming a real day. Two such texts compare as their days do. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const leapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return day >= 1 && day <= (DAYS_IN_MONTH[month - 1] ?? 0) + leapDay;
}

export interface Instant {
  epochSeconds: number;
  /** Digits after the decimal point, without trailing zeros. */
  fraction: string;
}

/** The instant an RFC 3339 date-time with offset names; second 60 is allowed. Undefined for any other text. */
export function instantOf(text: string): Instant | undefined {
  const match = DATE_TIME.exec(text);
  if (!match || !isDate(match[1]!)) return undefined;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHour, offsetMinute] = [Number(match[7] ?? 0), Number(match[8] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match[6] === "-" ? -60 : 60);
  const midnight = Date.parse(`${match[1]}T00:00:00Z`) / 1000;
  return {
    epochSeconds: midnight + hour * 3600 + minute * 60 + second - offset,
    fraction: (match[5] ?? "").replace(/0+$/, ""),
  };
}

/** Negative, zero or positive as `a` is before, at or after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.epochSeconds !== b.epochSeconds) return a.epochSeconds - b.epochSeconds;
  return a.fraction < b.fraction ? -1 : a.fraction > b.fraction ? 1 : 0;
}

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const URL_START = /^https?:\/\/[^\s/?#]/;
const PHONE = /^\+[1-9][0-9]{1,14}$/;

export function conformsToFormat(format: "email" | "url" | "phone", text: string): boolean {
  if (format === "email") return EMAIL.test(text);
  if (format === "phone") return PHONE.test(text);
  return URL_START.test(text) && !/\s/.test(text) && URL.canParse(text);
}

/** A relative workspace path that stays inside and out of the runtime's own areas (W-128). */
function isFilePath(path: string): boolean {
  if (path.trim() === "" || path.startsWith("/") || hasControlCharacter(path)) return false;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return false;
  }
  return segments.length > 0 && !RUNTIME_INTERNAL.includes(segments[0]!);
}
