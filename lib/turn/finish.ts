/** How work that has come to its end is finished: judged first where the workflow has a completion gate. */
import { modelCallsIn, runMessages, runOf } from "../session/attempts.js";
import { completeTurn, stopAtLimit } from "../session/completion.js";
import type { Step } from "../session/moves.js";
import type { SessionState } from "../session/state.js";
import { returnedFileIssue } from "./file-facts.js";
import type { ReachedLimit } from "./meter.js";
import type { NodeResult, Turn } from "./types.js";

/**
 * With a gate the check is only made due: the work is committed first, so that a check that takes long, or a process that
 * dies in it, costs no model call. An automated state's finish is judged where an agent has had a part in the run.
 */
export async function finishWork(turn: Turn, state: SessionState): Promise<Step> {
  const isAgents = turn.machine.states.get(state.fields.position ?? "")?.automated !== true;
  const isAnswered = isAgents || modelCallsIn(runMessages(state)) > 0;
  if (turn.assembly.extensions.completion === null || !isAnswered) return complete(turn, state);
  return { patches: [{ set: { run: { ...runOf(state.fields), due: true } } }], events: [] };
}

/** The returns are checked, and the session ends. */
export async function complete(turn: Turn, state: SessionState): Promise<Step> {
  const fileIssue = await returnedFileIssue(turn, state);
  return completeTurn(turn.machine, state, {
    now: turn.host.clock.now(),
    isChild: turn.lineage.dispatchId !== null,
    ...(fileIssue !== null ? { fileIssue } : {}),
  });
}

/** the model call that was due is not made. */
export function atLimit(turn: Turn, state: SessionState, reached: ReachedLimit): NodeResult {
  const { patches, events } = stopAtLimit(state, reached);
  turn.afterCommit.push(...events);
  return { patches };
}
