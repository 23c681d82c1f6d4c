/** The `until` of `archmax_wait` (R-77, R-78, F-24, F-25). */

export type ParsedUntil =
  /** `at` in epoch milliseconds; `resumeAt` the same in ISO 8601, UTC. */
  { ok: true; at: number; resumeAt: string } | { ok: false; problem: string };

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION = /^(\d+)(ms|s|m|h|d)$/;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** ISO 8601 dates with four digits end here: 9999-12-31T23:59:59.999Z. */
const LAST_INSTANT = 253_402_300_799_999;
const FIRST_INSTANT = -62_167_219_200_000;

/**
 * The instant a wait ends: a span counted from `nowMs`, or a date or date-time (UTC where it names no offset). An
 * instant in the past is accepted and means due now.
 */
export function parseUntil(text: string, nowMs: number): ParsedUntil {
  const at = durationEnd(text, nowMs) ?? instant(text);
  if (at === null || at > LAST_INSTANT || at < FIRST_INSTANT) return { ok: false, problem: problemWith(text) };
  return { ok: true, at, resumeAt: new Date(at).toISOString() };
}

function durationEnd(text: string, nowMs: number): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined || Number(count) === 0) return null;
  return nowMs + Number(count) * UNIT_MS[unit]!;
}

function instant(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const offset = offsetMs(match[8] ?? "Z");
  if (hour > 23 || minute > 59 || second > 59 || offset === null) return null;
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists) return null;
  date.setUTCHours(hour, minute, second, Number((match[7] ?? "").slice(0, 3).padEnd(3, "0")));
  return date.getTime() - offset;
}

type Six = [number, number, number, number, number, number];

function offsetMs(text: string): number | null {
  if (text === "Z") return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(":", "") || 0)];
  if (hours > 23 || minutes > 59) return null;
  return (text[0] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function problemWith(text: string): string {
  return (
    `\`until\` is "${text.slice(0, 100)}", which is no time. Give a span from now (30m, 2h, 1d; units ms, s, m, h, d), ` +
    "a date (2026-03-01) or a date-time (2026-03-01T09:30Z, 2026-03-01 09:30+02:00); without an offset it is UTC."
  );
}
