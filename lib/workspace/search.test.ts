import { describe, expect, it } from "vitest";
import { FINDS_TOO_MUCH, grepShown } from "./search.js";
import type { GrepMatch } from "./types.js";

const match: GrepMatch = { path: "/hidden/a", line: 1, text: "n" };

/** A store with `held` matches that gives at most `limit` of them. */
function store(held: number, limit = Number.POSITIVE_INFINITY) {
  const asked: number[] = [];
  const ask = async (maxCount: number) => {
    asked.push(maxCount);
    const length = Math.min(held, maxCount, limit);
    return { matches: Array<GrepMatch>(length).fill(match), ...(length < held ? { truncated: true } : {}) };
  };
  return { ask, asked };
}

describe("grepShown", () => {
  it("R-240 asks once for the cap where nothing is hidden", async () => {
    const { ask, asked } = store(9);

    expect(await grepShown(5, ask, null)).toMatchObject({ matches: { length: 5 }, truncated: true });
    expect(asked).toEqual([5]);
  });

  it("R-223 asks for more until all is seen", async () => {
    const { ask, asked } = store(90);

    expect(await grepShown(5, ask, () => false)).toEqual({ matches: [] });
    expect(asked).toEqual([5, 6, 24, 96]);
  });

  it("R-223 takes what a store gives that has a lower cap of its own", async () => {
    const { ask, asked } = store(90, 10);

    expect(await grepShown(20, ask, () => true)).toMatchObject({ matches: { length: 10 }, truncated: true });
    expect(asked).toEqual([20]);
  });

  it("R-223 gives up where there is no end of what is hidden", async () => {
    const { ask } = store(Number.POSITIVE_INFINITY);

    expect(await grepShown(1_000, ask, () => false)).toEqual({ error: FINDS_TOO_MUCH });
  });
});
