/** One call of a state's model: request, streamed text, usage, and the answer as a stored message. */

import { costOf, priceOf, takenCallIds } from "../models/index.js";
import type { InvalidCall, ModelReply, ModelRequest } from "../models/types.js";
import { modelCallsOf } from "../session/attempts.js";
import { LeaseLostError } from "../session/errors.js";
import type { StoredMessage } from "../session/messages.js";
import type { SessionPatch, SessionState, Usage } from "../session/state.js";
import type { ToolDefinition } from "../tools/types.js";
import { compactedRequest } from "./compaction.js";
import { InvocationEndedError, ModelTimeoutError } from "./errors.js";
import { reportMetric } from "./metrics.js";
import { afterModelCall, beforeModelCall, callThroughMiddleware, isThrownByHook } from "./model-hooks.js";
import { earlierAttempts, forgetAttempts, isWaitTooLong, leaveToLater, longestWait } from "./model-wait.js";
import { attachedPictures } from "./pictures.js";
import { boundOf, MAX_TIMER_MS } from "./step-limit.js";
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
  /** Fields that the call's step keeps. */
  kept: NonNullable<SessionPatch["set"]>;
}

/**
 * A call of the agent's model over the session's transcript; its text is told as it comes, and as a whole.
 * @throws {ModelTimeoutError} with the usage to count, when the state's budget or an invocation's whole time passes; whatever the provider threw otherwise
 */
export async function callModel(turn: Turn, state: SessionState, call: ModelCall): Promise<CalledModel> {
  const messageId = `m${state.messages.length}-${turn.attemptMark}`;
  const { set, ...sent } = await compactedRequest(turn, state);
  const { reply, usage } = await requestModel(turn, {
    role: "agent",
    call: `a${state.messages.length}.${state.fields.stepsUsed ?? 0}`,
    state: call.state,
    turn: modelCallsOf(state) + 1,
    system: { static: turn.assembly.staticPrompt, volatile: call.volatile },
    ...sent,
    takenCallIds: sent.preface ? takenCallIds(state) : undefined,
    tools: call.tools.map((name) => toolDefinition(turn.assembly, name)),
    messageId,
    timeoutMs: call.timeoutMs,
    streamed: true,
  });
  if (reply.text.trim() !== "") turn.emit({ type: "agent-text", state: call.state, text: reply.text, messageId });
  return { message: messageOf(reply, messageId), invalid: reply.invalid, usage, kept: set ?? {} };
}

export interface ModelQuery
  extends Pick<ModelRequest, "system" | "preface" | "messages" | "messageId" | "takenCallIds"> {
  /** Of the models a turn calls, the one asked. */
  role: "agent" | "grader";
  /** Tells the call from the session's others, and is the same in every invocation that makes it. */
  call: string;
  /** Chooses the model, and is named by the events. */
  state: string;
  /** The session's model calls in this turn, from 1. */
  turn: number;
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
 *
 * @throws as `callModel`; {ModelWaitError} where the call goes on in another invocation
 */
export async function requestModel(turn: Turn, query: ModelQuery): Promise<ModelAnswer> {
  const { role, state, messages, tools, messageId } = query;
  const model = await turn.modelFor(role, state);
  const earlier = await earlierAttempts(turn, query.call);
  const told = { model: model.id, turn: query.turn, state };
  const sent = await beforeModelCall(turn, told, { messages, tools });
  const { promptCache, pictures: limits } = turn.assembly;
  const pictures = limits ? await attachedPictures(turn.workspace, sent.messages, limits) : undefined;
  const stream = query.streamed ? textStream(turn, state, messageId) : undefined;
  const time = timeOf(turn, query, earlier?.spentMs);
  const meter = meterOf(turn, state, model.id);
  const request = {
    system: query.system,
    ...sent,
    messageId,
    ...(query.preface ? { preface: query.preface } : {}),
    ...(query.takenCallIds || sent.messages !== messages ? { takenCallIds: takenCallIds(query) } : {}),
    signal: time.signal,
    onText: stream?.push,
    onAbandoned: meter.abandoned,
    promptCache,
    ...(pictures?.size ? { pictures } : {}),
    ...(earlier ? { attempt: earlier.attempt } : {}),
    ...(time.longestWait ? { maxWaitMs: time.longestWait } : {}),
  };
  try {
    const reply = await callThroughMiddleware(turn, model, request, state);
    forgetAttempts(turn);
    const usage = meter.answered(reply);
    time.release();
    await afterModelCall(turn, told, reply);
    return { reply, usage };
  } catch (thrown) {
    stream?.abandon();
    // What a host's middleware makes of a turn that is over says nothing about the call.
    const error: unknown = turn.signal.aborted ? turn.signal.reason : thrown;
    if (time.isOver()) throw new ModelTimeoutError(time.boundMs ?? 0, meter.failed());
    if (isWaitTooLong(error)) {
      return await leaveToLater(turn, query.call, error, { spentMs: time.spentMs(), boundMs: query.timeoutMs });
    }
    if (!isThrownByHook(error)) meter.failed(error);
    throw error;
  } finally {
    time.release();
  }
}

/**
 * The time of a call: that of its own bound, which goes on over invocations, and that of the one it is made in (S-53). A wait
 * that the provider asks for must end within the latter; within its own bound the call waits, and times out.
 *
 * @param spentMs - what earlier invocations have used of the call's own bound
 */
function timeOf(turn: Turn, { timeoutMs }: ModelQuery, spentMs = 0) {
  const startedAt = performance.now();
  const own = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - spentMs);
  const { invocationLimitMs } = turn.host;
  const bound = boundOf(own, invocationLimitMs);
  const elapsedMs = () => performance.now() - startedAt;
  const { timedOut, ...bounded } = boundedSignal(turn.signal, bound);
  const limited = longestWait(turn) !== undefined;
  return {
    ...bounded,
    /** What may be said to have been too short. */
    boundMs: bound === own ? timeoutMs : bound,
    isOver: timedOut,
    spentMs: () => Math.round(spentMs + elapsedMs()),
    longestWait: limited
      ? () => Math.min(longestWait(turn) ?? 0, Math.max(0, (invocationLimitMs ?? MAX_TIMER_MS) - elapsedMs()))
      : undefined,
  };
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

/** What one call has cost, told as it ends. */
function meterOf(turn: Turn, state: string, requested: string | undefined) {
  const startedAt = turn.host.clock.now();
  let reported: ModelReply["usage"];
  const told = (status: "ok" | "error", { usage, model = requested }: Pick<ModelReply, "usage" | "model">) => {
    const ms = turn.host.clock.now() - startedAt;
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    const { sessionId, machine } = turn;
    const call = { ms, inputTokens, outputTokens, state, sessionId, workflow: machine.workflow };
    reportMetric(turn, { event: "llm", ...(model !== undefined ? { model } : {}), status, ...call });
  };
  return {
    abandoned(usage: ModelReply["usage"]) {
      reported = usage;
    },
    answered(reply: ModelReply): SessionPatch {
      told("ok", reply);
      return usageOf(turn, state, reply, requested);
    },
    /** @param error - what it failed with; what the end of an invocation cuts off has not failed, and is made again */
    failed(error?: unknown): SessionPatch {
      const usage = { usage: reported };
      const isCutOff = error instanceof InvocationEndedError || error instanceof LeaseLostError;
      if (!isCutOff) told("error", usage);
      return error === undefined ? usageOf(turn, state, usage, requested) : {};
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
