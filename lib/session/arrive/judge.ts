/** What an arrival does to a session, given what the session is when its turn comes (R-11, S-8 second kind). */
import { openingState } from "../../machine/index.js";
import type { Machine } from "../../machine/types.js";
import type { Arrival, ArrivalInput } from "../arrival.js";
import {
  EmptyMessageError,
  InvalidDecisionTargetError,
  InvalidMessagesError,
  InvalidTurnFileError,
  type ParkwayError,
  SessionNotAwaitingInputError,
  SessionNotParkedError,
  SessionNotResumableError,
  StaleDecisionError,
  UnknownTriggerError,
} from "../errors.js";
import { isParked } from "../outcome.js";
import type { DecisionPark, InputPark, SessionState } from "../state.js";
import { messageOf } from "./message.js";

export type TurnInput = Extract<ArrivalInput, { kind: "turn" }>;
export type DecisionInput = Extract<ArrivalInput, { kind: "decision" }>;

export type Judgement =
  | { kind: "refuse"; error: ParkwayError }
  /** A firing that cannot be a reply waits until the person has decided (S-19). */
  | { kind: "hold"; parkId: string }
  /** A wake-up whose park is over (S-59). */
  | { kind: "moot" }
  | { kind: "open"; input: TurnInput; trigger: string; state: string; fromEntry: boolean; message?: string }
  | { kind: "reply"; message: string; ignored: string[] }
  | { kind: "decide"; park: DecisionPark; input: DecisionInput; target: string }
  | {
      kind: "deliver";
      park: InputPark;
      trigger: string;
      variables: Record<string, unknown>;
      message?: string;
      files?: TurnInput["files"];
    };

/**
 * Pure: the same session and arrival give the same judgement (S-37 makes it once).
 *
 * @param parked - the machine of the state that is parked, where a child's park is presented; null where it is not
 *   at hand, so that the record alone is asked
 */
export function judgeArrival(
  machine: Machine,
  state: SessionState,
  arrival: Arrival,
  defaultTrigger: string,
  parked: Machine | null = state.fields.park?.delegation ? null : machine,
): Judgement {
  const { input } = arrival;
  switch (input.kind) {
    case "turn":
      return judgeTurn(machine, state, arrival, input, defaultTrigger);
    case "reply":
      return judgeReply(state, arrival.sessionId, input.message, []);
    case "decision":
      return judgeDecision(parked, state, arrival.sessionId, input);
    case "delivery":
      return judgeDelivery(state, arrival, input);
  }
}

function judgeTurn(
  machine: Machine,
  state: SessionState,
  arrival: Arrival,
  input: TurnInput,
  defaultTrigger: string,
): Judgement {
  const { status, park } = state.fields;
  const trigger = input.trigger ?? defaultTrigger;
  if (input.opensOnly && isParked(status)) {
    const detail = `Session "${arrival.sessionId}" is parked (${status}); answer it with decide, reply or deliver.`;
    return { kind: "refuse", error: new SessionNotResumableError(arrival.sessionId, status ?? "", detail) };
  }
  if (input.history?.length && state.messages.length > 0) {
    return { kind: "refuse", error: new InvalidMessagesError("the session has a transcript already") };
  }
  if (status === "awaiting_decision" && park?.channel === "decision") {
    const message = messageOf(machine, trigger, input);
    if (message === undefined && isFiring(arrival)) return { kind: "hold", parkId: park.parkId };
    const file = Object.keys(input.files ?? {})[0];
    if (file !== undefined) {
      const error = new InvalidTurnFileError(file, "the session waits for a person's decision and takes no files");
      return { kind: "refuse", error };
    }
    const ignored = [...(input.trigger !== undefined ? ["trigger"] : []), ...Object.keys(input.variables ?? {})];
    return judgeReply(state, arrival.sessionId, message ?? "", ignored);
  }
  if (status === "awaiting_input" && park?.channel === "input") {
    const message = messageOf(machine, trigger, input);
    return {
      kind: "deliver",
      park,
      trigger,
      variables: input.variables ?? {},
      ...(message !== undefined ? { message } : {}),
      ...(input.files ? { files: input.files } : {}),
    };
  }
  const opening = openingState(machine, { position: state.fields.position, endedAs: state.fields.endedAs, trigger });
  if ("unknownTrigger" in opening) {
    return { kind: "refuse", error: new UnknownTriggerError(trigger, [...machine.triggers.keys()]) };
  }
  // A delegation says nothing: its arguments are the child's opening note (W-115, R-178).
  if (arrival.source === "delegation") return { kind: "open", input, trigger, ...opening };
  const message = messageOf(machine, trigger, input);
  if (message === undefined && machine.triggers.get(trigger)?.message !== false) {
    return { kind: "refuse", error: new EmptyMessageError() };
  }
  return { kind: "open", input, trigger, ...opening, ...(message !== undefined ? { message } : {}) };
}

