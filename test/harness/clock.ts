/** A clock that stands until it is moved. */
import type { Clock } from "../../lib/session/ports.js";

export interface ManualClock extends Clock {
  /** Moves the time and wakes whoever slept until then, in order. */
  advance(ms: number): void;
}

export function manualClock(startAt = Date.UTC(2026, 2, 20, 9)): ManualClock {
  let now = startAt;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          resolve();
        });
      }),
    advance(ms) {
      now += ms;
      const due = sleepers.filter((sleeper) => sleeper.at <= now).sort((a, b) => a.at - b.at);
      sleepers = sleepers.filter((sleeper) => sleeper.at > now);
      for (const sleeper of due) sleeper.wake();
    },
  };
}
