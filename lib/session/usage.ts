/** Summing tokens and cost (R-287, H-117). */
import type { Usage, Used } from "./state.js";

/** Input and output together. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

/** The usage of nothing, to begin a sum with: all counts 0, and no cost (H-117). */
export function emptyUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
}

/**
 * The sum of two usages; `costUsd` is there when either side has it, rounded to 6 decimals so that sums stay free of
 * tails.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  };
  if (a.costUsd !== undefined || b.costUsd !== undefined) {
    sum.costUsd = Math.round(((a.costUsd ?? 0) + (b.costUsd ?? 0)) * 1_000_000) / 1_000_000;
  }
  return sum;
}

export function addUsed(a: Used | undefined, b: Used): Used {
  return { tokens: (a?.tokens ?? 0) + b.tokens, toolCalls: (a?.toolCalls ?? 0) + b.toolCalls };
}

/** Whether anything was counted at all. */
export function hasUsage(usage: Usage): boolean {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens > 0;
}
