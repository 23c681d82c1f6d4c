/** One call of a grader's model (R-155, R-159, R-160, W-296). */
import { offeredTools } from "../../kernel/index.js";
import { renderGraderSystem, renderGraderTask } from "../../machine/index.js";
import type { ModelReply } from "../../models/types.js";
import { modelCallsOf } from "../../session/attempts.js";
import type { StoredMessage } from "../../session/messages.js";
import type { SessionState } from "../../session/state.js";
import { statedClock } from "../clock.js";
import { messageOf, requestModel } from "../model-call.js";
import { toolDefinition } from "../surface.js";
import type { Turn } from "../types.js";
import type { LoopItem } from "./thread.js";

export type GraderAnswer = Pick<LoopItem, "message" | "invalid" | "usage">;

/**
 * The n-th call of the run, counted from 1.
 *
 * @param call.messages - the loop so far, without the task
 * @param call.timeoutMs - what is left of the run's time
 * @throws as `requestModel`
 */
export async function askGrader(
  turn: Turn,
  state: SessionState,
  call: { n: number; messages: readonly StoredMessage[]; timeoutMs?: number },
): Promise<GraderAnswer> {
  const { assembly, machine } = turn;
  const { turnOrdinal = 0, visit = 0, position = "" } = state.fields;
  const messageId = `g${turnOrdinal}-${visit}-${call.n}-${turn.attemptMark}`;
  const tools = offeredTools(machine, assembly.tables, position, { registered: assembly.registered });
  const { reply, usage } = await requestModel(turn, {
    role: "grader",
    call: `g${visit}.${call.n}`,
    state: position,
    turn: modelCallsOf(state) + call.n,
    system: { static: renderGraderSystem(machine.states.get(position)!), volatile: "" },
    messages: [{ id: "task", role: "user", content: taskText(turn, position) }, ...call.messages],
    tools: tools.map((name) => toolDefinition(assembly, name)),
    messageId,
    ...(call.timeoutMs !== undefined ? { timeoutMs: call.timeoutMs } : {}),
    streamed: false,
  });
  const { calls, invalid } = distinct(reply, state, messageId);
  return {
    message: messageOf({ ...reply, calls }, messageId),
    ...(invalid.length > 0 ? { invalid } : {}),
    ...usage,
  };
}

/** Rendered for each call, so that the time is that of the call (F-46, R-277). */
function taskText(turn: Turn, state: string): string {
  return renderGraderTask({ machine: turn.machine, state, clock: statedClock(turn) });
}

/**
 * The model sees nothing of the transcript, so its ids are told apart from those there: events and stored results go by
 * them.
 */
function distinct(reply: ModelReply, state: SessionState, messageId: string): Pick<ModelReply, "calls" | "invalid"> {
  const taken = new Set(state.messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)));
  const renamed = new Map(
    reply.calls.flatMap(({ id }, index) => (taken.has(id) ? [[id, `${messageId}-${index + 1}`] as const] : [])),
  );
  const idOf = (id: string) => renamed.get(id) ?? id;
  return {
    calls: reply.calls.map((call) => ({ ...call, id: idOf(call.id) })),
    invalid: reply.invalid.map((call) => ({ ...call, callId: idOf(call.callId) })),
  };
}
