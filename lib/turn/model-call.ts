/** One call of a state's model: request, streamed text, usage, and the answer as a stored message. */

import { costOf, priceOf } from "../models/index.js";
import type { InvalidCall, ModelReply, ModelRequest } from "../models/types.js";
import type { StoredMessage } from "../session/messages.js";
import type { SessionPatch, SessionState, Usage } from "../session/state.js";
import type { ToolDefinition } from "../tools/types.js";
import { ModelTimeoutError } from "./errors.js";
import { attachedPictures } from "./pictures.js";
import { boundOf } from "./step-limit.js";
import { toolDefinition } from "./surface.js";
import type { Turn } from "./types.js";

export interface ModelCall {
  /** The state the call is made in. */
  state: string;
  volatile: string;
  /** Names of the tools offered, in registration order. */
  tools: readonly string[];
  /** `budget.timeoutMs`; an invocation's limit bounds the call besides (S-53). */
  timeoutMs?: number;
}

export interface CalledModel {
  /** Null when the model said nothing and called nothing (F-61, F-62). */
  message: StoredMessage | null;
  invalid: InvalidCall[];
  usage: SessionPatch;
}

/**
 * A call of the agent's model over the session's transcript; its text is told as it comes, and as a whole.
 * @throws {ModelTimeoutError} with the usage to count, when the state's budget or an invocation's whole time passes; whatever the provider threw otherwise
 */
export async function callModel(turn: Turn, state: SessionState, call: ModelCall): Promise<CalledModel> {
  const messageId = `m${state.messages.length}-${turn.attemptMark}`;
  const { reply, usage } = await requestModel(turn, {
    role: "agent",
    state: call.state,
    system: { static: turn.assembly.staticPrompt, volatile: call.volatile },
    messages: state.messages,
    tools: call.tools.map((name) => toolDefinition(turn.assembly, name)),
    messageId,
    timeoutMs: call.timeoutMs,
    streamed: true,
  });
  if (reply.text.trim() !== "") turn.emit({ type: "agent-text", state: call.state, text: reply.text, messageId });
  return { message: messageOf(reply, messageId), invalid: reply.invalid, usage };
}

export interface ModelQuery extends Pick<ModelRequest, "system" | "messages" | "messageId"> {
  /** Of the models a turn calls, the one asked. */
  role: "agent" | "grader";
  /** Chooses the model, and is named by the events. */
  state: string;
  /** In registration order. */
  tools: readonly ToolDefinition[];
  /** As `ModelCall.timeoutMs`. */
  timeoutMs?: number;
  /** Whether the text is told as it comes; an agent's is, a grader's never. */
  streamed: boolean;
}

export interface ModelAnswer {
  reply: ModelReply;
  /** What the call adds to the session's usage; empty where the provider reported nothing. */
  usage: SessionPatch;
}

/**
 * A model call of any role, within its time; `model-usage` is emitted, and nothing else unless `streamed`.
 * @throws as `callModel`
 */
export async function requestModel(turn: Turn, query: ModelQuery): Promise<ModelAnswer> {
  const { role, state, system, messages, tools, messageId } = query;
  const model = await turn.modelFor(role, state);
  const { promptCache, pictures: limits } = turn.assembly;
  const pictures = limits ? await attachedPictures(turn.workspace, messages, limits) : undefined;
  const stream = query.streamed ? textStream(turn, state, messageId) : undefined;
  const timeoutMs = boundOf(query.timeoutMs, turn.host.invocationLimitMs);
  const bounded = boundedSignal(turn.signal, timeoutMs);
  let abandoned: ModelReply["usage"];
  try {
    const reply = await model.call({
      system,
      messages,
      tools,
      messageId,
      signal: bounded.signal,
      onText: stream?.push,
      onAbandoned: (usage) => {
        abandoned = usage;
      },
      promptCache,
      ...(pictures?.size ? { pictures } : {}),
    });
    return { reply, usage: usageOf(turn, state, reply, model.id) };
  } catch (error) {
    stream?.abandon();
    if (bounded.timedOut())
      throw new ModelTimeoutError(timeoutMs ?? 0, usageOf(turn, state, { usage: abandoned }, model.id));
    throw error;
  } finally {
    bounded.release();
  }
}

/** The answer as it is stored; null when the model said nothing and called nothing (F-61). */
export function messageOf(reply: ModelReply, messageId: string): StoredMessage | null {
  if (reply.text.trim() === "" && reply.calls.length === 0) return null;
  return {
    id: messageId,
    role: "assistant",
    content: reply.text,
    ...(reply.calls.length > 0 ? { tool_calls: reply.calls } : {}),
  };
}

/** Deltas go out as they come; text of a call that fails is told once, as partial, and kept nowhere. */
function textStream(turn: Turn, state: string, messageId: string) {
  let text = "";
  return {
    push: (delta: string) => {
      if (delta === "") return;
      text += delta;
      turn.emit({ type: "agent-text-delta", state, text: delta, messageId });
    },
    abandon: () => {
      if (text !== "") turn.emit({ type: "agent-text", state, text, messageId, partial: true });
    },
  };
}

function usageOf(
  turn: Turn,
  state: string,
  reply: Pick<ModelReply, "usage" | "model">,
  requested: string | undefined,
): SessionPatch {
  if (!reply.usage) return {};
  const model = reply.model ?? requested;
  const costUsd = costOf(priceOf(turn.assembly.pricing, model), reply.usage);
  const usage: Usage = { ...reply.usage, ...(costUsd !== undefined ? { costUsd } : {}) };
  turn.emit({ type: "model-usage", state, ...usage, ...(model !== undefined ? { model } : {}) });
  return { usage };
}

/** The turn's signal, ending earlier when the bound passes. */
function boundedSignal(signal: AbortSignal, timeoutMs: number | undefined) {
  if (timeoutMs === undefined) return { signal, timedOut: () => false, release: () => {} };
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new ModelTimeoutError(timeoutMs)), timeoutMs);
  return {
    signal: AbortSignal.any([signal, timeout.signal]),
    timedOut: () => timeout.signal.aborted && !signal.aborted,
    release: () => clearTimeout(timer),
  };
}
