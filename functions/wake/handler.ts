/** The sweep: every session that falls due within the next minute is rung (S-58, S-59); then a little tidying (S-79). */
import { FROM_THE_START, sweepDue, type TidyCursor, tidy } from "../../lib/session/index.js";
import type { Clock, Doorbell, FileStore, SessionStore } from "../../lib/session/ports.js";
import { errorFields, type Log } from "../shared/log.js";

/** The schedule's period: what falls due before the next sweep is rung by this one, delayed to its time. */
const LOOK_AHEAD_MS = 60_000;
/** Sessions read and rung at a time. */
const BATCH = 100;
/** Objects of each kind looked at in one invocation. What is not seen today is seen tomorrow. */
const TIDIED_AT_ONCE = 200;
/** From one look at everything to the next. */
const TIDY_EVERY_MS = 3_600_000;

export interface SweepCounts {
  rung: number;
  failed: number;
  /** Milliseconds by which the oldest due mark had passed; zero when none had. */
  latenessMs: number;
}

export interface WakeDeps {
  store: SessionStore;
  files: FileStore;
  doorbell: Doorbell;
  clock: Clock;
  log: Log;
  /** Tells how late the sweep found the oldest session, and how many doorbells it rang. */
  measure(counts: SweepCounts): void;
}

/**
 * All rings are answered before it returns (F-76). Sessions past their time need nothing more: their due mark has them
 * rung, and whoever claims one deletes it (S-83).
 *
 * @throws what the store throws; the next minute sweeps again
 */
export function createWakeHandler({ store, files, doorbell, clock, log, measure }: WakeDeps) {
  const tidyNext = createTidying({ store, files });

  async function sweep(): Promise<SweepCounts> {
    const now = clock.now();
    let oldest: number | undefined;
    const watched: Pick<SessionStore, "due"> = {
      async due(before, page) {
        const entries = await store.due(before, page);
        oldest ??= entries[0]?.dueAt;
        return entries;
      },
    };
    const swept = await sweepDue(watched, doorbell, { now, lookAheadMs: LOOK_AHEAD_MS, batch: BATCH });
    return { ...swept, latenessMs: Math.max(0, now - (oldest ?? now)) };
  }

  return async (): Promise<SweepCounts> => {
    const counts = await sweep();
    measure(counts);
    if (counts.failed > 0) log.warn("Doorbells failed; the next sweep rings them again.", { failed: counts.failed });
    try {
      const removed = await tidyNext(clock.now());
      if (removed > 0) log.info("Objects that nothing names were removed.", { removed });
    } catch (error) {
      // Sweeping is what the function is for; what could not be removed is found again.
      log.warn("Tidying failed.", errorFields(error));
    }
    return counts;
  };
}

/** Goes on where the last invocation of this process stopped; a new process begins anew. */
function createTidying(stores: { store: SessionStore; files: FileStore }): (now: number) => Promise<number> {
  let from: TidyCursor = FROM_THE_START;
  let notBefore = 0;
  return async (now) => {
    if (now < notBefore) return 0;
    const { removed, next } = await tidy(stores, { now, limit: TIDIED_AT_ONCE, from });
    from = next ?? FROM_THE_START;
    if (next === null) notBefore = now + TIDY_EVERY_MS;
    return removed;
  };
}
