/** The reply-only model call of a park: its handoff, or the answer to a person's message (R-99, R-104…R-109). */
import { offeredTools } from "../../kernel/index.js";
import { composeHandoffText, type ParkedNotice, renderParkedBlock } from "../../machine/index.js";
import { applyPatches } from "../../session/fold.js";
import type { StoredMessage } from "../../session/messages.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { planBatch } from "../batch/plan.js";
import { statedClock } from "../clock.js";
import { atLimit } from "../finish.js";
import { usedBy } from "../meter.js";
import { type CalledModel, callModel } from "../model-call.js";
import { owesHandoff } from "../next-step.js";
import type { Turn, TurnNode } from "../types.js";

export const handoffNode: TurnNode = async (turn, state) => {
  const reply = state.fields.replyOwed === true;
  const suspended: SessionPatch = { set: { parkPhase: "suspended", replyOwed: null } };
  if (!reply && !owesHandoff(state)) return { patches: [suspended] };
  const withoutModel = turn.machine.modelFree && !turn.assembly.models.configured;
  const reached = withoutModel ? null : turn.meter.reached();
  if (reached) return atLimit(turn, state, reached);
  const { patches, text } = withoutModel ? composed(turn, state) : await replyOnlyCall(turn, state, reply);
  if (reply && text.trim() !== "") {
    turn.afterCommit.push({ type: "park-message", state: parkState(state), direction: "outbound", text });
  }
  return { patches: [...patches, suspended] };
};

/** The state whose tools and model the call has: of a presented park the calling one. */
function parkState(state: SessionState): string {
  if (state.fields.park?.delegation) return state.fields.position ?? "";
  return state.fields.park?.state ?? state.fields.position ?? "";
}

interface Said {
  patches: SessionPatch[];
  text: string;
}

/** W-82, R-100. */
function composed(turn: Turn, state: SessionState): Said {
  const parked = turn.machine.states.get(parkState(state));
  const text = parked ? composeHandoffText(parked) : parkState(state);
  return { patches: [{ messages: [{ id: `m${state.messages.length}`, role: "assistant", content: text }] }], text };
}

async function replyOnlyCall(turn: Turn, state: SessionState, reply: boolean): Promise<Said> {
  const { assembly, machine } = turn;
  const slug = parkState(state);
  const called: CalledModel = await callModel(turn, state, {
    state: slug,
    volatile: renderParkedBlock({ clock: statedClock(turn), notice: noticeOf(state, reply) }),
    tools: offeredTools(machine, assembly.tables, slug, { registered: assembly.registered }),
  });
  const { stepsUsed = 0, unheardCalls = 0 } = state.fields;
  const unheard = called.message === null ? { unheardCalls: unheardCalls + 1 } : {};
  const steps: SessionPatch = {
    set: { ...called.kept, stepsUsed: stepsUsed + 1, ...unheard },
    ...called.usage,
    ...turn.meter.count(usedBy(called.usage.usage, called.message?.tool_calls?.length ?? 0)),
  };
  if (called.message === null) return { patches: [steps], text: "" };
  const message: StoredMessage = called.message;
  if (!message.tool_calls) return { patches: [steps, { messages: [message] }], text: message.content };
  const plan = await planBatch(turn, applyPatches(state, [steps, { messages: [message] }]), {
    message,
    invalid: called.invalid,
    replyOnly: true,
  });
  turn.afterCommit.push(...plan.events);
  return { patches: [steps, { messages: [message] }, ...plan.patches], text: message.content };
}

function noticeOf(state: SessionState, reply: boolean): ParkedNotice {
  if (reply) return { kind: "reply" };
  const park = state.fields.park;
  if (park?.channel === "input") return { kind: "waiting", reason: park.reason };
  return { kind: state.fields.handoffBy === "route" ? "routed" : "handoff" };
}
