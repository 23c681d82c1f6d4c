/** What the runtime itself answers: the control tools and `write_todos` (R-62…R-89, R-250, R-251). */
import { readableEvidencePath } from "../../kernel/index.js";
import { checkAdvance } from "../../machine/index.js";
import type { EventDraft } from "../../session/events.js";
import type { ToolCall } from "../../session/messages.js";
import { agentAdvance, nextParkId, parkSet, raiseEnd, resetMove } from "../../session/moves.js";
import type { InputPark, SessionPatch, SessionState } from "../../session/state.js";
import { judgeWrite, valuesOf } from "../../session/variables.js";
import {
  parseAdvance,
  parseGetVariables,
  parseRaise,
  parseReset,
  parseSetVariables,
  parseTodos,
  parseUntil,
  parseWait,
} from "../../tools/index.js";
import type { Turn } from "../types.js";
import { readVariables } from "./read-variables.js";

export interface Move {
  kind: "advance" | "reset" | "wait" | "raise";
  callId: string;
  /** Where the session is after it. */
  to: string;
  patch: SessionPatch;
  events: EventDraft[];
}

export interface ControlContext {
  turn: Turn;
  /** The state the message was produced in. */
  governed: string;
  calls: readonly ToolCall[];
  /** The message's one accepted move, if it was made already (R-57). */
  effect: Move | null;
}

export interface Served {
  text: string;
  refusal?: string;
  /** A terminal failure of the state (R-80). */
  failure?: string;
  /** Written with the message. */
  patch?: SessionPatch;
  /** Takes effect when the batch is answered. */
  effect?: Move;
  events?: EventDraft[];
}

interface Call {
  callId: string;
  args: Record<string, unknown>;
}

type Service = (context: ControlContext, state: SessionState, call: Call) => Served;

const SERVICES: Record<string, Service> = {
  archmax_advance: advance,
  archmax_reset: reset,
  archmax_wait: wait,
  archmax_raise: raise,
  archmax_get_variables: (_context, state, call) => {
    const parsed = parseGetVariables(call.args);
    return parsed.ok ? readVariables(state, parsed.args) : badArguments(parsed.problems);
  },
  archmax_set_variables: setVariables,
  write_todos: writeTodos,
};

export function isControl(tool: string): boolean {
  return Object.hasOwn(SERVICES, tool);
}

export function serviceControl(context: ControlContext, state: SessionState, call: Call & { tool: string }): Served {
  return SERVICES[call.tool]!(context, state, call);
}

