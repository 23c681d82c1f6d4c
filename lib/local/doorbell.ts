/** The doorbell on one machine: a queue in the process that works on each session once at a time (S-13, S-22). */
import type { Clock, Doorbell } from "../session/ports.js";

export interface LocalDoorbell extends Doorbell {
  /** Resolves when no session is worked on or waits to be. Rings that are delayed still are not waited for. */
  idle(): Promise<void>;
  /** Takes no more rings, forgets those that wait, and resolves when what is under way has ended. */
  close(): Promise<void>;
}

export interface LocalDoorbellOptions {
  /** Works on a session until nothing is left to do. What it throws is told to `failed`: the due mark brings it back. */
  work(sessionId: string): Promise<void>;
  failed(sessionId: string, error: unknown): void;
  clock: Pick<Clock, "sleep">;
  /** Sessions worked on at a time; most of a turn is waiting for the model. */
  parallel?: number;
}

/** A ring for a session that is worked on has it looked at once more afterwards; more such rings say nothing new. */
export function createLocalDoorbell(options: LocalDoorbellOptions): LocalDoorbell {
  const { work, failed, clock, parallel = 32 } = options;
  const waiting = new Set<string>();
  const running = new Set<string>();
  const closing = new AbortController();
  let quiet: { promise: Promise<void>; resolve: () => void } | null = null;

  function start(): void {
    for (const sessionId of waiting) {
      if (running.size >= parallel) break;
      if (running.has(sessionId)) continue;
      waiting.delete(sessionId);
      running.add(sessionId);
      void work(sessionId)
        .catch((error: unknown) => failed(sessionId, error))
        .finally(() => {
          running.delete(sessionId);
          start();
        });
    }
    if (running.size > 0 || waiting.size > 0) return;
    quiet?.resolve();
    quiet = null;
  }

  function take(sessionId: string): void {
    if (closing.signal.aborted) return;
    waiting.add(sessionId);
    start();
  }

  async function idle(): Promise<void> {
    if (running.size === 0 && waiting.size === 0) return;
    quiet ??= Promise.withResolvers<void>();
    return quiet.promise;
  }

  return {
    async ring(sessionId, { delayMs = 0 } = {}) {
      if (delayMs <= 0) take(sessionId);
      else void clock.sleep(delayMs, closing.signal).then(() => take(sessionId));
    },
    idle,
    close() {
      closing.abort();
      waiting.clear();
      return idle();
    },
  };
}
