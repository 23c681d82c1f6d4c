/** What happens by itself on one machine: what falls due is rung, schedules fire. Everything is read from the store (F-87). */
import { sweepDue } from "../session/index.js";
import type { Clock, Doorbell, SessionStore } from "../session/ports.js";
import type { Schedules } from "./schedules.js";

/** A wake-up is this late at most; looking costs one indexed read. */
const PERIOD_MS = 1_000;
const BATCH = 100;

export interface TickerOptions {
  store: Pick<SessionStore, "due">;
  doorbell: Doorbell;
  schedules: Schedules;
  clock: Clock;
  /** Told what a tick failed with; the next one tries again. */
  failed(error: unknown): void;
}

export interface Ticker {
  /** Looks now. */
  tick(): Promise<void>;
  /** Resolves when the tick under way has ended. */
  close(): Promise<void>;
}

/** Looks at once, and every second from then on. */
export function startTicker({ store, doorbell, schedules, clock, failed }: TickerOptions): Ticker {
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const now = clock.now();
    try {
      await sweepDue(store, doorbell, { now, lookAheadMs: 0, batch: BATCH });
      await schedules.run(now);
    } catch (error) {
      failed(error);
    }
  }

  /** One after the other: a schedule fires once. */
  function tick(): Promise<void> {
    last = last.then(look);
    return last;
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      await tick();
      await clock.sleep(PERIOD_MS, closing.signal);
    }
  }

  const running = run();
  return {
    tick,
    async close() {
      closing.abort();
      await running;
      await last;
    },
  };
}
