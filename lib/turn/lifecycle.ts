/** The lifecycle events that settling one leg tells (S-97, N-47). */
import type { Arrival, DeadLetter } from "../session/arrival.js";
import type { LifecycleEvent } from "../session/lifecycle.js";
import { storedOutcomeOf } from "../session/outcome.js";
import type { Turn } from "./types.js";

/** None where the host has no bus to publish them on. */
export function lifecycleEvents(turn: Turn, given?: { deadLetter: DeadLetter }): LifecycleEvent[] {
  if (!turn.host.bus) return [];
  const { state } = turn.writer;
  const outcome = storedOutcomeOf(state);
  const { disposition, kind, status, exit, rejected, parkedChannel, pending } = outcome;
  const drafts: [LifecycleEvent["type"], Record<string, unknown>][] = [];
  if (disposition === "turn" && status !== "rejected") drafts.push(["turn-started", { disposition }]);
  if (given) {
    drafts.push(["dead-lettered", { deadLetterId: given.deadLetter.id, code: "gave-up" }]);
  } else {
    if (pending) {
      drafts.push([
        "parked",
        {
          awaiting: parkedChannel,
          parkId: pending.parkId,
          ...(pending.channel === "input" ? { reason: pending.reason } : {}),
          ...(pending.channel === "input" && pending.resumeAt ? { resumeAt: pending.resumeAt } : {}),
        },
      ]);
    }
    drafts.push(["turn-settled", { kind, parkedChannel, exit, rejected }]);
  }
  const at = turn.host.clock.now();
  return drafts.map(([type, detail], index) => ({
    id: `${turn.sessionId}/${state.fields.turnOrdinal ?? 0}/${turn.arrival.id}/${index + 1}`,
    type,
    sessionId: turn.sessionId,
    workflow: turn.arrival.workflow,
    at,
    detail: {
      ...ofArrival(turn.arrival),
      ...(outcome.state !== undefined ? { state: outcome.state } : {}),
      ...detail,
    },
  }));
}

/** What every event tells of its arrival. By `hops` an entrance bounds chains of sessions (F-75). */
export function ofArrival({ id, hops }: Arrival): Record<string, unknown> {
  return { turnId: id, ...(hops ? { hops } : {}) };
}
