import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { checkRetry, retryAfterMs, retryDelayMs, sleepOnTimers, timerPieces } from "./retry.js";

describe("retryAfterMs", () => {
  it.each([
    ["0", 0],
    ["5", 5_000],
    ["007", 7_000],
    [" 5 ", 5_000],
    ["2147483647", 2_147_483_647_000],
  ])("A-50 F-67 honours %j", (value, ms) => {
    expect(retryAfterMs(value)).toBe(ms);
  });

  it.each([
    undefined,
    null,
    "",
    "  ",
    "0.5",
    "5.9",
    "5.0",
    "-5",
    "+5",
    "−5",
    "1e3",
    "0x10",
    "5s",
    "abc",
    "2147483648",
    "9".repeat(30),
    "Wed, 21 Oct 2026 07:28:00 GMT",
    "5, 10",
    "٥",
    "５",
    "1_000",
  ])("A-50 F-67 falls back for %j", (value) => {
    expect(retryAfterMs(value)).toBeNull();
  });
});

describe("retryDelayMs", () => {
  it("A-49 doubles from the base and adds less than 100 ms", () => {
    expect(retryDelayMs(0, { baseMs: 500, random: 0 })).toBe(500);
    expect(retryDelayMs(2, { baseMs: 500, random: 0.999 })).toBe(2_099);
  });

  it("A-49 F-67 waits as told, and not at all for 0", () => {
    expect(retryDelayMs(3, { baseMs: 500, retryAfter: "7", random: 0.5 })).toBe(7_000);
    expect(retryDelayMs(3, { baseMs: 500, retryAfter: "0", random: 0.5 })).toBe(0);
  });

  it("F-67 is a number whatever the header says", () => {
    for (const retryAfter of ["soon", "-1", "NaN", "Infinity"]) {
      expect(retryDelayMs(1, { baseMs: 500, retryAfter, random: 0 })).toBe(1_000);
    }
  });
});

describe("sleepOnTimers", () => {
  it("A-51 splits a wait that no timer can hold", () => {
    const pieces = timerPieces(5_000_000_000);

    expect(Math.max(...pieces)).toBeLessThanOrEqual(2 ** 31 - 1);
    expect(pieces.reduce((sum, piece) => sum + piece, 0)).toBe(5_000_000_000);
  });

  it("A-51 is not over at once where one timer would overflow", async () => {
    const stop = new AbortController();
    const waiting = sleepOnTimers(2 ** 31 + 1_000, stop.signal).then(
      () => "over",
      () => "stopped",
    );

    // A timer that overflows fires after a millisecond.
    expect(await Promise.race([waiting, setTimeout(30, "waiting")])).toBe("waiting");
    stop.abort();
    expect(await waiting).toBe("stopped");
  });

  it("A-51 ends at once on abort, with the signal's reason", async () => {
    const stop = new AbortController();
    const waiting = sleepOnTimers(2 ** 40, stop.signal);
    const reason = new Error("cancelled");

    stop.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(sleepOnTimers(1, stop.signal)).rejects.toBe(reason);
  });
});

describe("checkRetry", () => {
  it.each([undefined, {}, { retries: 0 }, { retries: 5, baseMs: 0, onError: () => "fail" }])(
    "A-46 takes %j",
    (option) => {
      expect(() => checkRetry(option)).not.toThrow();
    },
  );

  it.each([
    [null, "must be an object"],
    [[], "must be an object"],
    [3, "must be an object"],
    [{ attempts: 3 }, '"attempts"'],
    [{ retries: -1 }, "retries"],
    [{ retries: 1.5 }, "retries"],
    [{ retries: "2" }, "retries"],
    [{ baseMs: Number.NaN }, "baseMs"],
    [{ baseMs: -1 }, "baseMs"],
    [{ onError: "fail" }, "onError"],
  ])("A-46 refuses %j, naming what is wrong", (option, named) => {
    expect(() => checkRetry(option)).toThrow(TypeError);
    expect(() => checkRetry(option)).toThrow(named);
  });
});
