import { describe, expect, it } from "vitest";
import { clockLine } from "../index.js";

const nowMs = Date.parse("2026-11-30T22:47:59.999Z");

describe("clockLine", () => {
  it("W-265 R-277 states the UTC date, weekday and time rounded down to ten minutes, and says so", () => {
    expect(clockLine({ nowMs })).toBe("It is Monday, 2026-11-30 22:40 UTC, rounded down to ten minutes.");
    expect(clockLine({ nowMs: Date.parse("2026-12-01T00:00:00Z") })).toContain("Tuesday, 2026-12-01 00:00 UTC");
  });

  it("W-279 is the same for every instant of one bucket", () => {
    const bucket = ["22:40:00.000Z", "22:44:10.500Z", "22:49:59.999Z"].map((time) =>
      clockLine({ nowMs: Date.parse(`2026-11-30T${time}`), timeZone: "Asia/Tokyo" }),
    );

    expect(new Set(bucket).size).toBe(1);
    expect(clockLine({ nowMs: Date.parse("2026-11-30T22:50:00Z"), timeZone: "Asia/Tokyo" })).not.toBe(bucket[0]);
  });

  it("W-265 adds the host's zone and local time when the zone is not UTC", () => {
    expect(clockLine({ nowMs, timeZone: "Europe/Berlin" })).toBe(
      "It is Monday, 2026-11-30 22:40 UTC, rounded down to ten minutes. Local time (Europe/Berlin): Monday, 2026-11-30 23:40.",
    );
    expect(clockLine({ nowMs, timeZone: "UTC" })).not.toContain("Local");
    expect(clockLine({ nowMs, timeZone: "Etc/UTC" })).not.toContain("Local");
  });

  it("W-265 R-277 states a pinned clock in UTC alone", () => {
    expect(clockLine({ nowMs, timeZone: "Europe/Berlin", pinnedMs: Date.parse("2025-01-02T03:09:00Z") })).toBe(
      "It is Thursday, 2025-01-02 03:00 UTC, rounded down to ten minutes.",
    );
    expect(clockLine({ nowMs, pinnedMs: 0 })).toContain("1970-01-01 00:00");
  });
});
