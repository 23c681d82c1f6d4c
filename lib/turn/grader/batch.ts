/**
 * Deciding the tool calls of one message of a grader, in message order (R-55… ): resolve the name, substitute
 * references, have the call judged, service the controls. Permitted ordinary calls are left as tasks.
 */

import type { ToolCall } from "../../session/messages.js";
import type { CallAnswer } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { substituteReferences, workflowSlugFromToolName } from "../../spec/index.js";
import { offloadLargeResult } from "../../tools/index.js";
import type { RunControls } from "../automated/controls.js";
import { asStateFailed, unresolvedReference } from "../batch/plan.js";
import { checkDelegation, type ResolvedArguments, refusalText, resolveArguments } from "../delegation/checks.js";
import { shownOutput } from "../emitter.js";
import { type Given, judge, type Refusal } from "../judging.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import type { DecidedBatch, LoopItem } from "./thread.js";

export async function decideBatch(turn: Turn, controls: RunControls, item: LoopItem): Promise<DecidedBatch> {
  const before = { written: controls.written.length, events: controls.events.length };
  const draft = new BatchDraft(turn, controls, item);
  for (const [index, call] of (item.message?.tool_calls ?? []).entries()) await draft.decide(call, index + 1);
  const { answers, tasks, failure, dispatched } = draft;
  const { decision } = controls;
  if (failure !== null) overrule(controls);
  const effects = {
    written: controls.written.slice(before.written),
    events: controls.events.slice(before.events),
    decision,
  };
  const numbered = dispatched !== null ? { dispatched } : {};
  return { answers, tasks, effects, ...numbered, ...(failure !== null ? { failure } : {}) };
}

class BatchDraft {
  readonly answers: CallAnswer[] = [];
  readonly tasks: DecidedBatch["tasks"] = [];
  failure: string | null = null;
  dispatched: number | null = null;

  constructor(
    private readonly turn: Turn,
    private readonly controls: RunControls,
    private readonly item: LoopItem,
  ) {}

  async decide(call: ToolCall, index: number): Promise<void> {
    const { turn, controls } = this;
    const cutOff = this.item.invalid?.find((invalid) => invalid.callId === call.id);
    if (cutOff) return this.refuse(call, "invalid-arguments", `The call was not run: ${cutOff.problem}`);
    const name = resolveCalledName(turn.assembly, call.name);
    if (!name.ok) return this.answer(call, name.reason, { refusal: "unknown-tool" });
    const workflow = workflowSlugFromToolName(name.tool);
    const resolve = workflow === null ? substituteReferences : resolveArguments;
    const substituted = resolve(call.args, valuesOf(controls.now().variables));
    if (!substituted.ok) {
      if (workflow !== null) return this.refuseDispatch(call, workflow, substituted);
      const reason = unresolvedReference(substituted);
      const rule = "unresolved-reference";
      return this.block(call, { rule, reason, text: reason, refusal: rule, args: call.args });
    }
    const judged = await judge(turn, controls.asked({ callId: call.id, tool: name.tool, args: substituted.args }));
    if (judged.kind === "block") {
      if (judged.terminal) this.failure ??= judged.reason;
      return this.block(call, judged);
    }
    const { args } = judged;
    if (judged.kind === "given") return this.given(call, name.tool, judged);
    if (!controls.serves(name.tool)) {
      this.tasks.push({ callId: call.id, tool: name.tool, args, index });
      return;
    }
    if (this.failure !== null && DECIDING.has(name.tool)) {
      return this.refuse(call, "state-failed", `The state has failed in the same message: ${this.failure}`);
    }
    const served = controls.serve({ callId: call.id, tool: name.tool, args });
    const text = await keptText(turn, { callId: call.id, tool: name.tool, text: served.text });
    this.answer(call, text, served.refusal ? { refusal: served.refusal } : {});
  }

  /** a call whose references give no value is refused as a dispatch, with a number of its own. */
  private async refuseDispatch(call: ToolCall, workflow: string, unresolved: ResolvedArguments): Promise<void> {
    this.dispatched = this.turn.nextDispatch();
    const checked = await checkDelegation(this.turn, workflow, unresolved);
    if (checked.ok) return;
    const rule = `delegation:${checked.kind}`;
    const reason = refusalText(call.name, checked);
    this.block(call, { rule, reason, text: reason, refusal: rule, args: call.args });
  }

  /** A hook has answered in place of the tool; a decision is none then. */
  private async given(call: ToolCall, tool: string, { args, text }: Given): Promise<void> {
    this.answer(call, await offloadLargeResult(this.turn.workspace, { callId: call.id, tool, text }), {});
    const shown = { state: this.controls.slug, tool, callId: call.id };
    this.turn.emit({ type: "tool-called", ...shown, args });
    this.turn.emit({ type: "tool-result", ...shown, status: "success", durationMs: 0, ...shownOutput(text) });
  }

  private answer(call: ToolCall, text: string, how: { refusal?: string; blocked?: true }): void {
    const status = how.refusal ? "error" : "success";
    this.answers.push({ callId: call.id, tool: call.name, text, status, ...how });
  }

  private refuse(call: ToolCall, refusal: string, text: string): void {
    this.answer(call, text, { refusal });
    const shown = { state: this.controls.slug, tool: call.name, callId: call.id };
    this.turn.emit({ type: "tool-called", ...shown, args: call.args });
    this.turn.emit({ type: "tool-result", ...shown, status: "error", durationMs: 0, ...shownOutput(text) });
  }

  private block(call: ToolCall, { rule, reason, text, refusal, args }: Omit<Refusal, "kind">): void {
    this.answer(call, text, { refusal, blocked: true });
    const shown = { state: this.controls.slug, tool: call.name, callId: call.id };
    this.turn.emit({ type: "tool-blocked", ...shown, args, reason, rule });
  }
}

/** Calls that would decide where the work goes. */
const DECIDING = new Set(["archmax_advance", "archmax_raise"]);

/** A sibling has failed the state: an advance accepted before it has no effect, and is told so. */
function overrule(controls: RunControls): void {
  const { decision, events } = controls;
  if (decision?.kind !== "advance") return;
  const told = events.findIndex((event) => event.type === "tool-result" && event.callId === decision.callId);
  if (told >= 0) events[told] = asStateFailed(events[told]!);
}

const HISTORY = "archmax_get_history";

/** An answer as it is kept: the history, which is the session itself, is not written down a second time. */
async function keptText(turn: Turn, result: { callId: string; tool: string; text: string }): Promise<string> {
  return result.tool === HISTORY ? "" : offloadLargeResult(turn.workspace, result);
}

/** An answer as the grader is shown it: the history whole, however long it is. */
export function shownAnswer(controls: RunControls, answer: CallAnswer): CallAnswer {
  return answer.tool === HISTORY && answer.status === "success" ? { ...answer, ...controls.history() } : answer;
}
