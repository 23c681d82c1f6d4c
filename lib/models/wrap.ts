/** The one normalising layer around a chat model of LangChain, whoever built it (F-58…F-68). */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { withoutEmptyText } from "./bedrock-input.js";
import { fittedBedrock } from "./bedrock-send.js";
import { behindStandIn } from "./border.js";
import { BEDROCK, cacheStrategyOf, kindOf } from "./caching.js";
import { toCallError } from "./call-error.js";
import { ReplyBuilder } from "./reply.js";
import { retryScope } from "./retry.js";
import { toFunctionTools, toLangChainMessages } from "./to-langchain.js";
import type { ChatModel, ModelReply, ModelRequest, ModelRole } from "./types.js";

export interface WrapOptions {
  /** Id the model was built for; default: what the instance says it is. */
  id?: string;
  /** Told to scripted models, whose replies are kept by role (H-133). Default `agent`. */
  role?: ModelRole;
}

/**
 * The model behind the border of `types.ts`. A call throws `ModelCallError` when the provider failed,
 * `ModelWaitTooLongError` when its next attempt has to wait for another invocation, and the signal's reason on abort.
 */
export function wrapChatModel(given: BaseChatModel, options: WrapOptions = {}): ChatModel {
  const own = behindStandIn(given);
  if (own !== undefined) return own;
  const onBedrock = kindOf(given) === BEDROCK;
  const model = onBedrock ? fittedBedrock(given) : given;
  const id = options.id ?? idOf(model);
  const cacheStrategy = cacheStrategyOf(model);
  return {
    ...(id !== undefined && { id }),
    cacheStrategy,
    async call(request: ModelRequest): Promise<ModelReply> {
      request.signal?.throwIfAborted();
      const asked = onBedrock ? { ...request, messages: withoutEmptyText(request.messages) } : request;
      const messages = await toLangChainMessages(asked, cacheStrategy);
      const scope = { attempt: request.attempt ?? 0, maxWaitMs: request.maxWaitMs };
      const reply = new ReplyBuilder();
      try {
        return await retryScope.run(scope, async () => {
          for await (const chunk of await offering(model, request).stream(messages, callOptions(request, options))) {
            const text = reply.add(chunk);
            if (text !== "") request.onText?.(text);
          }
          request.signal?.throwIfAborted();
          return reply.finish(request, id);
        });
      } catch (error) {
        if (reply.usage !== undefined) request.onAbandoned?.(reply.usage);
        request.signal?.throwIfAborted();
        throw toCallError(error, secretsOf(model));
      }
    },
  };
}

/** The model with its tools. An empty list is left out, so that the request names no tools at all. */
function offering(model: BaseChatModel, request: ModelRequest): Pick<BaseChatModel, "stream"> {
  const tools = toFunctionTools(request);
  if (tools.length === 0 || model.bindTools === undefined) return model;
  return model.bindTools(tools) as Pick<BaseChatModel, "stream">;
}

function callOptions(request: ModelRequest, options: WrapOptions): object {
  return { signal: request.signal, parkwayRole: options.role ?? "agent" };
}

function idOf(model: BaseChatModel): string | undefined {
  const { model: id, modelName } = model as { model?: unknown; modelName?: unknown };
  return [id, modelName].find((name) => typeof name === "string");
}

/** Of LangChain's classes for the providers served here. */
const SECRET_FIELDS = ["apiKey", "bedrockBearerToken", "bedrockApiSecret", "bedrockApiSessionToken"];

function secretsOf(model: BaseChatModel): string[] {
  const fields = model as unknown as Record<string, unknown>;
  return SECRET_FIELDS.map((name) => fields[name]).filter((value) => typeof value === "string");
}
