/** A chat model without endpoint or key: what scripts, tests and cases answer with. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { ModelRole } from "./types.js";
import type { TokenCounts } from "./usage.js";

/** A model call as the `generate` of `createInProcessModel` gets it. */
export interface InProcessRequest {
  messages: readonly BaseMessage[];
  /** Names of the tools offered. */
  tools: readonly string[];
  role: ModelRole;
  signal?: AbortSignal;
}

/** What a `generate` answers with: text, tool calls, or both. Without `usage` no tokens are counted. */
export interface InProcessAnswer {
  content?: string;
  toolCalls?: readonly { name: string; args?: Record<string, unknown>; id?: string }[];
  usage?: TokenCounts;
}

/**
 * A model whose answers a function makes. A failure of the function is final, and an answer is one delta.
 *
 * @param options.model - the id that answers report
 */
export async function createInProcessModel(options: {
  model: string;
  generate(request: InProcessRequest): InProcessAnswer | Promise<InProcessAnswer>;
}): Promise<BaseChatModel> {
  const [core, { AIMessage }] = await Promise.all([
    import("@langchain/core/language_models/chat_models"),
    import("@langchain/core/messages"),
  ]);

  interface CallOptions {
    signal?: AbortSignal;
    tools?: readonly { name?: string; function?: { name: string } }[];
    parkwayRole?: ModelRole;
  }

  class InProcessModel extends core.BaseChatModel {
    readonly model = options.model;

    _llmType(): string {
      return "in-process";
    }

    override bindTools(tools: readonly unknown[]) {
      return this.withConfig({ tools } as never);
    }

    async _generate(messages: BaseMessage[], callOptions: this["ParsedCallOptions"]): Promise<ChatResult> {
      const { signal, tools = [], parkwayRole = "agent" } = callOptions as CallOptions;
      const answer = await options.generate({
        messages,
        tools: tools.map((tool) => tool.function?.name ?? tool.name ?? ""),
        role: parkwayRole,
        signal,
      });
      const message = new AIMessage({
        content: answer.content ?? "",
        tool_calls: (answer.toolCalls ?? []).map(({ name, args = {}, id }) => ({ name, args, id, type: "tool_call" })),
        response_metadata: { model_name: options.model },
        usage_metadata: answer.usage && {
          input_tokens: answer.usage.inputTokens,
          output_tokens: answer.usage.outputTokens,
          total_tokens: answer.usage.inputTokens + answer.usage.outputTokens,
          input_token_details: {
            cache_read: answer.usage.cacheReadTokens,
            cache_creation: answer.usage.cacheCreationTokens,
          },
        },
      });
      return { generations: [{ text: answer.content ?? "", message }] };
    }
  }
  return new InProcessModel({ maxRetries: 0 });
}