/** R-62…R-68. */
function advance(context: ControlContext, state: SessionState, call: Call): Served {
  const parsed = parseAdvance(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  const moved = refuseSecondMove(context);
  if (moved) return moved;
  const { machine, assembly, host, arrival } = context.turn;
  const { to, reason, evidence } = parsed.args;
  const verdict = checkAdvance(machine, {
    state: context.governed,
    to,
    variables: valuesOf(state.variables),
    ...(evidence ? { evidence } : {}),
    judgeEvidence: (path) => readableEvidencePath(path, assembly.tables.mounts),
  });
  if (!verdict.ok) return { text: verdict.reason, refusal: verdict.code };
  const move = agentAdvance(machine, state, {
    to,
    reason,
    callId: call.callId,
    evidence: verdict.evidence,
    now: host.clock.now(),
    arrivalId: arrival.id,
  });
  return { text: `Advanced to ${to}.`, effect: { kind: "advance", callId: call.callId, to, ...move } };
}

/** R-70. */
function reset(context: ControlContext, state: SessionState, call: Call): Served {
  const parsed = parseReset(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  const moved = refuseSecondMove(context);
  if (moved) return moved;
  const { machine, host, arrival } = context.turn;
  const move = resetMove(machine, state, {
    reason: parsed.args.reason,
    callId: call.callId,
    now: host.clock.now(),
    arrivalId: arrival.id,
  });
  return { text: `The work starts again in ${move.to}.`, effect: { kind: "reset", callId: call.callId, ...move } };
}

/** R-76…R-80. */
function wait(context: ControlContext, state: SessionState, call: Call): Served {
  const parsed = parseWait(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  const moved = refuseSecondMove(context);
  if (moved) return moved;
  const { machine, host, arrival } = context.turn;
  const now = host.clock.now();
  const until = parsed.args.until === undefined ? null : parseUntil(parsed.args.until, now);
  if (until && !until.ok) return { text: until.problem, refusal: "until-invalid" };
  const spec = machine.states.get(context.governed)?.spec;
  const parks = state.fields.parkCounts ?? {};
  const count = (Object.hasOwn(parks, context.governed) ? (parks[context.governed] ?? 0) : 0) + 1;
  if (spec?.budget?.maxParks !== undefined && count > spec.budget.maxParks) {
    const failure = `State ${context.governed} may wait ${spec.budget.maxParks} times in one turn, and this wait would exceed that.`;
    return { text: failure, refusal: "park-budget", failure };
  }
  const park: InputPark = {
    channel: "input",
    parkId: nextParkId(state, arrival.id),
    state: context.governed,
    ...(spec?.title !== undefined ? { title: spec.title } : {}),
    reason: parsed.args.reason,
    parkedAt: new Date(now).toISOString(),
    ...(until ? { resumeAt: new Date(until.at).toISOString() } : {}),
  };
  const patch: SessionPatch = {
    set: { ...parkSet(state, park), status: "awaiting_input", parkCounts: { ...parks, [context.governed]: count } },
  };
  const { reason, resumeAt } = park;
  return {
    text: `The session waits${resumeAt ? ` until ${resumeAt} or an earlier event` : " for an event"}. Stop here; call nothing more.`,
    effect: {
      kind: "wait",
      callId: call.callId,
      to: context.governed,
      patch,
      events: [
        {
          type: "parked",
          state: context.governed,
          awaiting: "input",
          reason,
          ...(resumeAt ? { resumeAt } : {}),
          callId: call.callId,
        },
      ],
    },
  };
}

/** R-72…R-74. */
function raise(context: ControlContext, state: SessionState, call: Call): Served {
  const parsed = parseRaise(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  if (context.calls.length > 1) {
    return {
      text: "archmax_raise has to be the only call of its message; nothing was raised.",
      refusal: "not-alone",
    };
  }
  const end = raiseEnd(state, { ...parsed.args, callId: call.callId });
  return {
    text: `The session ends here as failed (${parsed.args.code}).`,
    effect: {
      kind: "raise",
      callId: call.callId,
      to: context.governed,
      patch: { set: end.set },
      events: end.events,
    },
  };
}

/** R-83, R-84. */
function setVariables(context: ControlContext, state: SessionState, call: Call): Served {
  const parsed = parseSetVariables(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  const { machine, host } = context.turn;
  const inGoverned = { ...state, fields: { ...state.fields, position: context.governed } };
  const verdict = judgeWrite(machine, inGoverned, {
    variables: parsed.args.variables,
    lock: parsed.args.lock ?? false,
    callId: call.callId,
    now: host.clock.now(),
  });
  if (!verdict.ok) return { text: verdict.text, refusal: verdict.code };
  return { text: `Set: ${verdict.names.join(", ")}.`, patch: verdict.patch, events: verdict.events };
}

/** R-250, R-251. */
function writeTodos(context: ControlContext, _state: SessionState, call: Call): Served {
  const parsed = parseTodos(call.args);
  if (!parsed.ok) return badArguments(parsed.problems);
  if (context.calls.filter((other) => other.name === "write_todos").length > 1) {
    return {
      text: "Two write_todos calls in one message contradict each other; the list stays.",
      refusal: "invalid-arguments",
    };
  }
  const { todos } = parsed.args;
  return { text: `The list now has ${todos.length} entries.`, patch: { set: { todos } } };
}

/** R-57. */
function refuseSecondMove(context: ControlContext): Served | null {
  const { effect } = context;
  if (!effect) return null;
  if (effect.kind === "wait") {
    return {
      text: "The session is already parking with this message; nothing more moves it.",
      refusal: "already-waiting",
    };
  }
  return {
    text: `This message has moved the session already; it is now in ${effect.to}.`,
    refusal: "already-moved",
  };
}

function badArguments(problems: readonly string[]): Served {
  return { text: `The arguments do not fit: ${problems.join(" ")}`, refusal: "invalid-arguments" };
}
