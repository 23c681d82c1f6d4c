/** The request side of the border: stored messages and tools in LangChain's classes (F-58…F-61, R-271, R-282). */
import type { BaseMessage } from "@langchain/core/messages";
import type { StoredMessage } from "../session/messages.js";
import type { ToolDefinition } from "../tools/types.js";
import { systemContent } from "./caching.js";
import type { AttachedPicture, CacheStrategy, ModelRequest } from "./types.js";

export interface FunctionTool {
  type: "function";
  function: ToolDefinition;
}

/** The system message, then the transcript with every call's answers right behind it, in call order (F-59). */
export async function toLangChainMessages(request: ModelRequest, caching: CacheStrategy): Promise<BaseMessage[]> {
  const { AIMessage, HumanMessage, SystemMessage, ToolMessage } = await import("@langchain/core/messages");
  const system = systemContent(request, caching);
  const messages: BaseMessage[] = system.length === 0 ? [] : [new SystemMessage({ content: system })];
  for (const text of caching === "anthropic" ? [] : (request.preface ?? [])) {
    messages.push(new SystemMessage({ content: text }));
  }
  let shown: AttachedPicture[] = [];
  const show = () => {
    if (shown.length > 0) messages.push(new HumanMessage({ content: picturesContent(shown) }));
    shown = [];
  };
  for (const message of inSendingOrder(request.messages)) {
    const { id, content } = message;
    if (message.role !== "tool") show();
    if (message.role === "user") messages.push(new HumanMessage({ id, content }));
    else if (message.role === "assistant")
      messages.push(
        new AIMessage({ id, content, tool_calls: message.tool_calls?.map((call) => ({ ...call, type: "tool_call" })) }),
      );
    else
      messages.push(
        new ToolMessage({
          id,
          content,
          tool_call_id: message.tool_call_id ?? "",
          name: message.name,
          status: message.status,
        }),
      );
    const picture = request.pictures?.get(id);
    if (picture) shown.push(picture);
  }
  show();
  return messages;
}

/** Each picture behind its line, in the one form that all of LangChain's classes take. */
function picturesContent(pictures: readonly AttachedPicture[]) {
  return pictures.flatMap(({ text, mediaType, base64 }) => [
    { type: "text" as const, text },
    ...(base64 === undefined
      ? []
      : [{ type: "image_url" as const, image_url: { url: `data:${mediaType};base64,${base64}` } }]),
  ]);
}

/**
 * The tools to offer. A history with calls needs tools beside it, or some providers refuse it (F-58): where none is
 * offered, the names of the history stand in, and whatever is called is refused by the caller.
 */
export function toFunctionTools(request: ModelRequest): FunctionTool[] {
  const offered = request.tools.length > 0 ? request.tools : namesOfHistory(request.messages);
  return offered.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function inSendingOrder(messages: readonly StoredMessage[]): StoredMessage[] {
  const answers = new Map<string, StoredMessage>();
  for (const message of messages) {
    if (message.role === "tool" && message.tool_call_id !== undefined) answers.set(message.tool_call_id, message);
  }
  const sent = new Set<StoredMessage>();
  const ordered: StoredMessage[] = [];
  for (const message of messages) {
    if (sent.has(message) || isEmpty(message)) continue;
    ordered.push(message);
    for (const call of message.tool_calls ?? []) {
      const answer = answers.get(call.id);
      if (answer === undefined || sent.has(answer)) continue;
      sent.add(answer);
      ordered.push(answer);
    }
  }
  return ordered;
}

/** Neither said anything nor called anything: no provider takes it (F-61). */
function isEmpty(message: StoredMessage): boolean {
  return message.role === "assistant" && message.content === "" && (message.tool_calls ?? []).length === 0;
}

function namesOfHistory(messages: readonly StoredMessage[]): ToolDefinition[] {
  const names = new Set(messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.name)));
  return [...names].map((name) => ({
    name,
    description: "Cannot be called now.",
    parameters: { type: "object", properties: {} },
  }));
}
