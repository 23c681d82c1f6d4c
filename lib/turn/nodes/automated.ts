/** The run of a code or grader state, settled in exactly one way (R-131…R-142). */
import { stopAtLimit } from "../../session/completion.js";
import type { EventDraft } from "../../session/events.js";
import { applyPatches } from "../../session/fold.js";
import { automatedAdvance, raiseEnd, routeFailure } from "../../session/moves.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { runCode } from "../automated/code.js";
import { closeRun, type RunEnd } from "../automated/run-end.js";
import { finishWork } from "../finish.js";
import { runGrader } from "../grader/loop.js";
import type { Turn, TurnNode } from "../types.js";

export const automatedNode: TurnNode = async (turn, state) => {
  const slug = state.fields.position ?? "";
  const kind = turn.machine.states.get(slug)!.type === "grader" ? "grader" : "code";
  const run = kind === "grader" ? await runGrader(turn, state) : await runCode(turn, state);
  turn.signal.throwIfAborted();
  turn.writer.assertOwned();
  const { effects } = run;
  const patches = [stepOf(turn, state, run), ...effects.written];
  const end = await settle(turn, applyPatches(state, patches), { ...run, kind });
  turn.afterCommit.push(
    ...effects.events,
    {
      type: `${kind}-result`,
      state: slug,
      status: end.reason === undefined ? "ok" : "error",
      durationMs: turn.host.clock.now() - run.startedAt,
      ...(end.reason !== undefined ? { reason: end.reason } : {}),
    },
    ...end.events,
  );
  return { patches: [...patches, ...end.patches] };
};

function stepOf(turn: Turn, state: SessionState, { steps, modelCalls, trail, used }: RunEnd): SessionPatch {
  const { fields } = state;
  const closed = closeRun(turn.writer, state);
  return {
    ...closed,
    ...(trail.length > 0 ? { trail } : {}),
    ...turn.meter.kept(used),
    set: {
      ...closed.set,
      stepsUsed: (fields.stepsUsed ?? 0) + steps,
      ...(modelCalls ? { unheardCalls: (fields.unheardCalls ?? 0) + modelCalls } : {}),
      ranVisit: fields.visit ?? 0,
    },
  };
}

/** a raise outranks an error, an error discards an accepted advance. */
async function settle(
  turn: Turn,
  after: SessionState,
  { effects, problem, kind, limit }: RunEnd & { kind: "code" | "grader" },
): Promise<{ patches: SessionPatch[]; events: EventDraft[]; reason?: string }> {
  const { machine, host, arrival } = turn;
  const moment = { now: host.clock.now(), arrivalId: arrival.id };
  const { decision } = effects;
  if (limit) return { ...stopAtLimit(after, limit), reason: limit.reason };
  if (decision?.kind === "raise") {
    const end = raiseEnd(after, decision);
    return { patches: [{ set: end.set }], events: end.events, ...(problem !== null ? { reason: problem } : {}) };
  }
  if (problem !== null) return { ...routeFailure(machine, after, { ...moment, reason: problem }), reason: problem };
  if (decision) return automatedAdvance(machine, after, { ...moment, ...decision, kind });
  return finishWork(turn, after);
}
