/** How a provider is told what to cache (H-39, R-271, R-282): by a mark at the end of the static block, or not at all. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type Environment, environmentSettings } from "./environment.js";
import { isScriptId } from "./script-id.js";
import type { CacheStrategy, ModelRequest } from "./types.js";

/** What LangChain's class for Bedrock calls itself. */
export const BEDROCK = "chat_bedrock_converse";

/** What the model's class says it is; undefined for what only looks like a model. */
export function kindOf(model: BaseChatModel): string | undefined {
  return typeof model._llmType === "function" ? model._llmType() : undefined;
}

/** Marks are for providers whose cache ends at one; the others cache common prefixes without being told. */
export function cacheStrategyOf(model: BaseChatModel): CacheStrategy {
  const kind = kindOf(model);
  if (kind === "anthropic") return "anthropic";
  const { model: id } = model as { model?: unknown };
  return kind === BEDROCK && typeof id === "string" ? bedrockStrategy(id) : "none";
}

/** The strategy of the environment's model, without building it; `none` where its settings are not in order. */
export function environmentCacheStrategy(env: Environment, requested: string | undefined): CacheStrategy {
  try {
    const { provider, model } = environmentSettings(env);
    return provider === "bedrock" && !isScriptId(model) ? bedrockStrategy(requested ?? model) : "none";
  } catch {
    return "none";
  }
}

/** What is marked, and for how long, as `prompt-shaping` says it; undefined: known only once the model is built. */
export function resolvedCaching(
  { enabled, ttl }: { enabled: boolean; ttl: "5m" | "1h" },
  strategy: CacheStrategy | undefined,
): "off" | "none" | "5m" | "1h" {
  if (!enabled) return "off";
  if (strategy === "none") return "none";
  return strategy === "bedrock-5m" ? "5m" : ttl;
}

/**
 * Text for most models. Where the provider caches up to a mark, parts with the mark at the end of the static block, which
 * is the same bytes in every call of a session.
 */
export function systemContent(request: ModelRequest, strategy: CacheStrategy): string | SystemPart[] {
  const { static: block, volatile } = request.system;
  // Anthropic's API has one place for system text, and LangChain's class for it refuses a second such message.
  const preface = strategy === "anthropic" ? (request.preface ?? []) : [];
  const blocks = [block, volatile, ...preface].filter((text) => text !== "");
  const { promptCache } = request;
  if (strategy === "none" || block === "" || !promptCache?.enabled) return blocks.join("\n\n");
  const long = promptCache.ttl === "1h";
  const parts: SystemPart[] = blocks.map((text) => ({ type: "text", text }));
  if (strategy === "anthropic") {
    parts[0] = { type: "text", text: block, cache_control: { type: "ephemeral", ...(long && { ttl: "1h" }) } };
  } else {
    const ttl = long && strategy === "bedrock" ? { ttl: "1h" } : {};
    parts.splice(1, 0, { type: "cache_point", cachePoint: { type: "default", ...ttl } });
  }
  return parts;
}

type SystemPart =
  | { type: "text"; text: string; cache_control?: { type: "ephemeral"; ttl?: string } }
  | { type: "cache_point"; cachePoint: { type: "default"; ttl?: string } };

/** Models that refuse a request with a mark: all but these families, and of Claude its first versions. */
const TAKE_MARKS = /anthropic\.claude|amazon\.nova/;
const REFUSE_MARKS = /claude-(?:v\d|instant|3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620)|nova-(?:canvas|reel|sonic)/;
/** Those that keep five minutes only (Bedrock's user guide, "Prompt caching"). */
const SHORT_ONLY = /amazon\.nova|claude-(?:3|sonnet-4-2|opus-4-[12])/;

function bedrockStrategy(modelId: string): CacheStrategy {
  if (!TAKE_MARKS.test(modelId) || REFUSE_MARKS.test(modelId)) return "none";
  return SHORT_ONLY.test(modelId) ? "bedrock-5m" : "bedrock";
}
