import { expect, it } from "vitest";
import { backoffMs } from "./backoff.js";

it.each([
  [1, 0, 25],
  [1, 1, 50],
  [2, 1, 100],
  [4, 0, 200],
  [8, 1, 5_000],
  [99, 1, 5_000],
])("pauses after attempt %d, at chance %d, for %d ms", (attempt, chance, ms) => {
  expect(backoffMs(attempt, () => chance)).toBe(ms);
});
