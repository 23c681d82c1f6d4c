import { describe, expect, it } from "vitest";
import { costOf, priceOf } from "./pricing.js";
import { addUsage, emptyUsage, formatUsage, hasUsage, normalUsage } from "./usage.js";

const counts = (inputTokens: number, outputTokens: number, cacheReadTokens = 0, cacheCreationTokens = 0) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheCreationTokens,
});

describe("cost", () => {
  it("H-115 R-286 prices the worked example at 0.0189", () => {
    expect(costOf({ input: 3, output: 15, cacheRead: 0.3 }, counts(20_000, 500, 18_000))).toBe(0.0189);
  });

  it.each([
    ["a missing cache rate is the input rate", { input: 2 }, counts(1_000, 0, 400, 600), 0.002],
    ["cache writes have their own rate", { input: 1, cacheWrite: 2 }, counts(1_000, 0, 0, 500), 0.0015],
    ["only an output rate is a price", { output: 10 }, counts(1_000, 100), 0.001],
    ["it rounds to 6 decimals", { input: 0.3 }, counts(7, 0), 0.000002],
    ["a rate of 0 is a price", { input: 0 }, counts(9, 9), 0],
  ])("H-115 R-286 %s", (_, price, usage, cost) => {
    expect(costOf(price, usage)).toBe(cost);
  });

  it("H-115 R-286 leaves the cost out, never 0, without a price", () => {
    expect(costOf(undefined, counts(10, 10))).toBeUndefined();
    expect(costOf({ cacheRead: 1 }, counts(10, 10, 10))).toBeUndefined();
  });

  it("F-68 R-286 never counts the input below 0", () => {
    expect(costOf({ input: 3, cacheRead: 1 }, counts(10, 0, 1_000))).toBe(0.001);
  });
});

describe("price lookup", () => {
  const pricing = {
    "sonnet-4": { input: 1 },
    sonnet: { input: 2 },
    "sonnet-4-long": { input: 3 },
    default: { input: 9 },
  };

  it.each([
    ["the exact id", "sonnet", 2],
    ["the longest key contained", "vendor/sonnet-4-2026", 1],
    ["a key contained before the word default", "sonnet-by-default", 2],
    ["default where none fits", "haiku", 9],
    ["default without an id", undefined, 9],
  ])("H-114 R-286 takes %s", (_, id, rate) => {
    expect(priceOf(pricing, id)?.input).toBe(rate);
  });

  it("H-114 R-286 finds nothing without a default", () => {
    expect(priceOf({ sonnet: { input: 1 } }, "haiku")).toBeUndefined();
    expect(priceOf({}, "constructor")).toBeUndefined();
  });
});

describe("one normal form", () => {
  const openai = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } };
  const anthropic = {
    input_tokens: 40,
    output_tokens: 5,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 10,
  };

  it("H-113 R-285 reads OpenAI's input as the whole", () => {
    expect(normalUsage(undefined, openai)).toEqual(counts(100, 5, 60));
  });

  it("H-113 R-285 adds Anthropic's cached parts back", () => {
    expect(normalUsage(undefined, anthropic)).toEqual(counts(110, 5, 60, 10));
  });

  it("H-113 prefers usage_metadata to a raw shape", () => {
    const metadata = { input_tokens: 7, output_tokens: 1, input_token_details: { cache_read: 2, cache_creation: 3 } };

    expect(normalUsage(metadata, openai)).toEqual(counts(7, 1, 2, 3));
  });

  it("H-113 R-285 reads a missing count as 0", () => {
    expect(normalUsage({ output_tokens: 3 }, undefined)).toEqual(counts(0, 3));
  });

  it("F-63 reports nothing where nothing was counted", () => {
    expect(normalUsage({ input_token_details: { cache_read: undefined } }, {})).toBeUndefined();
    expect(normalUsage(undefined, null)).toBeUndefined();
  });

  it("F-68 counts what Anthropic itself reports beside its input, however little it is", () => {
    const raw = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 5 };

    expect(normalUsage(undefined, raw)).toEqual(counts(115, 1, 10, 5));
  });

  it("F-68 R-285 adds parts back that were reported beside the total", () => {
    const metadata = { input_tokens: 50, output_tokens: 1, input_token_details: { cache_read: 900 } };

    expect(normalUsage(metadata, undefined)).toEqual(counts(950, 1, 900));
  });
});

describe("sums and text", () => {
  it("H-117 adds up, with a cost when either side has one", () => {
    expect(addUsage({ ...counts(1, 2, 3, 4), costUsd: 0.1 }, counts(1, 1, 1, 1))).toEqual({
      ...counts(2, 3, 4, 5),
      costUsd: 0.1,
    });
    expect(addUsage({ ...emptyUsage(), costUsd: 0.1 }, { ...emptyUsage(), costUsd: 0.2 }).costUsd).toBe(0.3);
    expect(addUsage(emptyUsage(), emptyUsage())).not.toHaveProperty("costUsd");
  });

  it("H-117 tells an empty usage from one that counted", () => {
    expect(hasUsage(emptyUsage())).toBe(false);
    expect(hasUsage(counts(0, 1))).toBe(true);
  });

  it.each([
    [0.0312, "in 1,204 · out 87 · cache r 960/w 0 · $0.0312"],
    [0.00123, "in 1,204 · out 87 · cache r 960/w 0 · $0.001230"],
    [undefined, "in 1,204 · out 87 · cache r 960/w 0"],
  ])("H-117 writes a cost of %s", (costUsd, line) => {
    expect(formatUsage({ ...counts(1_204, 87, 960), costUsd })).toBe(line);
  });
});
