/** A client for any OpenAI-compatible chat-completions endpoint (H-16), for Bedrock, or a script in its place (H-133). */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { environmentSettings, MODEL_PROVIDERS, type ModelSettings } from "./environment.js";
import { InvalidModelSettingError } from "./errors.js";
import { retryingFetch } from "./http.js";
import { checkRetry, type RetryOptions, type Sleep, sleepOnTimers } from "./retry.js";
import { isScriptId, scriptFileOf } from "./script-id.js";
import { createScriptModel } from "./scripted.js";

/**
 * What `createChatModel` takes: the settings that `env()` gives, and how requests are worded and repeated (H-132,
 *
 */
export interface ChatModelSettings extends ModelSettings {
  /** What is sent as the content beside tool calls when there is no text (F-60). Default `text`: the empty string. */
  emptyContent?: "text" | "null";
  retry?: RetryOptions;
}

/** What the client takes from its surroundings; tests replace it. */
export interface ChatModelDeps {
  fetch?: typeof fetch;
  sleep?: Sleep;
  /** In [0, 1). */
  random?(): number;
  /** Where relative script files are looked for. Default: the current directory. */
  rootDir?: string;
}

/**
 * Builds the client; nothing is requested yet. The provider package is loaded here and not before (F-78).
 * @param settings - default: the process's environment (H-125)
 * @throws {InvalidModelSettingError} for a provider there is none of; {TypeError} for a `retry` that is none
 */
export async function createChatModel(settings?: ChatModelSettings, deps: ChatModelDeps = {}): Promise<BaseChatModel> {
  const chosen: ChatModelSettings = settings ?? environmentSettings(process.env);
  checkRetry(chosen.retry);
  if (isScriptId(chosen.model)) return createScriptModel(scriptFileOf(chosen.model), deps);
  const { provider = "openai" } = chosen;
  if (!MODEL_PROVIDERS.includes(provider))
    throw new InvalidModelSettingError("provider", provider, MODEL_PROVIDERS.join(" or "));
  const attempts = {
    retry: chosen.retry,
    sleep: deps.sleep ?? sleepOnTimers,
    random: deps.random ?? Math.random,
  };
  if (provider === "bedrock") {
    const { createBedrockModel } = await import("./bedrock-model.js");
    return createBedrockModel(chosen, attempts);
  }
  const { endpointModelClass } = await import("./endpoint-model.js");
  const EndpointModel = await endpointModelClass();
  return new EndpointModel(
    {
      model: chosen.model,
      apiKey: chosen.apiKey,
      temperature: chosen.temperature,
      maxTokens: chosen.maxTokens,
      streaming: chosen.streaming ?? true,
      // Repeating is this layer's own: neither LangChain's caller nor the provider's client does it again.
      maxRetries: 0,
      timeout: NO_CLIENT_TIMEOUT_MS,
      configuration: {
        baseURL: chosen.baseUrl,
        fetch: retryingFetch({ ...attempts, fetch: deps.fetch }),
        // What is wrong is thrown; the client would print it as well.
        logLevel: "off",
      },
    },
    chosen.emptyContent ?? "text",
  );
}

/** The client's own limit would also end a wait that the provider asked for; the longest timer is no limit. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;
