import { describe, expect, it } from "vitest";
import { nextFiring } from "./schedule.js";

const from = (text: string) => Date.parse(text);
/** The next firings, one after the other. */
function firings(count: number, schedule: string, after: string, timeZone?: string): string[] {
  const found: string[] = [];
  for (let at: number | null = from(after); found.length < count; ) {
    at = nextFiring(schedule, timeZone, at);
    if (at === null) break;
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

describe("schedules on one machine", () => {
  it.each<[schedule: string, after: string, times: string[], timeZone?: string]>([
    ["rate(5 minutes)", "2026-03-20T09:00:00Z", ["2026-03-20T09:05Z", "2026-03-20T09:10Z"]],
    ["rate(5 minutes)", "2026-03-20T09:04:59.999Z", ["2026-03-20T09:05Z"]],
    ["rate(1 day)", "2026-03-20T09:00:00Z", ["2026-03-21T00:00Z"]],
    ["cron(0 8 * * ? *)", "2026-03-20T09:00:00Z", ["2026-03-21T08:00Z", "2026-03-22T08:00Z"]],
    ["cron(0 8 * * ? *)", "2026-03-20T07:59:59Z", ["2026-03-20T08:00Z"]],
    ["cron(0 8 * * ? *)", "2026-03-20T08:00:00Z", ["2026-03-21T08:00Z"]],
    // Saturdays and Sundays are left out; 1 is Sunday.
    ["cron(0 8 ? * MON-FRI *)", "2026-03-20T09:00:00Z", ["2026-03-23T08:00Z"]],
    ["cron(0 8 ? * 2-6 *)", "2026-03-20T09:00:00Z", ["2026-03-23T08:00Z"]],
    ["cron(0 8 ? * 1 *)", "2026-03-20T09:00:00Z", ["2026-03-22T08:00Z", "2026-03-29T08:00Z"]],
    ["cron(0 8 ? * L *)", "2026-03-20T09:00:00Z", ["2026-03-21T08:00Z"]],
    ["cron(0 8 ? * 6#2 *)", "2026-03-20T09:00:00Z", ["2026-04-10T08:00Z"]],
    ["cron(0 8 ? * 6L *)", "2026-03-20T09:00:00Z", ["2026-03-27T08:00Z"]],
    ["cron(0 0 L * ? *)", "2026-02-20T09:00:00Z", ["2026-02-28T00:00Z", "2026-03-31T00:00Z"]],
    ["cron(0 0 15W * ? *)", "2026-03-01T00:00:00Z", ["2026-03-16T00:00Z"]],
    [
      "cron(10/20 9-10 * * ? *)",
      "2026-03-20T09:00:00Z",
      ["2026-03-20T09:10Z", "2026-03-20T09:30Z", "2026-03-20T09:50Z", "2026-03-20T10:10Z"],
    ],
    ["cron(*/30 9 * * ? *)", "2026-03-20T09:00:00Z", ["2026-03-20T09:30Z", "2026-03-21T09:00Z"]],
    ["cron(0 12 1 JAN,JUL ? 2027)", "2026-03-20T09:00:00Z", ["2027-01-01T12:00Z", "2027-07-01T12:00Z"]],
    ["cron(0 12 1 1 ? 2020)", "2026-03-20T09:00:00Z", []],
    // Vienna: an hour ahead of UTC, two from 29 March to 25 October 2026.
    ["cron(0 8 * * ? *)", "2026-03-27T12:00:00Z", ["2026-03-28T07:00Z", "2026-03-29T06:00Z"], "Europe/Vienna"],
    ["cron(30 2 * * ? *)", "2026-03-28T12:00:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"], "Europe/Vienna"],
    ["cron(30 2 * * ? *)", "2026-10-24T12:00:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"], "Europe/Vienna"],
  ])("%s after %s fires at %j", (schedule, after, times, timeZone) => {
    expect(firings(Math.max(times.length, 1), schedule, after, timeZone)).toEqual(times);
  });
});
