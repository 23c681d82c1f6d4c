/** Counting tokens: one normal form (H-113, F-68), sums, and the line people read (H-117). */
import type { Usage } from "../session/state.js";

export { addUsage, emptyUsage, hasUsage } from "../session/usage.js";

export type TokenCounts = Omit<Usage, "costUsd">;

/**
 * Usage as one line for people (H-117): `in 1,204 · out 87 · cache r 960/w 0 · $0.0312`; six decimals below one cent,
 * no money when unpriced.
 */
export function formatUsage(usage: Usage): string {
  const count = (tokens: number) => tokens.toLocaleString("en-US");
  const parts = [
    `in ${count(usage.inputTokens)}`,
    `out ${count(usage.outputTokens)}`,
    `cache r ${count(usage.cacheReadTokens)}/w ${count(usage.cacheCreationTokens)}`,
  ];
  if (usage.costUsd !== undefined) parts.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.01 ? 6 : 4)}`);
  return parts.join(" · ");
}

/**
 * The counts a provider reported, from the first shape that has any: LangChain's `usage_metadata`, OpenAI's, Anthropic's
 * raw usage (H-113). A missing count is 0; `undefined` when nothing was reported.
 */
export function normalUsage(usageMetadata: unknown, rawUsage: unknown): TokenCounts | undefined {
  return fromLangChain(record(usageMetadata)) ?? fromOpenAi(record(rawUsage)) ?? fromAnthropic(record(rawUsage));
}

function fromLangChain(usage: Fields): TokenCounts | undefined {
  if (!counted(usage.input_tokens, usage.output_tokens)) return undefined;
  const details = record(usage.input_token_details);
  return total(usage.input_tokens, usage.output_tokens, details.cache_read, details.cache_creation);
}

function fromOpenAi(usage: Fields): TokenCounts | undefined {
  if (!counted(usage.prompt_tokens, usage.completion_tokens)) return undefined;
  const details = record(usage.prompt_tokens_details);
  return total(usage.prompt_tokens, usage.completion_tokens, details.cached_tokens, details.cache_write_tokens);
}

/** Anthropic's `input_tokens` leaves the cached part out, so it is added back. */
function fromAnthropic(usage: Fields): TokenCounts | undefined {
  if (!counted(usage.input_tokens, usage.output_tokens)) return undefined;
  const read = tokens(usage.cache_read_input_tokens);
  const written = tokens(usage.cache_creation_input_tokens);
  return total(tokens(usage.input_tokens) + read + written, usage.output_tokens, read, written);
}

/** Parts larger than the whole can only have been reported beside it: they are added back (R-285, F-68). */
function total(input: unknown, output: unknown, cacheRead: unknown, cacheCreation: unknown): TokenCounts {
  const cacheReadTokens = tokens(cacheRead);
  const cacheCreationTokens = tokens(cacheCreation);
  const parts = cacheReadTokens + cacheCreationTokens;
  const inputTokens = tokens(input);
  return {
    inputTokens: parts > inputTokens ? inputTokens + parts : inputTokens,
    outputTokens: tokens(output),
    cacheReadTokens,
    cacheCreationTokens,
  };
}

type Fields = Record<string, unknown>;

function record(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function counted(...counts: unknown[]): boolean {
  return counts.some((count) => typeof count === "number");
}

function tokens(count: unknown): number {
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}
