/** A turn as the API shows it (N-9, N-11): its receipt, and the outcome with what the caller may see. */
import type { Intake } from "../intake/types.js";
import type { ArrivalInput, Receipt, StoredError } from "../session/arrival.js";
import { runtimeNoteKind, type StoredMessage } from "../session/messages.js";
import type { Outcome, SessionSummary } from "../session/outcome.js";
import { reviveError } from "../session/revive-error.js";
import type { Disposition, TrailStep } from "../session/state.js";
import type { Principal } from "./credentials.js";
import { PATHS, pathTo } from "./paths.js";
import { type Problem, problemOf } from "./problem.js";

export interface TurnAsked {
  principal: Principal;
  /** `?include=` of N-11. */
  include?: readonly string[];
}

type Shown = Record<string, unknown>;
type ShownVariables = Record<string, { value?: unknown; locked: boolean }>;

const DISPOSITIONS: Record<ArrivalInput["kind"], Disposition> = {
  turn: "turn",
  decision: "decide",
  reply: "reply",
  delivery: "deliver",
};

export async function turnView(intake: Intake, receipt: Receipt, asked: TurnAsked): Promise<Shown> {
  const { arrivalId: turnId, sessionId, workflow, kind, seq, status, acceptedAt } = receipt;
  const disposition = receipt.outcome?.disposition ?? (kind && DISPOSITIONS[kind]);
  return {
    turnId,
    sessionId,
    ...(workflow === undefined ? {} : { workflow }),
    ...(disposition === undefined ? {} : { disposition }),
    seq,
    status,
    createdAt: new Date(acceptedAt).toISOString(),
    ...(await endOf(intake, receipt, asked)),
    links: { session: pathTo(PATHS.session, { id: sessionId }) },
  };
}

async function endOf(intake: Intake, receipt: Receipt, asked: TurnAsked): Promise<Shown> {
  const { status, error, outcome } = receipt;
  switch (status) {
    case "refused":
      return error ? { problem: problemOf(reviveError(error)) } : {};
    case "dead":
      return { problem: GIVEN_UP, deadLetterId: `dl-${receipt.arrivalId}` };
    case "error":
      return { exit: exitOf(error) };
    case "settled": {
      if (!outcome) return {};
      // S-87: of a session that was deleted only the kind is left.
      if (!outcome.leg) return { outcome: { kind: outcome.kind } };
      const whole = await intake.outcome(receipt);
      return whole ? { outcome: outcomeView(whole, receipt, asked) } : {};
    }
    default:
      return {};
  }
}

const GIVEN_UP: Problem = {
  type: "urn:parkway:problem:gave-up",
  title: "The input was given up",
  status: 500,
  code: "gave-up",
};

/** H-67. */
function exitOf(error: StoredError | undefined): Shown {
  const known = ["recursion-limit", "turn-cancelled"].find((code) => code === error?.code);
  return { success: false, code: known ?? "turn-error", ...(error ? { reason: error.message } : {}) };
}

/** The leg's own steps and messages, or the whole trail; the history may have gone on since. */
function outcomeView(outcome: Outcome, { outcome: stored }: Receipt, { principal, include = [] }: TurnAsked): Shown {
  const { messages, auditTrail, variables, ...told } = outcome;
  const leg = stored?.leg ?? { messages: [0, 0], trail: [0, 0] };
  const steps = include.includes("trail") ? auditTrail : auditTrail.slice(...leg.trail);
  return {
    ...told,
    auditTrail: trailView(steps),
    variables: variablesView(variables, principal),
    ...(include.includes("messages") ? { messages: messagesView(messages.slice(...leg.messages), principal) } : {}),
  };
}

/**
 * N-11, N-37: what tools were given and gave, as in the event stream (N-26), is for those who may read tools; what an event
 * brought are locked values. Everybody sees that there was such a message.
 */
export function messagesView(messages: readonly StoredMessage[], principal: Principal): StoredMessage[] {
  const mayReadTools = principal.scopes.has("sessions:read:tools");
  const mayReadVariables = principal.scopes.has("sessions:read:variables");
  return messages.map((message) => {
    const note = runtimeNoteKind(message);
    if (note === "event") return mayReadVariables ? message : { ...message, content: "" };
    if (note !== null || mayReadTools) return message;
    const { role, content, tool_calls: calls } = message;
    return {
      ...message,
      content: role === "tool" ? "" : content,
      ...(calls ? { tool_calls: calls.map((call) => ({ ...call, args: {} })) } : {}),
    };
  });
}

/** N-1: times are ISO 8601. */
export function trailView(steps: readonly TrailStep[]): Shown[] {
  return steps.map((step) => ({ ...step, ts: new Date(step.ts).toISOString() }));
}

/** N-11: a locked value is for those only who may read variables; its name and its lock are for all. */
export function variablesView(variables: SessionSummary["variables"] = {}, principal: Principal): ShownVariables {
  const mayRead = principal.scopes.has("sessions:read:variables");
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      variable.locked && !mayRead ? { locked: true } : { value: variable.value, locked: variable.locked },
    ]),
  );
}
