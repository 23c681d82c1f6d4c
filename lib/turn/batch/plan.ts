/**
 * Deciding one message's tool calls, in message order (R-55…R-61): resolve the name, substitute references, have the call
 * judged, and service what the runtime itself answers. Permitted ordinary calls are left as tasks.
 */
import type { InvalidCall } from "../../models/types.js";
import { modelCallsOf } from "../../session/attempts.js";
import type { EventDraft } from "../../session/events.js";
import { applyPatches } from "../../session/fold.js";
import type { StoredMessage, ToolCall } from "../../session/messages.js";
import type { Batch, CallAnswer, SessionPatch, SessionState } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { substituteReferences, workflowSlugFromToolName } from "../../spec/index.js";
import { isScriptTool, offloadLargeResult } from "../../tools/index.js";
import { checkDelegation, refusalText, resolveArguments } from "../delegation/checks.js";
import { shownOutput } from "../emitter.js";
import { type Given, type Judged, judge, type Refusal } from "../judging.js";
import { resolveCalledName } from "../surface.js";
import type { ToolTask, Turn } from "../types.js";
import { type ControlContext, isControl, serviceControl } from "./controls.js";

export interface BatchPlan {
  /** The batch, and what its control calls write at once. */
  patches: SessionPatch[];
  /** Calls that run as tasks of the next step. */
  tasks: ToolTask[];
  /** To be emitted once the step has committed. */
  events: EventDraft[];
}

export interface BatchInput {
  /** The message as it will be stored. */
  message: StoredMessage;
  invalid: readonly InvalidCall[];
  /** everything is refused. */
  replyOnly: boolean;
}

/** `state` is the session with the message's own step applied; governance stays with the state it was made in. */
export async function planBatch(turn: Turn, state: SessionState, input: BatchInput): Promise<BatchPlan> {
  const calls = input.message.tool_calls ?? [];
  const batch = new BatchDraft(turn, state, input);
  for (const call of calls) await batch.decide(call);
  return batch.plan(calls);
}

class BatchDraft {
  private readonly answers: CallAnswer[] = [];
  private readonly tasks: ToolTask[] = [];
  /** Those that an invocation may leave without an answer (S-55). */
  private readonly resumable: ToolTask[] = [];
  private readonly written: SessionPatch[] = [];
  private readonly events: EventDraft[] = [];
  /** What is told when the move takes effect: its events, then the mover's own result. */
  private moveEvents: EventDraft[] = [];
  private readonly control: ControlContext;

  constructor(
    private readonly turn: Turn,
    private readonly state: SessionState,
    private readonly input: BatchInput,
  ) {
    const calls = input.message.tool_calls ?? [];
    this.control = { turn, governed: state.fields.position ?? "", calls, effect: null };
  }

  /** What later calls of the message see: earlier variable writes, never an earlier move. */
  private now(): SessionState {
    return applyPatches(this.state, this.written);
  }

  async decide(call: ToolCall): Promise<void> {
    const { turn } = this;
    const { replyOnly } = this.input;
    const cutOff = this.input.invalid.find((invalid) => invalid.callId === call.id);
    if (cutOff && !replyOnly) return this.refuse(call, "invalid-arguments", `The call was not run: ${cutOff.problem}`);
    const name = resolveCalledName(turn.assembly, call.name);
    if (!name.ok)
      return this.answer({
        callId: call.id,
        tool: call.name,
        text: name.reason,
        status: "error",
        refusal: "unknown-tool",
      });
    const workflow = workflowSlugFromToolName(name.tool);
    if (workflow !== null && !replyOnly) return this.delegate(call, name.tool, workflow);
    const state = this.now();
    const substituted = substituteReferences(call.args, valuesOf(state.variables));
    if (!substituted.ok && !replyOnly) {
      const reason = unresolvedReference(substituted);
      const rule = "unresolved-reference";
      return this.block(call, { rule, reason, text: reason, refusal: rule, args: call.args });
    }
    const judged = await this.judge(call, name.tool, substituted.ok ? substituted.args : call.args);
    if (judged.kind !== "run") return this.answerJudged(call, name.tool, judged);
    if (isControl(name.tool)) return this.service(call, name.tool, judged.args);
    const task = taskOf(call, name.tool, judged.args);
    this.tasks.push(task);
    if (isScriptTool(name.tool)) this.resumable.push(task);
  }

  private judge(call: ToolCall, tool: string, args: Record<string, unknown>): Promise<Judged> {
    const now = this.now();
    return judge(this.turn, {
      callId: call.id,
      tool,
      args,
      state: this.control.governed,
      origin: "agent",
      replyOnly: this.input.replyOnly,
      variables: valuesOf(now.variables),
      modelCalls: modelCallsOf(now),
    });
  }

  /** A call that does not run: a hook has answered it, or it is refused. */
  private async answerJudged(call: ToolCall, tool: string, judged: Given | Refusal): Promise<void> {
    if (judged.kind === "block") return this.block(call, judged);
    const { args, text } = judged;
    const state = this.control.governed;
    const kept = await offloadLargeResult(this.turn.workspace, { callId: call.id, tool, text });
    const answer: CallAnswer = { callId: call.id, tool: call.name, text: kept, status: "success" };
    this.answers.push(answer);
    this.turn.emit({ type: "tool-called", state, tool, callId: call.id, args });
    this.turn.emit(resultEvent(state, { ...answer, tool, text }));
  }

