/** Children of a turn that ends before they were run on in this leg (R-307, S-20, S-91). */
import { isStoreFailure } from "../../session/errors.js";
import { applyPatches } from "../../session/fold.js";
import { loadState } from "../../session/load-state.js";
import { childSessionId, MANUAL_TRIGGER } from "../../spec/index.js";
import { openDispatches } from "../journal.js";
import type { Turn } from "../types.js";
import { runChild } from "./child-leg.js";

/**
 * An earlier invocation had left them in the middle of their work. Each is claimed and ends as the turn does, with those
 * that it has called; a child that is parked stays so.
 *
 * @param signal - an aborted one, for a turn that ends otherwise than by its own
 */
export async function cancelChildren(turn: Turn, signal?: AbortSignal): Promise<void> {
  for (const sessionId of unfinishedChildren(turn)) {
    try {
      await cancelChild(turn, sessionId, signal);
    } catch (error) {
      // What ends the turn ends its child; where the stores fail, neither has ended yet (S-94).
      if (error !== turn.signal.reason && isStoreFailure(error)) turn.writer.lose(error);
    }
  }
}

async function cancelChild(turn: Turn, sessionId: string, runSignal: AbortSignal | undefined): Promise<void> {
  const child = await loadState(turn.host.store, sessionId);
  const { status, arrivalId = "" } = child?.state.fields ?? {};
  if (!child || status !== "running") return;
  const { workflow, createdAt } = child.record;
  await runChild(turn, {
    dispatchId: sessionId.slice(turn.lineage.root.length + 1),
    arrival: { id: arrivalId, sessionId, seq: 0, source: "delegation", workflow, acceptedAt: createdAt },
    ...(runSignal ? { runSignal } : {}),
    // What had reached it is not applied again.
    input: async () => ({ kind: "turn", trigger: MANUAL_TRIGGER }),
  });
}

function unfinishedChildren({ sessionId, writer }: Turn): string[] {
  const { batch, fields } = applyPatches(writer.state, writer.pendingPatches());
  const answered = new Set(batch?.answers.map(({ callId }) => callId));
  const asked = (batch?.tasks ?? []).flatMap(({ callId, dispatch }) =>
    dispatch === undefined || answered.has(callId) ? [] : dispatch,
  );
  const numbers = [...asked, ...openDispatches(writer)];
  const presented = fields.childInput ? (fields.pendingDelegations?.slice(0, 1) ?? []) : [];
  return [...numbers.map((number) => childSessionId(sessionId, number)), ...presented.map((entry) => entry.sessionId)];
}
