/** One sweep on one machine: every session that is due now is worked on (S-59, F-21…F-28). */
import { sweepDue } from "../session/index.js";
import type { Host } from "../turn/types.js";
import { workSession } from "../turn/worker.js";

const SWEEP_BATCH = 100;
/** Sessions worked on at a time: most of a wake-up is waiting for the model. */
const PARALLEL = 64;

/** @returns how many sessions were due, and how many parks were woken here */
export async function wakeDue(host: Host): Promise<{ due: number; woken: number }> {
  const due: string[] = [];
  const collect = {
    ring: async (sessionId: string) => {
      due.push(sessionId);
    },
  };
  await sweepDue(host.store, collect, { now: host.clock.now(), lookAheadMs: 0, batch: SWEEP_BATCH });
  let woken = 0;
  const waiting = [...due];
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const report = await workSession(host, next).catch(() => null);
        woken +=
          report?.settled.filter((settled) => settled.arrivalId.startsWith("wake-") && settled.outcome).length ?? 0;
      }
    }),
  );
  return { due: due.length, woken };
}