  /** R-174…R-176: checked before any child exists. The number is committed with the message, of a refused call too. */
  private async delegate(call: ToolCall, tool: string, workflow: string): Promise<void> {
    const { turn } = this;
    const resolved = resolveArguments(call.args, valuesOf(this.now().variables));
    const judged: Judged = resolved.ok ? await this.judge(call, tool, resolved.args) : { kind: "run", args: call.args };
    if (judged.kind !== "run") return this.answerJudged(call, tool, judged);
    const { args } = judged;
    const dispatch = turn.nextDispatch();
    this.written.push({ set: { dispatchCount: dispatch } });
    const checked = await checkDelegation(turn, workflow, resolved.ok ? { ok: true, args } : resolved);
    if (checked.ok) {
      const task = { ...taskOf(call, tool, args), dispatch };
      this.tasks.push(task);
      this.resumable.push(task);
      return;
    }
    const rule = `delegation:${checked.kind}`;
    const reason = refusalText(tool, checked);
    this.block(call, { rule, reason, text: reason, refusal: rule, args });
  }

  private async service(call: ToolCall, tool: string, args: Record<string, unknown>): Promise<void> {
    const state = this.control.governed;
    this.turn.emit({ type: "tool-called", state, tool, callId: call.id, args });
    const served = serviceControl(this.control, this.now(), { callId: call.id, tool, args });
    const text = await offloadLargeResult(this.turn.workspace, { callId: call.id, tool, text: served.text });
    const answer: CallAnswer = { callId: call.id, tool, text, status: served.refusal ? "error" : "success" };
    if (served.refusal) answer.refusal = served.refusal;
    if (served.failure !== undefined) answer.failure = served.failure;
    this.answers.push(answer);
    if (served.patch) this.written.push(served.patch);
    if (served.effect) this.control.effect = { ...served.effect, callId: call.id };
    const result = resultEvent(state, { ...answer, text: served.text });
    // What the call has changed is told when it has been committed, and its result with it.
    if (served.effect) this.moveEvents = [...served.effect.events, result];
    else if (served.patch) this.events.push(...(served.events ?? []), result);
    else this.turn.emit(result);
  }

  private refuse(call: ToolCall, refusal: string, text: string): void {
    const answer: CallAnswer = { callId: call.id, tool: call.name, text, status: "error", refusal };
    const state = this.control.governed;
    this.answers.push(answer);
    this.turn.emit({ type: "tool-called", state, tool: call.name, callId: call.id, args: call.args });
    this.turn.emit(resultEvent(state, answer));
  }

  private answer(answer: CallAnswer): void {
    this.answers.push(answer);
  }

  private block(call: ToolCall, block: Omit<Refusal, "kind">): void {
    this.answers.push({
      callId: call.id,
      tool: call.name,
      text: block.text,
      status: "error",
      refusal: block.refusal,
      blocked: true,
      ...(block.terminal ? { failure: block.reason } : {}),
    });
    const { rule, reason, args } = block;
    const state = this.control.governed;
    this.turn.emit({ type: "tool-blocked", state, tool: call.name, callId: call.id, args, reason, rule });
  }

  /**
   * A move takes effect when the batch's last answer is in, and is told then: at once where nothing runs, else when the
   * last tool task has answered. Where a call has failed the state it takes none.
   */
  plan(calls: readonly ToolCall[]): BatchPlan {
    const { effect } = this.control;
    const waits = this.tasks.length > 0;
    const failed = this.answers.some((answer) => answer.failure !== undefined);
    const batch: Batch = { calls: calls.map((call) => call.id), answers: this.answers };
    if (this.resumable.length > 0) batch.tasks = this.resumable;
    if (effect) {
      batch.effect = effect.patch;
      batch.movers = [effect.callId];
      if (waits) batch.events = this.moveEvents as unknown as Record<string, unknown>[];
    }
    const told = waits ? [] : failed ? this.moveEvents.slice(-1).map(asStateFailed) : this.moveEvents;
    return { patches: [...this.written, { batch }], tasks: this.tasks, events: [...this.events, ...told] };
  }
}

/** the reference, why, and the escape. */
export function unresolvedReference({ reference, reason }: { reference: string; reason: string }): string {
  return `The reference ${reference} cannot be resolved: ${reason} To write the characters themselves, put a $ in front: $${"$"}{{…}}.`;
}

/** The result of a move that a sibling's failure overruled. */
export function asStateFailed(event: EventDraft): EventDraft {
  return event.type === "tool-result" ? { ...event, status: "error", output: STATE_FAILED, truncated: false } : event;
}

const STATE_FAILED = "The state has failed in the same message, so this had no effect.";

function resultEvent(state: string, answer: CallAnswer): EventDraft {
  const { tool, callId, status, text } = answer;
  return { type: "tool-result", state, tool, callId, status, durationMs: 0, ...shownOutput(text) };
}

/** The task carries the arguments only where they differ from what the message holds. */
function taskOf(call: ToolCall, tool: string, args: Record<string, unknown>): ToolTask {
  const same = tool === call.name && JSON.stringify(args) === JSON.stringify(call.args);
  return same ? { callId: call.id } : { callId: call.id, tool, args };
}
