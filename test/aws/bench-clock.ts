/** The time of the AWS bench: the system's, moved ahead as far as a test says. The functions live in the same time. */
export interface BenchClock {
  /** Epoch milliseconds. */
  now(): number;
  /** How far this time is ahead of the system's, in milliseconds. */
  offsetMs(): number;
  advance(ms: number): void;
  /** Told after every move. */
  onAdvance(listener: () => void): void;
  /** Calls back once the time has come, by itself or by being moved. @returns what takes it back */
  at(time: number, callback: () => void): () => void;
}

/** Timers beyond this would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

export function benchClock(): BenchClock {
  let offset = 0;
  const listeners: (() => void)[] = [];
  const waiting = new Set<{ time: number; callback: () => void; timer?: NodeJS.Timeout }>();
  const now = () => Date.now() + offset;

  function look(entry: typeof waiting extends Set<infer Entry> ? Entry : never): void {
    clearTimeout(entry.timer);
    const left = entry.time - now();
    if (left > 0) {
      entry.timer = setTimeout(() => look(entry), Math.min(left, LONGEST_TIMER_MS));
      entry.timer.unref();
      return;
    }
    if (waiting.delete(entry)) entry.callback();
  }

  return {
    now,
    offsetMs: () => offset,
    advance(ms) {
      offset += ms;
      for (const listener of listeners) listener();
      for (const entry of [...waiting].sort((a, b) => a.time - b.time)) look(entry);
    },
    onAdvance: (listener) => void listeners.push(listener),
    at(time, callback) {
      const entry: Parameters<typeof look>[0] = { time, callback };
      waiting.add(entry);
      look(entry);
      return () => {
        waiting.delete(entry);
        clearTimeout(entry.timer);
      };
    },
  };
}
