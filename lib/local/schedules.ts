/** The schedules of a deployment on one machine: which are due, and when each fires next. */
import type { ScheduleConfig } from "../config/index.js";
import { nextFiring } from "./schedule.js";

export interface Schedules {
  /**
   * Fires what is due at `now`. Of the times that passed unseen, while the machine slept, only the last one fires. A firing
   * that fails stays due.
   */
  run(now: number): Promise<void>;
  /** Each schedule's next time in epoch milliseconds; null where none is left. */
  next(): Readonly<Record<string, number | null>>;
}

export interface SchedulesOptions {
  schedules: Readonly<Record<string, ScheduleConfig>>;
  /** Times after this one count. */
  since: number;
  /** @param firing.at - the scheduled time, ISO 8601 in UTC without fractions */
  fire(firing: { name: string; schedule: ScheduleConfig; at: string }): Promise<void>;
  failed(name: string, error: unknown): void;
}

export function createSchedules({ schedules, since, fire, failed }: SchedulesOptions): Schedules {
  const next = new Map<string, number | null>();
  for (const [name, { schedule, timeZone }] of Object.entries(schedules)) {
    next.set(name, nextFiring(schedule, timeZone, since));
  }

  return {
    async run(now) {
      for (const [name, due] of next) {
        const schedule = schedules[name];
        if (due === null || due > now || !schedule) continue;
        const [last, later] = lastOf(schedule, due, now);
        try {
          await fire({ name, schedule, at: new Date(last).toISOString().replace(".000Z", "Z") });
          next.set(name, later);
        } catch (error) {
          failed(name, error);
        }
      }
    },
    next: () => Object.fromEntries(next),
  };
}

/** The last time that is not after `now`, and the one that follows it. */
function lastOf({ schedule, timeZone }: ScheduleConfig, due: number, now: number): [number, number | null] {
  let last = due;
  let later = nextFiring(schedule, timeZone, last);
  while (later !== null && later <= now) {
    last = later;
    later = nextFiring(schedule, timeZone, last);
  }
  return [last, later];
}
