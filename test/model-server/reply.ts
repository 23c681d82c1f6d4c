/** What the model server can be told to answer, faults included. */
import type { ScriptReply } from "../../lib/models/index.js";

export interface ServerCall {
  /** `null` leaves the id out, as some endpoints do. */
  id?: string | null;
  name: string;
  /** A string is sent as it is, so that it can be cut off or broken. */
  args?: Record<string, unknown> | string;
}

export interface ServerReply {
  text?: string;
  toolCalls?: readonly ServerCall[];
  /** `chat.completion` usage as the protocol has it; absent: none is reported. */
  usage?: Record<string, unknown>;
  /** The id reported; default: the one asked for. */
  model?: string;
  /** `null` leaves the role out. Default `assistant`. */
  role?: string | null;
  finishReason?: string;
  /** Fields that the protocol does not know, put beside the known ones. */
  extra?: Record<string, unknown>;
  /** An answer other than 200. */
  status?: number;
  headers?: Record<string, string>;
  /** The body of an answer other than 200. */
  error?: Record<string, unknown>;
  /** The bytes of a 200 that is what it says, in place of a completion. */
  raw?: { type: string; body: string };
  /** Closes the connection before the answer, before the first content, or in the middle of it. */
  drop?: "at-once" | "before-content" | "mid-answer";
  delayMs?: number;
  /** A pause in the middle of a streamed answer. */
  pauseMs?: number;
}

/** A scripted reply as the protocol's answer. */
export function fromScript(reply: ScriptReply): ServerReply {
  if (reply.error) return { status: reply.error.status ?? 400, error: { message: reply.error.message } };
  return {
    text: reply.text,
    toolCalls: reply.toolCalls,
    delayMs: reply.delayMs,
    usage: reply.usage && {
      prompt_tokens: reply.usage.inputTokens,
      completion_tokens: reply.usage.outputTokens,
      total_tokens: reply.usage.inputTokens + reply.usage.outputTokens,
      prompt_tokens_details: {
        cached_tokens: reply.usage.cacheReadTokens,
        cache_write_tokens: reply.usage.cacheCreationTokens,
      },
    },
  };
}
