/** What tokens cost (H-114, H-115, R-286). */
import type { Usage } from "../session/state.js";

/** What a model's tokens cost, in USD per million. A missing cache rate is the input rate. */
export interface Price {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Prices by model id (H-114); `default` serves the ids that no entry fits. */
export type PricingTable = Readonly<Record<string, Price>>;

/** The price of a model: its exact id, else the longest key contained in it, else `default`. */
export function priceOf(pricing: PricingTable, modelId: string | undefined): Price | undefined {
  if (modelId !== undefined) {
    if (Object.hasOwn(pricing, modelId)) return pricing[modelId];
    const contained = Object.keys(pricing).filter((key) => key !== "" && key !== "default" && modelId.includes(key));
    const longest = contained.toSorted((a, b) => b.length - a.length)[0];
    if (longest !== undefined) return pricing[longest];
  }
  return Object.hasOwn(pricing, "default") ? pricing.default : undefined;
}

/**
 * What the tokens cost at a price, in USD, rounded to 6 decimals; `undefined` where the price names neither `input` nor
 * `output`. Each part of the input is counted once at its own rate, and no part below 0 (F-68).
 */
export function costOf(price: Price | undefined, usage: Omit<Usage, "costUsd">): number | undefined {
  if (price === undefined || (price.input === undefined && price.output === undefined)) return undefined;
  const input = price.input ?? 0;
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheCreationTokens);
  const dollars =
    (input * fresh +
      (price.output ?? 0) * usage.outputTokens +
      (price.cacheRead ?? input) * usage.cacheReadTokens +
      (price.cacheWrite ?? input) * usage.cacheCreationTokens) /
    1_000_000;
  return roundDollars(dollars);
}

/** To 6 decimals, so that sums of costs stay free of floating-point tails. */
export function roundDollars(dollars: number): number {
  return Math.round(dollars * 1_000_000) / 1_000_000;
}
