import { expect, it } from "vitest";
import { WAKE_RETRY_MAX_MS } from "./limits.js";
import { retryDelayMs } from "./retry.js";

it("S-89 doubles the pause from one second up to five minutes", () => {
  expect([1, 2, 3, 4, 9, 10, 1_000].map((attempts) => retryDelayMs(attempts, 1))).toEqual([
    1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
  ]);
});

it("S-89 spreads pauses between half and all of the step", () => {
  expect(retryDelayMs(3, 0)).toBe(2_000);
  expect(retryDelayMs(3, 0.5)).toBe(3_000);
});

it("F-27 lets a wake-up's pause grow to one hour", () => {
  expect(retryDelayMs(12, 1, { maxMs: WAKE_RETRY_MAX_MS })).toBe(2_048_000);
  expect(retryDelayMs(13, 1, { maxMs: WAKE_RETRY_MAX_MS })).toBe(3_600_000);
});
