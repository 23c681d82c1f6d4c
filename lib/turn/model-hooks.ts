/**
 * What a host has set around model calls (A-38, A-42, A-43, H-21). Every call that a turn makes of a model passes here, a
 * grader's as well as an agent's: a hook that gates models by throwing would otherwise have a way around it.
 */
import type { AgentMiddleware, Hooks, ModelCallRequest } from "../extensions/types.js";
import { checkCalls, takenCallIds } from "../models/index.js";
import type { ChatModel, ModelReply, ModelRequest } from "../models/types.js";
import type { StoredMessage } from "../session/messages.js";
import type { ToolDefinition } from "../tools/types.js";
import type { Turn } from "./types.js";
import { unlessStopped } from "./unless-stopped.js";

/** The call as hooks are told of it. */
export interface HookedCall {
  model: string | undefined;
  /** The session's model calls in this turn, from 1. */
  turn: number;
  state: string;
}

export type Sent = Pick<ModelRequest, "messages" | "tools">;

const thrownByHooks = new WeakSet<object>();

/** Whether it fails the turn, whoever made the call. */
export function isThrownByHook(error: unknown): boolean {
  return typeof error === "object" && error !== null && thrownByHooks.has(error);
}

/**
 * What this call sends, after `beforeLLM`. Of the tools a hook can only take away: those that it names stay as they are
 * offered, in their order, and a name that is not offered is told and left out.
 *
 * @throws what the hook throws, and {TypeError} for an answer that is none
 */
export async function beforeModelCall(turn: Turn, { model, ...told }: HookedCall, offered: Sent): Promise<Sent> {
  const { hooks } = turn.assembly.extensions;
  if (!hooks.beforeLLM) return offered;
  return ofHook(turn, "beforeLLM", async () => {
    const { messages, tools } = offered;
    const answer = await hooks.beforeLLM?.({ messages, tools, ...named(model), ...told });
    if (answer === undefined || answer === null) return offered;
    const kept = { messages: answer.messages ?? messages, tools: answer.tools ?? tools };
    if (!Array.isArray(kept.messages) || !kept.messages.every(isMessage)) {
      throw new TypeError("`beforeLLM` answered `messages` that are no list of messages.");
    }
    if (!Array.isArray(kept.tools)) throw new TypeError("`beforeLLM` answered `tools` that are no list of tools.");
    return { messages: kept.messages, tools: fewer(turn, tools, kept.tools) };
  });
}

/** @throws what the hook throws */
export async function afterModelCall(turn: Turn, { model, ...told }: HookedCall, response: ModelReply): Promise<void> {
  const { hooks } = turn.assembly.extensions;
  if (!hooks.afterLLM) return;
  await ofHook(turn, "afterLLM", async () => hooks.afterLLM?.({ response, ...named(model), ...told }));
}

/**
 * The call through the host's middleware, the first of the list outermost.
 *
 * @throws what a middleware throws, and {TypeError} for an answer that is no reply of a model
 */
export async function callThroughMiddleware(
  turn: Turn,
  model: ChatModel,
  request: ModelRequest & { signal: AbortSignal },
  state: string,
): Promise<ModelReply> {
  const wrapping = turn.assembly.extensions.middleware.filter(({ wrapModelCall }) => wrapModelCall !== undefined);
  if (wrapping.length === 0) return model.call(request);
  const { sessionId, machine } = turn;
  const asked: ModelCallRequest = { ...request, state, workflow: machine.workflow, sessionId };
  const answered = new WeakSet<ModelReply>();
  const innermost = async ({ state: _s, workflow: _w, sessionId: _i, ...sent }: ModelCallRequest) => {
    const reply = await model.call(sent);
    answered.add(reply);
    return reply;
  };
  const call = wrapping.reduceRight<(request: ModelCallRequest) => Promise<ModelReply>>(
    (next, middleware) => async (sent) => middleware.wrapModelCall!(sent, next),
    innermost,
  );
  const reply = await unlessStopped(request, () => call(asked));
  return answered.has(reply) ? reply : checkedReply(reply, wrapping, request);
}

/** What a middleware made itself is held to what a model's answer is: ids of its own, arguments that are objects (F-65, F-66). */
function checkedReply(reply: ModelReply, wrapping: readonly AgentMiddleware[], request: ModelRequest): ModelReply {
  const { text = "", calls = [], invalid = [], usage, model } = (reply ?? {}) as Partial<ModelReply>;
  if (typeof reply !== "object" || reply === null || typeof text !== "string" || !Array.isArray(calls)) {
    const names = wrapping.map(({ name }) => `"${name}"`).join(", ");
    throw new TypeError(`\`wrapModelCall\` of ${names} answered no reply of a model: { text, calls, invalid }.`);
  }
  const own = checkCalls(calls, { messageId: request.messageId, taken: takenCallIds(request), cutOff: false });
  const named = new Map(calls.map(({ id }, index) => [id, own.calls[index]!.id]));
  const known = invalid.map((call) => ({ ...call, callId: named.get(call.callId) ?? call.callId }));
  return {
    text,
    calls: own.calls,
    invalid: [...own.invalid, ...known],
    ...(usage ? { usage } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
}

function fewer(turn: Turn, offered: readonly ToolDefinition[], kept: readonly ToolDefinition[]): ToolDefinition[] {
  const names = new Set(kept.map((tool) => tool?.name));
  const added = [...names].filter((name) => !offered.some((tool) => tool.name === name));
  if (added.length > 0) {
    const message = `beforeLLM can only take tools away; ${added.join(", ")} is not offered here and was left out.`;
    turn.emit({ type: "warning", scope: "hooks", message });
  }
  return offered.filter(({ name }) => names.has(name));
}

async function ofHook<Result>(turn: Turn, name: keyof Hooks, run: () => Promise<Result>): Promise<Result> {
  try {
    return await unlessStopped(turn, run);
  } catch (error) {
    turn.signal.throwIfAborted();
    const thrown = typeof error === "object" && error !== null ? error : new Error(`\`${name}\` threw: ${error}`);
    thrownByHooks.add(thrown);
    throw thrown;
  }
}

function named(model: string | undefined): { model?: string } {
  return model === undefined ? {} : { model };
}

function isMessage(value: unknown): value is StoredMessage {
  const { role, content } = (value ?? {}) as Partial<StoredMessage>;
  return (role === "user" || role === "assistant" || role === "tool") && typeof content === "string";
}
