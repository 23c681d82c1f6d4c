/** What is counted of a deployment (S-102), per workflow. */
import type { StoredOutcome } from "./arrival.js";
import type { Metrics, Settlement } from "./ports.js";

/** Every name that is counted, with the unit of its values. `accepted` and `duplicates` are the entrance's. */
export const METRICS = {
  accepted: "count",
  /** Arrivals whose key was known (S-3). */
  duplicates: "count",
  settledCompleted: "count",
  settledParked: "count",
  settledFailed: "count",
  settledRejected: "count",
  /** Refused under the lease (S-8); refused firings leave a dead letter besides (S-18). */
  settledRefused: "count",
  superseded: "count",
  dead: "count",
  /** Times an arrival was taken up, the first one included (S-89). */
  attempts: "count",
  /** One model call, script or tool call. */
  stepTime: "milliseconds",
  handOvers: "count",
  /** From a park's time to its wake-up being taken up the first time. */
  wakeDelay: "milliseconds",
  leaseLosses: "count",
  /** Tool calls of which nobody knows whether they took effect (S-41). */
  unknownOutcomes: "count",
} as const;

export type MetricName = keyof typeof METRICS;

/** Counts where there is something to count with; a failing count is no failure of what is counted. */
export function count(metrics: Metrics | undefined, name: MetricName, workflow: string, value = 1): void {
  try {
    metrics?.count(name, value, { workflow });
  } catch {
    // Nothing is told: a turn is worth more than its figures.
  }
}

const KINDS = {
  completed: "settledCompleted",
  parked: "settledParked",
  failed: "settledFailed",
  rejected: "settledRejected",
} as const satisfies Record<StoredOutcome["kind"], MetricName>;

/** What a settlement counts as; null for a wake-up that had nothing left to wake. */
export function settledAs({ status, outcome }: Pick<Settlement, "status" | "outcome">): MetricName | null {
  if (status === "dead" || status === "superseded") return status;
  if (status === "refused") return "settledRefused";
  return outcome === undefined ? null : KINDS[outcome.kind];
}
