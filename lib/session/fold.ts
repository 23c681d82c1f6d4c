/** Folding patches into the session's state. Pure, and the same whether patches come one by one or all at once. */
import { settleDelegations } from "./delegations.js";
import type { StoredMessage } from "./messages.js";
import type { Batch, CallAnswer, SessionFields, SessionPatch, SessionState, Usage } from "./state.js";
import { addUsage, addUsed, emptyUsage } from "./usage.js";

export function emptyState(): SessionState {
  return { fields: {}, messages: [], variables: {}, trail: [], usage: emptyUsage(), batch: null };
}

/** `applyPatches(applyPatches(s, xs), ys)` equals `applyPatches(s, [...xs, ...ys])`. */
export function applyPatches(state: SessionState, patches: readonly SessionPatch[]): SessionState {
  if (patches.length === 0) return state;
  const draft: Draft = {
    fields: { ...state.fields },
    messages: [...state.messages],
    variables: { ...state.variables },
    trail: [...state.trail],
    usage: state.usage,
    batch: state.batch,
  };
  for (const patch of patches) applyTo(draft, patch);
  return draft;
}

export function applyPatch(state: SessionState, patch: SessionPatch): SessionState {
  return applyPatches(state, [patch]);
}

/**
 * The same patches without the clearing of fields that are not set anyway: what is stored is what a step changed. Patches
 * that answer calls stay as they are, since what their batch decided takes effect in between.
 */
export function withoutIdleClears(state: SessionState, patches: readonly SessionPatch[]): SessionPatch[] {
  if (state.batch || patches.some((patch) => patch.answers || patch.batch)) return [...patches];
  const set = new Set(Object.keys(state.fields));
  return patches.map((patch) => {
    const kept = Object.entries(patch.set ?? {}).filter(([name, value]) => value !== null || set.has(name));
    for (const [name] of kept) set.add(name);
    if (!patch.set) return patch;
    const { set: _all, ...rest } = patch;
    return kept.length > 0 ? { ...rest, set: Object.fromEntries(kept) } : rest;
  });
}

interface Draft {
  fields: Partial<SessionFields>;
  messages: StoredMessage[];
  variables: SessionState["variables"] & Record<string, SessionState["variables"][string]>;
  trail: SessionState["trail"][number][];
  usage: Usage;
  batch: Batch | null;
}

/** Within a patch: answers close an earlier batch first, then what the patch says, then the batch it opens. */
function applyTo(draft: Draft, patch: SessionPatch): void {
  if (patch.answers) answerCalls(draft, patch.answers);
  if (patch.messages) draft.messages.push(...patch.messages);
  if (patch.variables) Object.assign(draft.variables, patch.variables);
  if (patch.trail) draft.trail.push(...patch.trail);
  if (patch.usage) draft.usage = addUsage(draft.usage, patch.usage);
  if (patch.set) setFields(draft.fields, patch.set);
  if (patch.used) draft.fields.used = addUsed(draft.fields.used, patch.used);
  if (patch.batch) {
    draft.batch = patch.batch;
    answerCalls(draft, []);
  }
}

function setFields(fields: Partial<SessionFields>, set: NonNullable<SessionPatch["set"]>): void {
  for (const [name, value] of Object.entries(set)) {
    if (value === null) delete fields[name as keyof SessionFields];
    else if (value !== undefined) (fields as Record<string, unknown>)[name] = value;
  }
}

function answerCalls(draft: Draft, answers: readonly CallAnswer[]): void {
  if (!draft.batch) return;
  const known = new Set(draft.batch.answers.map((answer) => answer.callId));
  const fresh = answers.filter((answer) => !known.has(answer.callId) && draft.batch?.calls.includes(answer.callId));
  draft.batch = { ...draft.batch, answers: [...draft.batch.answers, ...fresh] };
  if (draft.batch.answers.length === draft.batch.calls.length) closeBatch(draft, draft.batch);
}

/**
 * The last answer is in: the answers enter the transcript in message order (R-55, F-59), the batch counts as a step
 * and what its control calls decided takes effect, unless a call of the batch failed the state.
 */
function closeBatch(draft: Draft, batch: Batch): void {
  draft.batch = null;
  const answers = batch.calls.flatMap((callId) => batch.answers.find((answer) => answer.callId === callId) ?? []);
  const batchAt = draft.messages.length;
  const failed = answers.find((answer) => answer.failure !== undefined);
  for (const answer of answers) {
    const { callId } = answer;
    const overruled = failed !== undefined && batch.movers?.includes(callId) && answer.status === "success";
    draft.messages.push(answerMessage(overruled ? stateFailedAnswer(answer, failed.failure ?? "") : answer));
  }
  draft.fields.stepsUsed = (draft.fields.stepsUsed ?? 0) + 1;
  const { set, trail } = settleDelegations(draft.fields, answers, batchAt);
  setFields(draft.fields, set);
  draft.trail.push(...trail);
  const { defines } = answers.findLast((answer) => answer.defines !== undefined) ?? {};
  if (defines !== undefined) setFields(draft.fields, { repl: defines ? (draft.fields.turnOrdinal ?? 0) : null });
  for (const { used } of answers) if (used) draft.fields.used = addUsed(draft.fields.used, used);
  const { todos } = answers.findLast((answer) => answer.todos) ?? {};
  if (todos) draft.fields.todos = todos;
  if (failed) draft.fields.failure = failed.failure;
  else if (batch.effect) applyTo(draft, batch.effect);
}

function stateFailedAnswer(answer: CallAnswer, failure: string): CallAnswer {
  return {
    callId: answer.callId,
    tool: answer.tool,
    text: `The state has failed in the same message, so this had no effect: ${failure}`,
    status: "error",
    refusal: "state-failed",
  };
}

export function answerMessage(answer: CallAnswer): StoredMessage {
  return {
    id: `a-${answer.callId}`,
    role: "tool",
    content: answer.text,
    tool_call_id: answer.callId,
    name: answer.tool,
    ...(answer.status === "error" ? { status: "error" as const } : {}),
    ...(answer.refusal || answer.blocked || answer.picture
      ? {
          additional_kwargs: {
            ...(answer.refusal ? { archmax: { refusal: answer.refusal } } : {}),
            ...(answer.picture ? { archmax: { picture: answer.picture } } : {}),
            ...(answer.blocked ? { governance_blocked: true as const } : {}),
          },
        }
      : {}),
  };
}
