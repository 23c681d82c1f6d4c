import { describe, expect, it } from "vitest";
import { parseUntil } from "./index.js";

const now = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

describe("parseUntil", () => {
  it.each([
    ["250ms", "2026-02-03T04:05:07.039Z"],
    ["90s", "2026-02-03T04:06:36.789Z"],
    ["30m", "2026-02-03T04:35:06.789Z"],
    ["2h", "2026-02-03T06:05:06.789Z"],
    ["1d", "2026-02-04T04:05:06.789Z"],
  ])("R-77 R-78 F-25 counts %s from the call", (text, resumeAt) => {
    expect(parseUntil(text, now)).toEqual({ ok: true, at: Date.parse(resumeAt), resumeAt });
  });

  it.each([
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T09:30", "2026-03-01T09:30:00.000Z"],
    ["2026-03-01 09:30:15", "2026-03-01T09:30:15.000Z"],
    ["2026-03-01T09:30:15.25Z", "2026-03-01T09:30:15.250Z"],
    ["2026-03-01T09:30+02:00", "2026-03-01T07:30:00.000Z"],
    ["2026-03-01 00:30-0530", "2026-03-01T06:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["0099-01-01", "0099-01-01T00:00:00.000Z"],
  ])("R-77 F-25 reads %s, as UTC where it names no offset", (text, resumeAt) => {
    expect(parseUntil(text, now)).toMatchObject({ ok: true, resumeAt });
  });

  it("R-77 F-24 accepts an instant in the past and one that is near", () => {
    expect(parseUntil("2020-01-01", now)).toMatchObject({ ok: true });
    expect(parseUntil("1ms", now)).toMatchObject({ ok: true });
  });

  it.each([
    "0m",
    "-5m",
    "1.5h",
    "5",
    "5 m",
    " 5m",
    "5m ",
    "1w",
    "1h30m",
    "",
    "tomorrow",
    "2026-02-30",
    "2027-02-29",
    "2026-13-01",
    "2026-3-1",
    "2026-03-01T9:30",
    "2026-03-01T09",
    "2026-03-01T24:00",
    "2026-03-01T09:60",
    "2026-03-01T09:30:60",
    "2026-03-01T09:30+25:00",
    "2026-03-01Z",
    "2026-03-01T09:30 ",
    "99999999999d",
    "1700000000000",
  ])("R-77 F-25 refuses %j, naming the accepted forms", (text) => {
    expect(parseUntil(text, now)).toEqual({
      ok: false,
      problem: expect.stringMatching(/30m.*ms, s, m, h, d.*2026-03-01.*UTC/),
    });
  });
});
