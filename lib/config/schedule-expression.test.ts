import { describe, expect, it } from "vitest";
import { isTimeZone, parseSchedule } from "./index.js";

describe("schedule expressions", () => {
  it.each([
    ["rate(1 minute)", 60_000],
    ["rate(5 minutes)", 300_000],
    ["rate(1 hour)", 3_600_000],
    ["rate(7 days)", 604_800_000],
  ])("C-73 reads %s", (text, everyMs) => {
    expect(parseSchedule(text)).toEqual({ ok: true, expression: { kind: "rate", everyMs } });
  });

  it.each([
    "cron(0 8 * * ? *)",
    "cron(0/15 8-17 ? * mon-fri *)",
    "cron(0 0 L * ? *)",
    "cron(0 0 LW * ? *)",
    "cron(0 0 15W * ? *)",
    "cron(0 0 ? * 6L *)",
    "cron(0 0 ? * FRI#2 2026-2030)",
    "cron(5,35 14 1,15 JAN,JUL ? 2026/2)",
    "cron(*/10 * * * ? *)",
  ])("C-73 reads %s", (text) => {
    const fields = text.slice(5, -1).toUpperCase().split(" ");

    expect(parseSchedule(text)).toEqual({ ok: true, expression: { kind: "cron", fields } });
  });

  it.each([
    ["", "must be rate"],
    ["at(2026-01-01T00:00:00)", "must be rate"],
    ["rate(5 minute)", "rate(5 minutes)"],
    ["rate(1 minutes)", "rate(1 minute)"],
    ["rate(0 minutes)", "rate(5 minutes)"],
    ["rate(30 seconds)", "rate(5 minutes)"],
    ["cron(0 8 * * *)", "it has 5"],
    ["cron(0 8 * * * *)", "exactly one"],
    ["cron(0 8 ? * ? *)", "exactly one"],
    ["cron(60 8 * * ? *)", '"60" in its cron where a minutes'],
    ["cron(0 24 * * ? *)", '"24" in its cron where a hours'],
    ["cron(0 8 0 * ? *)", '"0" in its cron where a day of month'],
    ["cron(0 8 ? * 0 *)", '"0" in its cron where a day of week'],
    ["cron(0 8 ? * 8 *)", '"8"'],
    ["cron(0 8 ? 13 MON *)", '"13"'],
    ["cron(17-8 * * * ? *)", '"17-8"'],
    ["cron(*/0 * * * ? *)", '"*/0"'],
    ["cron(0 8 ?,1 * MON *)", '"?"'],
    ["cron(0 8 ? * MON 1969)", '"1969"'],
    ["cron(a * * * ? *)", '"A"'],
  ])("C-73 refuses %j", (text, says) => {
    expect(parseSchedule(text)).toEqual({ ok: false, reason: expect.stringContaining(says) });
  });

  it("C-73 knows time zones by name only", () => {
    expect(["UTC", "Europe/Vienna", "America/Argentina/Buenos_Aires", "Etc/GMT+3"].filter(isTimeZone)).toHaveLength(4);
    expect(["", "Vienna", "+02:00", "Europe/Nowhere"].filter(isTimeZone)).toEqual([]);
  });
});
