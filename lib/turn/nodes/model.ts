/** One call of the agent's model in the current state, and what its answer decides. */
import { argumentLimits, enabledSkills, offeredTools, reachableMounts } from "../../kernel/index.js";
import { renderStateBlock } from "../../machine/index.js";
import { failedDelegationsReason } from "../../session/delegations.js";
import { applyPatches } from "../../session/fold.js";
import type { ToolCall } from "../../session/messages.js";
import { routeFailure } from "../../session/moves.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { planBatch } from "../batch/plan.js";
import { statedClock } from "../clock.js";
import { ModelTimeoutError } from "../errors.js";
import { beginCalls } from "../execute-call.js";
import { atLimit, finishWork } from "../finish.js";
import { callKey } from "../journal.js";
import { usedBy } from "../meter.js";
import { type CalledModel, callModel } from "../model-call.js";
import { overLimit } from "../next-step.js";
import type { NodeResult, ToolTask, Turn, TurnNode } from "../types.js";

export const modelNode: TurnNode = async (turn, state) => {
  const slug = state.fields.position ?? "";
  const budget = turn.machine.states.get(slug)?.spec.budget ?? {};
  const made = state.fields.stateTurns?.state === slug ? state.fields.stateTurns.count : 0;
  if (budget.maxTurns !== undefined && made >= budget.maxTurns) {
    return failState(turn, state, `its budget of ${budget.maxTurns} model calls is spent.`);
  }
  const reached = turn.meter.reached();
  if (reached) return atLimit(turn, state, reached);
  const tools = offeredTools(turn.machine, turn.assembly.tables, slug, {
    registered: turn.assembly.registered,
  });
  let called: CalledModel;
  try {
    called = await callModel(turn, state, {
      state: slug,
      volatile: stateBlock(turn, state, tools),
      tools,
      ...(budget.timeoutMs !== undefined ? { timeoutMs: budget.timeoutMs } : {}),
    });
  } catch (error) {
    if (error instanceof ModelTimeoutError) return abandoned(turn, state, error);
    throw error;
  }
  const step: SessionPatch = {
    ...called.usage,
    ...turn.meter.count(usedBy(called.usage.usage, called.message?.tool_calls?.length ?? 0)),
    set: {
      ...called.kept,
      stepsUsed: (state.fields.stepsUsed ?? 0) + 1,
      ...(called.message ? {} : { unheardCalls: (state.fields.unheardCalls ?? 0) + 1 }),
      stateTurns: { state: slug, count: made + 1 },
    },
    ...(called.message ? { messages: [called.message] } : {}),
  };
  const after = applyPatches(state, [step]);
  if (!called.message?.tool_calls) return finish(turn, after, step, called.message === null);
  return answerCalls(turn, after, step, called);
};

/** a message without calls ends the work in the state, unless delegated work that failed is outstanding. */
async function finish(turn: Turn, after: SessionState, step: SessionPatch, silent: boolean): Promise<NodeResult> {
  if (silent) {
    const message = `The model said nothing and called nothing in ${after.fields.position}; the turn ends here.`;
    turn.emit({ type: "warning", scope: "model", message });
  }
  const failed = failedDelegationsReason(after.fields);
  if (failed !== null) return routed(turn, after, [step], failed);
  const end = await finishWork(turn, after);
  turn.afterCommit.push(...end.events);
  return { patches: [step, ...end.patches] };
}

async function answerCalls(
  turn: Turn,
  after: SessionState,
  step: SessionPatch,
  called: CalledModel,
): Promise<NodeResult> {
  const message = called.message!;
  const calls = message.tool_calls ?? [];
  if (overLimit(after, turn.recursionLimit)) {
    return { patches: [step, { batch: { calls: calls.map((call) => call.id), answers: [] } }] };
  }
  const plan = await planBatch(turn, after, { message, invalid: called.invalid, replyOnly: false });
  turn.afterCommit.push(...plan.events);
  const patches = [step, ...plan.patches];
  const failure = applyPatches(after, plan.patches).fields.failure;
  if (failure === undefined) {
    if (!turn.isEnding()) beginCalls(turn, callsOf(after, calls, plan.tasks));
    return { patches, tasks: plan.tasks };
  }
  return routed(turn, applyPatches(after, plan.patches), patches, failure);
}

/** The tasks' calls as they are run. */
function callsOf(state: SessionState, calls: readonly ToolCall[], tasks: readonly ToolTask[]) {
  return tasks.flatMap(({ callId, tool, args }) => {
    const asked = calls.find((call) => call.id === callId);
    const key = callKey(state.fields.turnOrdinal ?? 0, callId);
    return asked ? [{ tool: tool ?? asked.name, args: args ?? asked.args, key }] : [];
  });
}

/** the call was made, so it counts as a step and a cycle of such failures ends. */
function abandoned(turn: Turn, state: SessionState, error: ModelTimeoutError): NodeResult {
  const { stepsUsed = 0, unheardCalls = 0 } = state.fields;
  const step: SessionPatch = {
    ...error.usage,
    ...turn.meter.count(usedBy(error.usage.usage, 0)),
    set: { stepsUsed: stepsUsed + 1, unheardCalls: unheardCalls + 1 },
  };
  return routed(turn, applyPatches(state, [step]), [step], error.message);
}

function failState(turn: Turn, state: SessionState, reason: string): NodeResult {
  return routed(turn, state, [], reason);
}

function routed(turn: Turn, state: SessionState, patches: SessionPatch[], reason: string): NodeResult {
  const route = routeFailure(turn.machine, state, {
    reason,
    now: turn.host.clock.now(),
    arrivalId: turn.arrival.id,
  });
  turn.afterCommit.push(...route.events);
  return { patches: [...patches, ...route.patches] };
}

/** W-264. */
function stateBlock(turn: Turn, state: SessionState, tools: readonly string[]): string {
  const { assembly, machine } = turn;
  const slug = state.fields.position ?? "";
  const variables = valuesOf(state.variables);
  return renderStateBlock({
    machine,
    state: slug,
    clock: statedClock(turn),
    trigger: state.fields.turnTrigger ?? "",
    child: turn.lineage.dispatchId !== null,
    offered: tools,
    openedIn: state.fields.openedIn ?? null,
    entryState: state.fields.entryState ?? null,
    skills: enabledSkills(machine, assembly.tables, slug).map((name) => ({
      slug: name,
      description: assembly.skillDescriptions.get(name) ?? "",
      path: assembly.skillFiles.get(name),
    })),
    mounts: reachableMounts(machine, assembly.tables, slug),
    variables: Object.keys(state.variables),
    argumentLimits: argumentLimits(machine, assembly.tables, slug, variables),
  });
}
