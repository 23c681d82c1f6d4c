/** How a session moves (R-62… … ): each move as patches and the events that tell of it. */
import type { Machine, MachineState } from "../machine/types.js";
import { stopReason } from "./attempts.js";
import type { EventDraft } from "./events.js";
import { automatedNoteText, errorNoteText, runtimeNote } from "./notes.js";
import type { DecisionPark, SessionFields, SessionPatch, SessionState } from "./state.js";

export interface Step {
  patches: SessionPatch[];
  /** In order, to be emitted once the step has committed. */
  events: EventDraft[];
}

export interface Moment {
  /** Epoch milliseconds. */
  now: number;
  arrivalId: string;
}

type Set = NonNullable<SessionPatch["set"]>;

/** What entering `target` sets: the position, a new visit, and at a human state the park. */
export function enterState(
  machine: Machine,
  state: SessionState,
  target: string,
  options: Moment & { evidence?: readonly string[]; handoffBy?: SessionFields["handoffBy"] },
): { set: Set; events: EventDraft[] } {
  const visit: Set = { position: target, visit: (state.fields.visit ?? 0) + 1, stateTurns: null };
  const entered = machine.states.get(target);
  if (entered?.type !== "human") return { set: visit, events: [{ type: "state-enter", state: target }] };
  const park = decisionPark(entered, state, options);
  return {
    set: {
      ...visit,
      ...parkSet(state, park),
      status: "awaiting_decision",
      decisionCount: park.seq,
      handoffBy: options.handoffBy ?? "work",
    },
    events: [
      { type: "state-enter", state: target },
      { type: "parked", state: target, awaiting: "decision" },
    ],
  };
}

/** Fields every new park sets, of either channel. */
export function parkSet(state: SessionState, park: SessionFields["park"]): Set {
  return { park, parkPhase: "closing", parkOrdinal: (state.fields.parkOrdinal ?? 0) + 1, replyOwed: null };
}

/** Unique within the session, and across sessions that had its id before (S-60). */
export function nextParkId(state: SessionState, arrivalId: string): string {
  return `park-${(state.fields.parkOrdinal ?? 0) + 1}-${arrivalId.slice(-8)}`;
}

/** built once, when the state is entered, from the spec in force. */
function decisionPark(
  entered: MachineState,
  state: SessionState,
  options: Moment & { evidence?: readonly string[] },
): DecisionPark {
  const { spec, slug, transitions } = entered;
  return {
    channel: "decision",
    parkId: nextParkId(state, options.arrivalId),
    state: slug,
    ...(spec.title !== undefined ? { title: spec.title } : {}),
    instructions: spec.instructions?.trim() ?? "",
    transitions: transitions.map(({ to, description, type }) => ({
      to,
      ...(description !== undefined ? { description } : {}),
      ...(type !== undefined ? { type } : {}),
    })),
    evidence: [...new Set([...(spec.evidence ?? []).map(withoutLeadingSlash), ...(options.evidence ?? [])])],
    ...(spec.approvers ? { approvers: spec.approvers } : {}),
    parkedAt: new Date(options.now).toISOString(),
    seq: (state.fields.decisionCount ?? 0) + 1,
  };
}

function withoutLeadingSlash(path: string): string {
  return path.replace(/^\/+/, "");
}

/** the agent's advance, committed. */
export function agentAdvance(
  machine: Machine,
  state: SessionState,
  move: Moment & { to: string; reason: string; callId: string; evidence?: readonly string[] },
): { patch: SessionPatch; events: EventDraft[] } {
  const from = state.fields.position ?? "";
  const entered = enterState(machine, state, move.to, move);
  return {
    patch: {
      set: { ...entered.set, failedDelegations: null },
      trail: [{ to: move.to, kind: "agent", reason: move.reason, ts: move.now }],
    },
    events: [
      { type: "advance", from, to: move.to, reason: move.reason, callId: move.callId },
      { type: "state-leave", state: from, next: move.to },
      ...entered.events,
    ],
  };
}

