/** What continues a parked session: a decision, a delivery, a reply (R-109…R-129). None of them crosses a turn boundary. */
import type { Machine } from "../../machine/types.js";
import { titleIssue } from "../../spec/index.js";
import type { ArrivalInput } from "../arrival.js";
import { runOf } from "../attempts.js";
import type { EventDraft } from "../events.js";
import type { StoredMessage } from "../messages.js";
import { enterState, type Moment, type Step } from "../moves.js";
import { decisionNoteText, eventNoteText, runtimeNote } from "../notes.js";
import type { DecisionPark, InputPark, SessionPatch, SessionState } from "../state.js";
import { hostSeeds, ownVariable, returnsOwed } from "../variables.js";

type Set = NonNullable<SessionPatch["set"]>;

/** Fields every leg that continues a turn sets. */
function newLeg(state: SessionState, leg: Moment, disposition: "decide" | "deliver" | "reply"): Set {
  return {
    arrivalId: leg.arrivalId,
    disposition,
    legStart: state.messages.length,
    legTrail: state.trail.length,
    stepsUsed: 0,
    used: null,
    unheardCalls: null,
    ...(state.fields.run ? {} : { run: runOf(state.fields) }),
    rejected: null,
    exit: null,
    limit: null,
  };
}

/** what answers a presented park is the child's; the session is running while the child runs on. */
export function applyToChild(
  machine: Machine,
  state: SessionState,
  given: Moment & { disposition: "decide" | "deliver"; input: ArrivalInput },
): Step {
  const set: Set = {
    ...newLeg(state, given, given.disposition),
    status: "running",
    park: null,
    parkPhase: null,
    replyOwed: null,
    specHash: machine.specHash,
    childInput: given.input,
  };
  return { patches: [{ set }], events: [] };
}

/** */
export function applyDecision(
  machine: Machine,
  state: SessionState,
  decision: Moment & { park: DecisionPark; target: string; comment?: string; decidedBy?: string },
): Step {
  const { park, target, now, decidedBy } = decision;
  const comment = decision.comment?.trim() ? decision.comment : undefined;
  const chosen = park.transitions.find((transition) => transition.to === target);
  const note = decisionNoteText({
    state: park.state,
    to: target,
    ...(chosen?.type !== undefined ? { type: chosen.type } : {}),
    ...(chosen?.description !== undefined ? { description: chosen.description } : {}),
    ...(comment !== undefined ? { comment } : {}),
  });
  const entered = enterState(machine, state, target, { ...decision, handoffBy: "route" });
  return {
    patches: [
      {
        set: {
          ...newLeg(state, decision, "decide"),
          status: "running",
          park: null,
          parkPhase: null,
          replyOwed: null,
          specHash: machine.specHash,
          ...entered.set,
        },
        messages: runtimeNote(state.messages.length, "decision", note),
        trail: [
          {
            to: target,
            kind: "human",
            ...(comment !== undefined ? { reason: comment } : {}),
            ...(decidedBy !== undefined ? { by: decidedBy } : {}),
            ts: now,
          },
        ],
      },
    ],
    events: [
      { type: "decided", state: park.state, to: target, ...(decidedBy !== undefined ? { decidedBy } : {}) },
      { type: "state-leave", state: park.state, next: target },
      ...entered.events,
    ],
  };
}

/** R-122…. */
export function applyDelivery(
  machine: Machine,
  state: SessionState,
  delivery: Moment & {
    park: InputPark;
    trigger: string;
    variables: Record<string, unknown>;
    message?: string;
  },
): Step {
  const { park, trigger, message, now } = delivery;
  const warnings: EventDraft[] = [];
  const values = { ...delivery.variables };
  const issue = Object.hasOwn(values, "title") ? titleIssue(values.title) : null;
  if (issue) {
    delete values.title;
    warnings.push({ type: "warning", scope: "delivery", message: `The delivered title was ignored: ${issue}.` });
  }
  const heldTitle = ownVariable(state, "title")?.value;
  const seeds = hostSeeds(values, {
    returns: returnsOwed(machine, state),
    keepTitle: false,
    ...(typeof heldTitle === "string" ? { heldTitle } : {}),
  });
  const note = runtimeNote(state.messages.length, "event", eventNoteText(trigger, values));
  const said: StoredMessage[] =
    message !== undefined ? [{ id: `m${state.messages.length + note.length}`, role: "user", content: message }] : [];
  const resumed = resumedState(machine, state, park);
  if (resumed.moved) {
    const text = `The state ${park.state} no longer exists; the work goes on in ${resumed.state}.`;
    warnings.push({ type: "warning", scope: "delivery", message: text });
  }
  const entered = resumed.moved ? enterState(machine, state, resumed.state, delivery) : null;
  return {
    patches: [
      {
        set: {
          ...newLeg(state, delivery, "deliver"),
          status: "running",
          park: null,
          parkPhase: null,
          replyOwed: null,
          trigger,
          specHash: machine.specHash,
          ...entered?.set,
        },
        variables: { ...seeds.variables, trigger: { value: trigger, locked: true, lockedBy: "host" } },
        messages: [...note, ...said],
        trail: [{ to: park.state, kind: "trigger", reason: trigger, ts: now }],
      },
    ],
    events: [
      { type: "delivered", state: park.state, trigger, to: park.state },
      { type: "variables-set", state: park.state, names: [...seeds.names, "trigger"], locked: true },
      ...(seeds.title !== undefined ? [{ type: "title-set" as const, title: seeds.title, state: park.state }] : []),
      ...(message !== undefined
        ? [{ type: "park-message" as const, state: park.state, direction: "inbound" as const, text: message }]
        : []),
      ...warnings,
      ...(entered ? entered.events : [{ type: "state-enter" as const, state: park.state }]),
    ],
  };
}

function resumedState(machine: Machine, state: SessionState, park: InputPark): { state: string; moved: boolean } {
  if (machine.states.has(park.state)) return { state: park.state, moved: false };
  const entry = machine.triggers.get(state.fields.turnTrigger ?? "")?.state ?? machine.defaultEntry;
  return { state: entry, moved: true };
}

/** the person's words enter the transcript; the park stays as it is and a reply-only call is owed. */
export function applyReply(
  machine: Machine,
  state: SessionState,
  reply: Moment & { message: string; ignored: readonly string[] },
): Step {
  const position = state.fields.park?.state ?? state.fields.position ?? "";
  return {
    patches: [
      {
        set: { ...newLeg(state, reply, "reply"), replyOwed: true, specHash: machine.specHash },
        messages: [{ id: `m${state.messages.length}`, role: "user", content: reply.message }],
      },
    ],
    events: [
      ...(reply.ignored.length > 0
        ? [
            {
              type: "warning" as const,
              scope: "reply",
              message: `A reply to a parked session takes no ${reply.ignored.join(", ")}; ignored.`,
            },
          ]
        : []),
      { type: "park-message", state: position, direction: "inbound", text: reply.message },
    ],
  };
}
