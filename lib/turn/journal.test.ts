import { expect, it } from "vitest";
import { callKey, idempotencyKeyOf, nextDispatchAfter } from "./journal.js";

const entry = (dispatch?: number) => JSON.stringify({ tool: "t", hash: "h", attempt: 1, at: 0, dispatch });

it("R-179 S-43 gives out the lowest number that no call on record has, those lost in a crash again", () => {
  const journal = new Map([
    ["J0001e1/1", entry(1)],
    ["J0001e1/2", entry()],
    ["J0001e1/3", entry(3)],
  ]);

  expect([0, 1, 2, 3, 7].map((last) => nextDispatchAfter({ journal }, last))).toEqual([2, 2, 4, 4, 8]);
});

it("S-44 S-38 hands out a key of 255 characters as it is, and the hash of a longer one", () => {
  const key = callKey(1, "call");
  const rest = idempotencyKeyOf("", key).length;

  expect(idempotencyKeyOf("s".repeat(255 - rest), key)).toMatch(/^s+\/0001\/call$/);
  expect(idempotencyKeyOf("s".repeat(256 - rest), key)).toMatch(/^[0-9a-f]{64}$/);
});
