/** Schedule expressions as EventBridge Scheduler writes them: `rate(5 minutes)`, `cron(0 8 ? * MON-FRI *)`. */

export type ScheduleExpression =
  | { kind: "rate"; everyMs: number }
  /** The six fields in upper case: minutes, hours, day of month, month, day of week (1 is Sunday), year. */
  | { kind: "cron"; fields: readonly [string, string, string, string, string, string] };

export type ParsedSchedule = { ok: true; expression: ScheduleExpression } | { ok: false; reason: string };

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

interface Field {
  name: string;
  min: number;
  max: number;
  /** Names of the values from `min` on. */
  names?: readonly string[];
  /** Forms beside values, ranges, steps and `*`. */
  also?: RegExp;
}

const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

const FIELDS: readonly Field[] = [
  { name: "minutes", min: 0, max: 59 },
  { name: "hours", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31, also: /^(?:\?|L|LW|(?:[1-9]|[12]\d|3[01])W)$/ },
  { name: "month", min: 1, max: 12, names: MONTHS },
  {
    name: "day of week",
    min: 1,
    max: 7,
    names: DAYS,
    also: /^(?:\?|L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/,
  },
  { name: "year", min: 1970, max: 2199 },
];

/** Reads an expression; what AWS would refuse at deployment is refused here. */
export function parseSchedule(text: string): ParsedSchedule {
  const [, kind, inner = ""] = /^(rate|cron)\((.*)\)$/.exec(text.trim()) ?? [];
  if (kind === "rate") return parseRate(inner.trim());
  if (kind === "cron") return parseCron(inner.trim().toUpperCase().split(/\s+/));
  return { ok: false, reason: "must be rate(5 minutes) or a six-field cron such as cron(0 8 ? * MON-FRI *)" };
}

export function isTimeZone(name: string): boolean {
  // Node also takes offsets such as +02:00, which AWS does not.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function parseRate(inner: string): ParsedSchedule {
  const [, digits = "", unit, plural = ""] = /^([1-9]\d{0,5}) (minute|hour|day)(s?)$/.exec(inner) ?? [];
  const count = Number(digits);
  if (unit === undefined || (count === 1) !== (plural === "")) {
    return { ok: false, reason: "must be written as rate(1 minute), rate(5 minutes), rate(2 hours) or rate(7 days)" };
  }
  return { ok: true, expression: { kind: "rate", everyMs: count * UNIT_MS[unit as keyof typeof UNIT_MS] } };
}

function parseCron(fields: readonly string[]): ParsedSchedule {
  if (fields.length !== FIELDS.length) {
    const order = FIELDS.map(({ name }) => name).join(", ");
    return { ok: false, reason: `must have six fields in its cron (${order}); it has ${fields.length}` };
  }
  for (const [index, field] of FIELDS.entries()) {
    const items = fields[index]!.split(",");
    const wrong = items.find((item) => !isItem(item, field, items.length));
    if (wrong !== undefined) return { ok: false, reason: `has "${wrong}" in its cron where a ${field.name} belongs` };
  }
  if ((fields[2] === "?") === (fields[4] === "?")) {
    return { ok: false, reason: "must have ? in exactly one of day of month and day of week" };
  }
  return { ok: true, expression: { kind: "cron", fields: fields as unknown as CronFields } };
}

type CronFields = Extract<ScheduleExpression, { kind: "cron" }>["fields"];

function isItem(item: string, field: Field, items: number): boolean {
  if (field.also?.test(item)) return item !== "?" || items === 1;
  const [, from, to, step] = /^(\*|[A-Z0-9]+)(?:-([A-Z0-9]+))?(?:\/(\d+))?$/.exec(item) ?? [];
  if (from === undefined) return false;
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
  if (from === "*") return to === undefined;
  const first = numberOf(from, field);
  const last = to === undefined ? first : numberOf(to, field);
  return first !== null && last !== null && first <= last;
}

function numberOf(text: string, { min, max, names = [] }: Field): number | null {
  const named = names.indexOf(text);
  const value = named >= 0 ? min + named : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}
