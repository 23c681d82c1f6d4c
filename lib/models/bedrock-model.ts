/** The model of Amazon Bedrock's Converse API, with the retry rules and peculiarities of this layer around it. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AttemptOptions } from "./attempts.js";
import { type BedrockSend, bedrockSend } from "./bedrock-send.js";
import type { ModelSettings } from "./environment.js";
import { MissingModelSettingError } from "./errors.js";

/**
 * Builds the client; nothing is requested yet. Region, credentials and endpoint are what the AWS SDK finds: the process's
 * environment, the shared configuration files, the role of the function.
 * @throws {MissingModelSettingError} when it finds no region
 */
export async function createBedrockModel(settings: ModelSettings, options: AttemptOptions): Promise<BaseChatModel> {
  const { BedrockRuntimeClient, ChatBedrockConverse } = await import("./bedrock-packages.js");
  // Repeating is this layer's own, and each attempt is signed anew.
  const client = new BedrockRuntimeClient({ maxAttempts: 1 });
  const region = await client.config.region().catch(() => {
    throw new MissingModelSettingError(
      ["AWS_REGION"],
      "the process's environment, or a region in AWS's shared configuration",
    );
  });
  client.send = bedrockSend(client.send.bind(client) as BedrockSend, options) as typeof client.send;
  const { model, temperature, maxTokens, streaming = true } = settings;
  const built = new ChatBedrockConverse({
    client,
    region,
    model,
    temperature,
    maxTokens,
    streaming,
    maxRetries: 0,
    // It would also end a wait that the provider asked for.
    streamIdleTimeout: 0,
  });
  built.disableStreaming = !streaming;
  return built;
}
