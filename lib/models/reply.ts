/** The answer side of the border: what a model's chunks add up to (H-16, H-113, F-62…F-66). */
import type { BaseMessage } from "@langchain/core/messages";
import { addUsage } from "../session/usage.js";
import { CallAssembler, type CallFragment, checkCalls, type RawCall, takenCallIds } from "./raw-calls.js";
import type { ModelReply, ModelRequest } from "./types.js";
import { normalUsage, type TokenCounts } from "./usage.js";

/** The reasons that mean an answer ended at a limit. */
const CUT_OFF = new Set(["length", "max_tokens", "model_context_window_exceeded"]);

/** Gathers an answer from its chunks; a whole message is one chunk. */
export class ReplyBuilder {
  #text = "";
  readonly #fragments = new CallAssembler();
  readonly #whole: RawCall[] = [];
  #reported: TokenCounts | undefined;
  #raw: TokenCounts | undefined;
  #metadata: Fields = {};

  /** @returns the text this chunk adds */
  add(chunk: BaseMessage): string {
    const fields = chunk as unknown as Fields;
    const text = textOf(chunk.content);
    this.#text += text;
    const fragments = list(fields.tool_call_chunks) as CallFragment[];
    if (fragments.length > 0) for (const fragment of fragments) this.#fragments.add(fragment);
    else this.#whole.push(...wholeCalls(fields));
    for (const [name, value] of Object.entries(record(chunk.response_metadata))) {
      if (value !== undefined && value !== null && value !== "") this.#metadata[name] = value;
    }
    this.#addUsage(fields.usage_metadata, record(chunk.response_metadata).usage);
    return text;
  }

  /** What has been reported so far. */
  get usage(): TokenCounts | undefined {
    return this.#reported ?? this.#raw;
  }

  finish(request: ModelRequest, askedFor: string | undefined): ModelReply {
    const { calls, invalid } = checkCalls([...this.#fragments.finish(), ...this.#whole], {
      messageId: request.messageId,
      taken: takenCallIds(request),
      cutOff: CUT_OFF.has(String(this.#stopReason())),
    });
    const reply: ModelReply = { text: this.#text, calls, invalid };
    if (this.usage !== undefined) reply.usage = this.usage;
    const model = this.#metadata.model_name ?? this.#metadata.model ?? askedFor;
    if (typeof model === "string") reply.model = model;
    return reply;
  }

  /** Why the answer ended, where the providers say it: OpenAI's, Anthropic's, Bedrock's whole and streamed answers. */
  #stopReason(): unknown {
    const { finish_reason, stop_reason, stopReason, messageStop } = this.#metadata;
    return finish_reason ?? stop_reason ?? stopReason ?? record(messageStop).stopReason;
  }

  /** LangChain's counts come as increments; a raw usage beside them is the same count again, and its last word counts. */
  #addUsage(usageMetadata: unknown, raw: unknown): void {
    this.#raw = normalUsage(undefined, raw) ?? this.#raw;
    const reported = normalUsage(usageMetadata, undefined);
    if (reported === undefined) return;
    this.#reported = this.#reported === undefined ? reported : addUsage(this.#reported, reported);
  }
}

/**
 * The calls of a message that did not come in fragments. The raw list is preferred where there is one: it has valid and
 * invalid calls in the order in which they were made.
 */
function wholeCalls(fields: Fields): RawCall[] {
  const valid = list(fields.tool_calls) as RawCall[];
  const invalid = list(fields.invalid_tool_calls) as RawCall[];
  const raw = list(record(fields.additional_kwargs).tool_calls) as { id?: string; function?: Fields }[];
  if (raw.length > 0 && raw.length === valid.length + invalid.length) {
    return raw.map(({ id, function: called }) => ({ id, name: called?.name as string, args: called?.arguments }));
  }
  return [...valid, ...invalid].map(({ id, name, args }) => ({ id, name, args }));
}

/** All text of a content, which is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => (typeof part === "string" ? part : record(part).text))
    .filter((text) => typeof text === "string")
    .join("");
}

type Fields = Record<string, unknown>;

function record(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
