/** The model settings of the environment (H-125, H-132). */
import { InvalidModelSettingError, MissingModelSettingError } from "./errors.js";
import type { Price, PricingTable } from "./pricing.js";
import { isScriptId } from "./script-id.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a model is: an OpenAI-compatible endpoint, or Amazon Bedrock as the AWS SDK finds it. */
export const MODEL_PROVIDERS = ["openai", "bedrock"] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** What `env()` gives a model factory and `createChatModel` takes (H-132). */
export interface ModelSettings {
  /**
   * Default `openai`. `bedrock` takes neither `baseUrl` nor `apiKey`: region, credentials and endpoint are what the AWS SDK
   * finds in the process's environment (`AWS_REGION`, …), the shared configuration files, or the function's role.
   */
  provider?: ModelProvider;
  /** Empty where none is needed, as `apiKey`: for Bedrock and for scripts. */
  baseUrl: string;
  apiKey: string;
  model: string;
  temperature?: number;
  maxTokens?: number;
  /** Default true; off yields one delta per message. */
  streaming?: boolean;
}

/**
 * The endpoint's settings, complete.
 * @throws {MissingModelSettingError} naming every variable that is not set; Bedrock (`ARCHMAX_PROVIDER=bedrock`) and
 *   scripts (H-133) need neither endpoint nor key
 * @throws {InvalidModelSettingError} naming the variable and its value
 */
export function environmentSettings(env: Environment): ModelSettings {
  const model = textOf(env, "ARCHMAX_MODEL");
  const provider = providerOf(env);
  const alone = provider === "bedrock" || isScriptId(model);
  const required = alone ? ["ARCHMAX_MODEL"] : ["ARCHMAX_API_BASE_URL", "ARCHMAX_API_KEY", "ARCHMAX_MODEL"];
  const missing = required.filter((name) => textOf(env, name) === undefined);
  if (missing.length > 0) throw new MissingModelSettingError(missing);

  const settings: ModelSettings = {
    baseUrl: alone ? (textOf(env, "ARCHMAX_API_BASE_URL") ?? "") : addressOf(env, "ARCHMAX_API_BASE_URL"),
    apiKey: textOf(env, "ARCHMAX_API_KEY") ?? "",
    model: model ?? "",
  };
  if (provider !== undefined) settings.provider = provider;
  const temperature = numberOf(env, "ARCHMAX_TEMPERATURE");
  const maxTokens = numberOf(env, "ARCHMAX_MAX_TOKENS");
  const streaming = booleanOf(env, "ARCHMAX_STREAMING");
  if (temperature !== undefined) settings.temperature = temperature;
  if (maxTokens !== undefined) settings.maxTokens = maxTokens;
  if (streaming !== undefined) settings.streaming = streaming;
  return settings;
}

/** Whether any setting that could make a model is there (W-82): then what is missing is an error, not an absence. */
export function hasEnvironmentModel(env: Environment): boolean {
  return ["ARCHMAX_PROVIDER", "ARCHMAX_MODEL", "ARCHMAX_API_BASE_URL", "ARCHMAX_API_KEY"].some(
    (name) => textOf(env, name) !== undefined,
  );
}

/** The environment's part of the caching strategy; a field that is not set is absent. */
export function environmentPromptCache(env: Environment): { enabled?: boolean; ttl?: "5m" | "1h" } {
  const cache: { enabled?: boolean; ttl?: "5m" | "1h" } = {};
  const enabled = booleanOf(env, "ARCHMAX_PROMPT_CACHE");
  if (enabled !== undefined) cache.enabled = enabled;
  const ttl = textOf(env, "ARCHMAX_PROMPT_CACHE_TTL");
  if (ttl === "5m" || ttl === "1h") cache.ttl = ttl;
  else if (ttl !== undefined) throw new InvalidModelSettingError("ARCHMAX_PROMPT_CACHE_TTL", ttl, "5m or 1h");
  return cache;
}

const PRICE_VARIABLES = {
  input: "ARCHMAX_PRICE_INPUT",
  output: "ARCHMAX_PRICE_OUTPUT",
  cacheRead: "ARCHMAX_PRICE_CACHE_READ",
  cacheWrite: "ARCHMAX_PRICE_CACHE_WRITE",
} as const satisfies Record<keyof Price, string>;

/** The `default` price of the environment, in USD per million tokens; an empty table when no variable is set. */
export function environmentPricing(env: Environment): PricingTable {
  const price: Price = {};
  for (const [part, variable] of Object.entries(PRICE_VARIABLES) as [keyof Price, string][]) {
    const rate = numberOf(env, variable);
    if (rate !== undefined) price[part] = rate;
  }
  return Object.keys(price).length === 0 ? {} : { default: price };
}

function providerOf(env: Environment): ModelProvider | undefined {
  const text = textOf(env, "ARCHMAX_PROVIDER");
  const provider = MODEL_PROVIDERS.find((name) => name === text);
  if (text !== undefined && provider === undefined)
    throw new InvalidModelSettingError("ARCHMAX_PROVIDER", text, MODEL_PROVIDERS.join(" or "));
  return provider;
}

function textOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function addressOf(env: Environment, name: string): string {
  const text = textOf(env, name) ?? "";
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (protocol === "http:" || protocol === "https:") return text;
  throw new InvalidModelSettingError(name, text, "the address of an endpoint, such as https://models.example/v1");
}

function numberOf(env: Environment, name: string): number | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new InvalidModelSettingError(name, text, "a number");
  return value;
}

function booleanOf(env: Environment, name: string): boolean | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new InvalidModelSettingError(name, text, "one of 1, true, yes, on, 0, false, no, off");
}
