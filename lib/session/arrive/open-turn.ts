/** The turn boundary (R-28…R-45): refusing a turn, or opening it in one commit. */
import type { Machine } from "../../machine/types.js";
import { signatureValueIssues } from "../../spec/index.js";
import type { EventDraft } from "../events.js";
import { answerMessage } from "../fold.js";
import type { HistoryMessage } from "../input.js";
import type { StoredMessage } from "../messages.js";
import { enterState, type Moment, type Step } from "../moves.js";
import { openingNote, openingNoteText } from "../notes.js";
import type { PendingDelegation, SessionPatch, SessionState } from "../state.js";
import { hostSeeds, ownVariable, valuesOf } from "../variables.js";

export interface Opening extends Moment {
  trigger: string;
  state: string;
  /** Cases 1 to 3 of R-30 chose the state. */
  fromEntry: boolean;
  message?: string;
  /** H-48. */
  history?: readonly HistoryMessage[];
  /** The assembly's variables, then the turn's, then the paths of placed files. */
  seeds: Record<string, unknown>;
  /** What is wrong with the files that `file` entries name, looked up before (W-128). */
  fileIssues: string[];
}

/** why the turn may not open, or null. Disabled first, then the trigger's `requires`. */
export function refusalOf(machine: Machine, state: SessionState, opening: Opening): string | null {
  if (machine.disabled) {
    return `The workflow "${machine.workflow}" is out of service (disabled: true); it starts no new work.`;
  }
  const requires = machine.triggers.get(opening.trigger)?.signature.requires ?? [];
  const values = { ...valuesOf(state.variables), ...opening.seeds, trigger: opening.trigger };
  const issues = signatureValueIssues(requires, values, { now: opening.now }).map((issue) => issue.message);
  const all = [...issues, ...opening.fileIssues];
  if (all.length === 0) return null;
  return `The trigger ${opening.trigger} of "${machine.workflow}" was refused: ${all.join(" ")}`;
}

/** only status and reason change, and the exit of the turn before is cleared. */
export function refuseTurn(state: SessionState, opening: Moment & { reason: string }): Step {
  return {
    patches: [
      {
        set: {
          status: "rejected",
          rejected: opening.reason,
          shortfall: null,
          exit: null,
          limit: null,
          arrivalId: opening.arrivalId,
          disposition: "turn",
          legStart: state.messages.length,
          legTrail: state.trail.length,
          unheardCalls: null,
          used: null,
          run: null,
        },
      },
    ],
    events: [{ type: "warning", scope: "turn", message: opening.reason }],
  };
}

/** …R-45. */
export function openTurn(machine: Machine, state: SessionState, opening: Opening): Step {
  const { trigger, now } = opening;
  const returns = machine.triggers.get(trigger)?.signature.returns ?? [];
  const heldTitle = ownVariable(state, "title")?.value;
  const seeds = hostSeeds(opening.seeds, {
    returns,
    keepTitle: true,
    ...(typeof heldTitle === "string" ? { heldTitle } : {}),
  });
  const interrupted = interruptedAnswers(state.messages);
  const history = historyMessages(state, opening.history ?? []);
  const before = [...interrupted, ...history];
  const said = openingMessages(state, opening, before.length);
  const entered = enterState(
    machine,
    { ...state, fields: { ...state.fields, visit: state.fields.visit ?? 0 } },
    opening.state,
    opening,
  );
  const patch: SessionPatch = {
    set: {
      status: "running",
      rejected: null,
      shortfall: null,
      exit: null,
      limit: null,
      failure: null,
      failedDelegations: null,
      pendingDelegations: null,
      park: null,
      parkPhase: null,
      parkCounts: null,
      stepsUsed: 0,
      unheardCalls: null,
      replyOwed: null,
      trigger,
      turnTrigger: trigger,
      turnOrdinal: (state.fields.turnOrdinal ?? 0) + 1,
      specHash: machine.plain ? null : machine.specHash,
      arrivalId: opening.arrivalId,
      disposition: "turn",
      legStart: state.messages.length + before.length,
      legTrail: state.trail.length,
      used: null,
      run: null,
      openedIn: opening.fromEntry ? null : opening.state,
      ...(state.fields.entryState === undefined ? { entryState: opening.state } : {}),
      ...entered.set,
    },
    variables: { ...seeds.variables, trigger: { value: trigger, locked: true, lockedBy: "host" } },
    messages: [...before, ...said],
    trail: [{ to: opening.state, kind: "trigger", reason: trigger, ts: now }],
  };
  const events: EventDraft[] = [
    ...(opening.fromEntry ? [{ type: "workflow-reset" as const, entry: opening.state }] : []),
    { type: "advance", from: "__start__", to: opening.state },
    ...(seeds.names.length > 0 ? [{ type: "variables-set" as const, names: seeds.names, locked: true }] : []),
    ...(seeds.title !== undefined ? [{ type: "title-set" as const, title: seeds.title }] : []),
    ...entered.events,
    ...(state.fields.pendingDelegations ?? []).map(abandonedChild),
  ];
  return { patches: [patch], events };
}

/** */
function abandonedChild({ workflow, sessionId }: PendingDelegation): EventDraft {
  const message = `A new turn has begun; the work left with ${workflow} (${sessionId}) stays as it is, and nothing presents it any more.`;
  return { type: "warning", scope: "delegation", message };
}

function historyMessages(state: SessionState, history: readonly HistoryMessage[]): StoredMessage[] {
  return history.map(({ role, content }, index) => ({ id: `m${state.messages.length + index}`, role, content }));
}

function openingMessages(state: SessionState, opening: Opening, offset: number): StoredMessage[] {
  const index = state.messages.length + offset;
  if (opening.message !== undefined) return [{ id: `m${index}`, role: "user", content: opening.message }];
  const shown = { ...valuesOf(state.variables), ...opening.seeds };
  return [openingNote(index, openingNoteText(opening.trigger, shown))];
}

/** calls that an earlier turn left without an answer. */
export function interruptedAnswers(messages: readonly StoredMessage[]): StoredMessage[] {
  const last = messages.findLastIndex((message) => message.tool_calls?.length);
  if (last < 0) return [];
  const answered = new Set(messages.slice(last + 1).map((message) => message.tool_call_id));
  return (messages[last]?.tool_calls ?? [])
    .filter((call) => !answered.has(call.id))
    .map((call) =>
      answerMessage({
        callId: call.id,
        tool: call.name,
        text: "The call was interrupted; whether it took effect is unknown. Check before repeating it.",
        status: "error",
        refusal: "interrupted",
      }),
    );
}
