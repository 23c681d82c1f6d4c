import { expect, it } from "vitest";
import { nextDispatchAfter } from "./journal.js";

const entry = (dispatch?: number) => JSON.stringify({ tool: "t", hash: "h", attempt: 1, at: 0, dispatch });

it("R-179 S-43 gives out the lowest number that no call on record has, those lost in a crash again", () => {
  const journal = new Map([
    ["J0001e1/1", entry(1)],
    ["J0001e1/2", entry()],
    ["J0001e1/3", entry(3)],
  ]);

  expect([0, 1, 2, 3, 7].map((last) => nextDispatchAfter({ journal }, last))).toEqual([2, 2, 4, 4, 8]);
});
