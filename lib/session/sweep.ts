/** The sweep: rings every session that falls due (S-58, S-64, F-21, F-22). Correctness needs nothing else to find work. */
import type { Doorbell, DueEntry, SessionStore } from "./ports.js";

export interface SweepResult {
  /** Doorbells rung. */
  rung: number;
  /** Sessions whose doorbell failed; the next sweep finds them again. */
  failed: number;
}

/**
 * Rings the doorbell of each session due by `now + lookAheadMs`, delayed to its exact time. Pages, so a backlog of any
 * size is worked off; one session's failure does not stop the others (F-28).
 *
 * @param options.batch - sessions read and rung at a time
 * @throws what the store throws when a page cannot be read; the next sweep begins again
 */
export async function sweepDue(
  store: Pick<SessionStore, "due">,
  doorbell: Doorbell,
  options: { now: number; lookAheadMs: number; batch: number },
): Promise<SweepResult> {
  const { now, lookAheadMs, batch } = options;
  const result: SweepResult = { rung: 0, failed: 0 };
  let after: DueEntry | undefined;
  while (true) {
    const entries: DueEntry[] = await store.due(now + lookAheadMs, { limit: batch, after });
    const rings = await Promise.allSettled(entries.map((entry) => ringAt(doorbell, entry, now)));
    for (const ring of rings) result[ring.status === "fulfilled" ? "rung" : "failed"] += 1;
    after = entries.at(-1);
    if (entries.length < batch || after === undefined) return result;
  }
}

async function ringAt(doorbell: Doorbell, { sessionId, dueAt }: DueEntry, now: number): Promise<void> {
  await doorbell.ring(sessionId, dueAt > now ? { delayMs: dueAt - now } : {});
}
