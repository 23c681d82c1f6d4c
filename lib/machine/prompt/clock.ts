/** The clock line (W-265, W-296, R-277). */

export interface ClockInput {
  /** Epoch milliseconds of the real clock. */
  nowMs: number;
  /** The host's IANA zone; absent means UTC. */
  timeZone?: string;
  /** Epoch milliseconds that replace the real clock, stated in UTC alone. */
  pinnedMs?: number | null;
}

const TEN_MINUTES_MS = 10 * 60 * 1000;

/** One line with the UTC date, weekday and time rounded down to ten minutes, and the host's local time where it differs. */
export function clockLine({ nowMs, timeZone = "UTC", pinnedMs }: ClockInput): string {
  const pinned = pinnedMs !== undefined && pinnedMs !== null;
  const instant = Math.floor((pinned ? pinnedMs : nowMs) / TEN_MINUTES_MS) * TEN_MINUTES_MS;
  const utc = `It is ${describe(instant, "UTC")} UTC, rounded down to ten minutes.`;
  if (pinned || isUtc(timeZone)) return utc;
  return `${utc} Local time (${timeZone}): ${describe(instant, timeZone)}.`;
}

function isUtc(timeZone: string): boolean {
  return ["UTC", "Etc/UTC", "GMT", "Etc/GMT"].includes(timeZone);
}

/** `Monday, 2026-11-30 22:40`. */
function describe(instant: number, timeZone: string): string {
  const parts = formatOf(timeZone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((found) => found.type === type)?.value ?? "";
  const day = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  return `${part("weekday")}, ${day} ${part("hour")}:${part("minute")}`;
}

/** Making a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(timeZone, format);
  return format;
}