/** an automated state's advance, with the note that carries its reason (W-80). */
export function automatedAdvance(
  machine: Machine,
  state: SessionState,
  move: Moment & { kind: "code" | "grader"; to: string; reason: string; callId: string; evidence?: readonly string[] },
): Step {
  const from = state.fields.position ?? "";
  const entered = enterState(machine, state, move.to, { ...move, handoffBy: "route" });
  return {
    patches: [
      {
        set: entered.set,
        trail: [{ to: move.to, kind: move.kind, reason: move.reason, ts: move.now }],
        messages: runtimeNote(state.messages.length, move.kind, automatedNoteText(from, move.to, move.reason)),
      },
    ],
    events: [
      { type: "advance", from, to: move.to, reason: move.reason, callId: move.callId },
      { type: "state-leave", state: from, next: move.to },
      ...entered.events,
    ],
  };
}

/** back to where the session began, with the agent's own locks released and every value kept. */
export function resetMove(
  machine: Machine,
  state: SessionState,
  move: Moment & { reason: string; callId: string },
): { patch: SessionPatch; events: EventDraft[]; to: string } {
  const from = state.fields.position ?? "";
  const to = resetTarget(machine, state);
  const entered = enterState(machine, state, to, move);
  const released = Object.entries(state.variables)
    .filter(([, variable]) => variable.locked && variable.lockedBy === "agent")
    .map(([name, variable]) => [name, { value: variable.value, locked: false }] as const);
  return {
    to,
    patch: {
      set: { ...entered.set, failedDelegations: null },
      ...(released.length > 0 ? { variables: Object.fromEntries(released) } : {}),
      trail: [{ to, kind: "reset", reason: move.reason, ts: move.now }],
    },
    events: [{ type: "state-leave", state: from, next: to }, { type: "workflow-reset", entry: to }, ...entered.events],
  };
}

function resetTarget(machine: Machine, state: SessionState): string {
  const { entryState, turnTrigger } = state.fields;
  if (entryState !== undefined && machine.states.has(entryState)) return entryState;
  return machine.triggers.get(turnTrigger ?? "")?.state ?? machine.defaultEntry;
}

/** an accepted raise. */
export function raiseEnd(
  state: SessionState,
  raise: { code: string; reason: string; callId?: string },
): { set: Set; events: EventDraft[] } {
  const position = state.fields.position ?? "";
  const { code, reason, callId } = raise;
  return {
    set: {
      status: "failed",
      endedAs: "failed",
      exit: { code, reason: stopReason(state.fields, reason), state: position },
      failedDelegations: null,
      park: null,
      parkPhase: null,
    },
    events: [
      { type: "raised", state: position, code, reason, ...(callId ? { callId } : {}) },
      { type: "state-leave", state: position, next: position },
    ],
  };
}

/** a failed state goes to its `on_error` target, or ends the session `rejected`. */
export function routeFailure(machine: Machine, state: SessionState, failure: Moment & { reason: string }): Step {
  const from = state.fields.position ?? "";
  const to = machine.states.get(from)?.spec.on_error;
  const reason = `State ${from} failed: ${failure.reason}`;
  if (to === undefined || !machine.states.has(to)) {
    return {
      patches: [{ set: { ...endSet("rejected"), rejected: stopReason(state.fields, reason), failure: null } }],
      events: [{ type: "state-leave", state: from, next: from }],
    };
  }
  const entered = enterState(machine, state, to, { ...failure, handoffBy: "route" });
  return {
    patches: [
      {
        set: {
          rejected: null,
          failedDelegations: null,
          park: null,
          parkPhase: null,
          failure: null,
          status: "running",
          ...entered.set,
        },
        messages: runtimeNote(state.messages.length, "error", errorNoteText(to, reason)),
        trail: [{ to, kind: "on_error", reason, ts: failure.now }],
      },
    ],
    events: [
      { type: "state-error-routed", state: from, to, reason },
      { type: "state-leave", state: from, next: to },
      ...entered.events,
    ],
  };
}

/** Fields that end a turn, whichever way. */
export function endSet(status: "completed" | "failed" | "rejected"): Set {
  return { status, endedAs: status, park: null, parkPhase: null, replyOwed: null };
}
