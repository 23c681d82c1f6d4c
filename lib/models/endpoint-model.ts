/** The provider package's chat-completions model, with the endpoint's peculiarities smoothed out (H-16, F-60, F-63). */
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk, ChatResult } from "@langchain/core/outputs";
import type { ChatOpenAICompletions } from "@langchain/openai";
import { textOf } from "./reply.js";

type Fields = ConstructorParameters<typeof ChatOpenAICompletions>[0] & object;

export interface EndpointModelClass {
  new (fields: Fields, emptyContent: "text" | "null"): ChatOpenAICompletions;
}

/** Loads the provider package and builds the class on it. */
export async function endpointModelClass(): Promise<EndpointModelClass> {
  const [{ ChatOpenAICompletions }, { AIMessage }] = await Promise.all([
    import("@langchain/openai"),
    import("@langchain/core/messages"),
  ]);
  type Parent = InstanceType<typeof ChatOpenAICompletions>;

  class EndpointModel extends ChatOpenAICompletions {
    readonly #emptyContent: "text" | "null";

    constructor(fields: Fields, emptyContent: "text" | "null") {
      super(fields);
      this.#emptyContent = emptyContent;
    }

    /** A whole answer of a streaming client is its stream, put together: the parent would estimate the usage instead. */
    override async _generate(...[messages, options, runManager]: Parameters<Parent["_generate"]>): Promise<ChatResult> {
      if (!this.streaming) {
        const result = await super._generate(messages, options, runManager);
        return result.generations.length > 0 ? result : { generations: [{ text: "", message: new AIMessage("") }] };
      }
      let whole: ChatGenerationChunk | undefined;
      for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
        chunk.message.response_metadata = { ...chunk.generationInfo, ...chunk.message.response_metadata };
        whole = whole === undefined ? chunk : whole.concat(chunk);
      }
      return { generations: [whole ?? { text: "", message: new AIMessage("") }] };
    }

    // The parent declares one signature for streams and one for whole answers; both pass through unchanged.
    override async completionWithRetry(request: never, options?: never): Promise<never> {
      const body = this.#prepared(request);
      if (body.stream_options === undefined) return this.#send(body, options);
      try {
        return await this.#send(body, options);
      } catch (error) {
        if (!refusesStreamOptions(error)) throw error;
        this.streamUsage = false;
        return this.#send({ ...body, stream_options: undefined }, options);
      }
    }

    #send(request: CompletionRequest, options: unknown): Promise<never> {
      return super.completionWithRetry(request as never, options as never) as Promise<never>;
    }

    #prepared(request: CompletionRequest): CompletionRequest {
      return { ...request, messages: request.messages.map((message) => this.#withContent(message)) };
    }

    #withContent(message: CompletionRequest["messages"][number]) {
      const silent = message.role === "assistant" && message.tool_calls !== undefined && !message.content;
      return silent ? { ...message, content: this.#emptyContent === "null" ? null : "" } : message;
    }

    override _convertCompletionsDeltaToBaseMessageChunk(
      ...[delta, raw, defaultRole]: Parameters<Parent["_convertCompletionsDeltaToBaseMessageChunk"]>
    ) {
      const role = delta.role ?? defaultRole;
      return super._convertCompletionsDeltaToBaseMessageChunk(asAssistant({ ...delta, role }), raw, undefined);
    }

    override _convertCompletionsMessageToBaseMessage(
      ...[message, raw]: Parameters<Parent["_convertCompletionsMessageToBaseMessage"]>
    ): BaseMessage {
      return super._convertCompletionsMessageToBaseMessage(asAssistant(message), raw);
    }
  }
  return EndpointModel;
}

interface CompletionRequest {
  stream_options?: unknown;
  messages: { role: string; content?: unknown; tool_calls?: unknown }[];
}

/** Roles that the protocol gives to turns of others. */
const ROLES_OF_OTHERS = new Set(["user", "system", "developer", "tool", "function"]);

/** A role that is missing or unknown is the assistant's (H-16); content that came in parts is text. */
function asAssistant<M extends { role?: unknown; content?: unknown }>(message: M): M {
  const role = ROLES_OF_OTHERS.has(String(message.role)) ? message.role : "assistant";
  const content = Array.isArray(message.content) ? textOf(message.content) : message.content;
  return { ...message, role, content };
}

/** Whether a refused request names the option that asks for usage (F-63). */
function refusesStreamOptions(error: unknown): boolean {
  const { status, message } = error as { status?: unknown; message?: unknown };
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(String(message));
}
