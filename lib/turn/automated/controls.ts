/** What an automated state's run may ask of the runtime itself: its controls, and how every call of it is judged (R-133… ). */
import { readableEvidencePath } from "../../kernel/index.js";
import type { CallOrigin } from "../../kernel/types.js";
import { checkAdvance } from "../../machine/index.js";
import { modelCallsOf } from "../../session/attempts.js";
import type { EventDraft } from "../../session/events.js";
import { applyPatches } from "../../session/fold.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { judgeWrite, valuesOf } from "../../session/variables.js";
import { parseAdvance, parseGetVariables, parseRaise, parseSetVariables } from "../../tools/index.js";
import { readVariables } from "../batch/read-variables.js";
import { shownOutput } from "../emitter.js";
import { shownOrigin } from "../execute-call.js";
import type { AskedCall } from "../judging.js";
import type { Turn } from "../types.js";
import { historyText } from "./history.js";

export type AutomatedDecision =
  | { kind: "advance"; to: string; reason: string; evidence: string[]; callId: string }
  | { kind: "raise"; code: string; reason: string; callId: string };

/** Why a state that may go on has failed when its run ends without a decision. */
export const UNDECIDED = "without archmax_advance or archmax_raise.";

export interface ServedCall {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
}

export interface Answer {
  text: string;
  refusal?: string;
}

/** What a run's controls have brought about; plain data. */
export interface Effects {
  /** Variable writes, in order. */
  written: SessionPatch[];
  /** To be emitted when the run has settled. */
  events: EventDraft[];
  /** The first accepted decision; it takes effect when the run finishes cleanly. */
  decision: AutomatedDecision | null;
}

export class RunControls implements Effects {
  readonly written: SessionPatch[] = [];
  readonly events: EventDraft[] = [];
  decision: AutomatedDecision | null = null;
  readonly slug: string;
  /** Of the leg, a grader's own included. */
  modelCalls: number;

  /** @param entered - the session as it stood when the state was entered */
  constructor(
    private readonly turn: Turn,
    private readonly entered: SessionState,
    private readonly origin: Exclude<CallOrigin, "agent">,
  ) {
    this.slug = entered.fields.position ?? "";
    this.modelCalls = modelCallsOf(entered);
  }

  /** The session as a later call of the same run sees it. */
  now(): SessionState {
    return applyPatches(this.entered, this.written);
  }

  /** the call as it is judged. */
  asked({ callId, tool, args }: ServedCall): AskedCall {
    return {
      callId,
      tool,
      args,
      state: this.slug,
      origin: this.origin === "script" ? "code" : this.origin,
      variables: valuesOf(this.now().variables),
      modelCalls: this.modelCalls,
    };
  }

  serves(tool: string): boolean {
    return Object.hasOwn(SERVICES, tool);
  }

  /** Answers a permitted control call and tells of it. */
  serve(call: ServedCall): Answer {
    const shown = { state: this.slug, tool: call.tool, callId: call.callId, ...shownOrigin(this.origin) };
    this.turn.emit({ type: "tool-called", ...shown, args: call.args });
    const { decision } = this;
    const told = this.events.length;
    const answer = SERVICES[call.tool]!(this, call);
    const status = answer.refusal ? "error" : "success";
    const result: EventDraft = { type: "tool-result", ...shown, status, durationMs: 0, ...shownOutput(answer.text) };
    // What the call has changed is told when it has been committed, and its result with it.
    if (this.events.length > told || this.decision !== decision) this.events.push(result);
    else this.turn.emit(result);
    return answer;
  }

  advance({ callId, args }: ServedCall): Answer {
    const parsed = parseAdvance(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    if (this.decision) return alreadyDecided(this.decision);
    const { machine, assembly } = this.turn;
    const verdict = checkAdvance(machine, {
      state: this.slug,
      to: parsed.args.to,
      variables: valuesOf(this.now().variables),
      ...(parsed.args.evidence ? { evidence: parsed.args.evidence } : {}),
      judgeEvidence: (path) => readableEvidencePath(path, assembly.tables.mounts),
    });
    if (!verdict.ok) return { text: verdict.reason, refusal: verdict.code };
    const { to, reason } = parsed.args;
    this.decision = { kind: "advance", to, reason, evidence: verdict.evidence, callId };
    return { text: `${to} follows when the run ends.` };
  }

  raise({ callId, args }: ServedCall): Answer {
    const parsed = parseRaise(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    if (this.decision) return alreadyDecided(this.decision);
    this.decision = { kind: "raise", ...parsed.args, callId };
    return { text: `The session ends as failed (${parsed.args.code}).` };
  }

  setVariables({ callId, args }: ServedCall): Answer {
    const parsed = parseSetVariables(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    const verdict = judgeWrite(this.turn.machine, this.now(), {
      variables: parsed.args.variables,
      lock: parsed.args.lock ?? false,
      callId,
      now: this.turn.host.clock.now(),
    });
    if (!verdict.ok) return { text: verdict.text, refusal: verdict.code };
    this.written.push(verdict.patch);
    this.events.push(...verdict.events);
    return { text: `Set: ${verdict.names.join(", ")}.` };
  }

  getVariables({ args }: ServedCall): Answer {
    const parsed = parseGetVariables(args);
    return parsed.ok ? readVariables(this.now(), parsed.args) : badArguments(parsed.problems);
  }

  /** the session as it stood when the state was entered. */
  history(): Answer {
    return { text: historyText(this.entered) };
  }
}

type Service = (controls: RunControls, call: ServedCall) => Answer;

const SERVICES: Record<string, Service> = {
  archmax_advance: (controls, call) => controls.advance(call),
  archmax_raise: (controls, call) => controls.raise(call),
  archmax_set_variables: (controls, call) => controls.setVariables(call),
  archmax_get_variables: (controls, call) => controls.getVariables(call),
  archmax_get_history: (controls) => controls.history(),
};

function alreadyDecided(decision: AutomatedDecision): Answer {
  const taken = decision.kind === "advance" ? `to advance to ${decision.to}` : `to raise ${decision.code}`;
  return { text: `The run has decided already, ${taken}.`, refusal: "decided" };
}

function badArguments(problems: readonly string[]): Answer {
  return { text: `The arguments do not fit: ${problems.join(" ")}`, refusal: "invalid-arguments" };
}
