/** When a schedule fires next: EventBridge's expressions on one machine. */
import { Cron } from "croner";
import { parseSchedule, type ScheduleExpression } from "../config/index.js";

type CronFields = Extract<ScheduleExpression, { kind: "cron" }>["fields"];

/**
 * The first time after `after` (epoch milliseconds), or null when there is none left. A rate counts from the epoch, so
 * that a restart does not move it. Where the clocks are set forward, a cron time that does not exist is moved behind the
 * gap; where they are set back, it fires once.
 *
 * @param schedule - an expression that was checked before
 * @param timeZone - for a cron; UTC unless given
 */
export function nextFiring(schedule: string, timeZone: string | undefined, after: number): number | null {
  const parsed = parseSchedule(schedule);
  if (!parsed.ok) throw new TypeError(`"${schedule}" ${parsed.reason}`);
  const { expression } = parsed;
  if (expression.kind === "rate") return (Math.floor(after / expression.everyMs) + 1) * expression.everyMs;
  const cron = new Cron(cronerPattern(expression.fields), {
    mode: "7-part",
    alternativeWeekdays: true,
    timezone: timeZone ?? "UTC",
  });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}

/** AWS's six fields as croner's seven: seconds first, `?` as `*`, `5/10` as a range, `L` as the week's last day. */
export function cronerPattern(fields: CronFields): string {
  const [minutes, hours, day, month, weekday, year] = fields;
  const days = weekday.replace(/^L$/, "SAT");
  return [
    "0",
    steps(minutes, 59),
    steps(hours, 23),
    steps(day, 31),
    steps(month, 12),
    steps(days, 7),
    steps(year, 2199),
  ].join(" ");
}

function steps(field: string, max: number): string {
  if (field === "?") return "*";
  return field.replaceAll(/(^|,)(\w+)\/(\d+)/g, (_whole, before: string, from: string, step: string) => {
    return `${before}${from}-${max}/${step}`;
  });
}