/** A firing's sender reads no answer, so an empty one waits where a caller would be told (S-18, S-19). */
function isFiring(arrival: Arrival): boolean {
  return arrival.source === "webhook" || arrival.source === "bus" || arrival.source === "redrive";
}

function judgeReply(state: SessionState, sessionId: string, message: string, ignored: string[]): Judgement {
  if (state.fields.status !== "awaiting_decision") {
    return { kind: "refuse", error: new SessionNotParkedError(sessionId, state.fields.status ?? null) };
  }
  if (message.trim() === "") return { kind: "refuse", error: new EmptyMessageError() };
  return { kind: "reply", message, ignored };
}

/** in the order of H-62. */
function judgeDecision(
  machine: Machine | null,
  state: SessionState,
  sessionId: string,
  input: DecisionInput,
): Judgement {
  const { status, park } = state.fields;
  if (status !== "awaiting_decision" || park?.channel !== "decision") {
    return { kind: "refuse", error: new SessionNotParkedError(sessionId, status ?? null) };
  }
  if (input.park !== undefined && input.park !== park.parkId) {
    return { kind: "refuse", error: new StaleDecisionError(input.park, park.parkId) };
  }
  if (input.seq !== undefined && input.seq !== park.seq) {
    return { kind: "refuse", error: new StaleDecisionError(input.seq, park.seq) };
  }
  const target = (input.target ?? "").trim();
  const valid = machine ? validTargets(machine, park) : recordedTargets(park);
  if (!valid.includes(target)) return { kind: "refuse", error: new InvalidDecisionTargetError(target, valid) };
  return { kind: "decide", park, input, target };
}

/** in the record and still a transition; where the state is gone, still a state. */
export function validTargets(machine: Machine, park: DecisionPark): string[] {
  const recorded = recordedTargets(park);
  const parked = machine.states.get(park.state);
  if (!parked) return recorded.filter((to) => machine.states.has(to));
  return recorded.filter((to) => parked.transitions.some((transition) => transition.to === to));
}

function recordedTargets(park: DecisionPark): string[] {
  return [...new Set(park.transitions.map((transition) => transition.to))];
}

function judgeDelivery(
  state: SessionState,
  arrival: Arrival,
  input: Extract<ArrivalInput, { kind: "delivery" }>,
): Judgement {
  const { status, park } = state.fields;
  if (arrival.wakes !== undefined && park?.parkId !== arrival.wakes) return { kind: "moot" };
  if (status !== "awaiting_input" || park?.channel !== "input") {
    return { kind: "refuse", error: new SessionNotAwaitingInputError(arrival.sessionId, status ?? null) };
  }
  const message = input.message?.trim() ? input.message : undefined;
  return {
    kind: "deliver",
    park,
    trigger: input.trigger,
    variables: input.variables ?? {},
    ...(message !== undefined ? { message } : {}),
  };
}
