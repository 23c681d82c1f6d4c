/** What a function counts, as lines of its log in CloudWatch's embedded metric format (S-102). */
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { MiddlewareObj } from "@middy/core";
import { METRICS, type MetricName } from "../../lib/session/index.js";
import type { Metrics as EngineMetrics } from "../../lib/session/ports.js";

/** What the sweep tells of itself. */
const OWN_METRICS = { wakeLateness: "milliseconds", doorbellsRung: "count", doorbellsFailed: "count" } as const;

export type OwnMetric = keyof typeof OWN_METRICS;

export interface FunctionMetrics extends EngineMetrics {
  /** A figure of the function itself. */
  tell(name: OwnMetric, value: number): void;
  /** Writes what came since the last time; nothing where nothing came. */
  publish(): void;
}

/**
 * Values per workflow are kept under the service alone, which alarms read, and under the service and the workflow.
 * Namespace and service come from `POWERTOOLS_METRICS_NAMESPACE` and `POWERTOOLS_SERVICE_NAME`.
 */
export function createMetrics(): FunctionMetrics {
  const byWorkflow = new Map<string, Metrics>();

  function metricsOf(workflow: string): Metrics {
    const known = byWorkflow.get(workflow);
    if (known) return known;
    const made = new Metrics();
    if (workflow !== "") made.addDimension("workflow", workflow).addDimensions({});
    byWorkflow.set(workflow, made);
    return made;
  }

  return {
    count(name, value, { workflow }) {
      metricsOf(workflow).addMetric(name, unitOf(METRICS[name as MetricName]), value);
    },
    tell(name, value) {
      metricsOf("").addMetric(name, unitOf(OWN_METRICS[name]), value);
    },
    publish() {
      for (const metrics of byWorkflow.values()) metrics.publishStoredMetrics();
      byWorkflow.clear();
    },
  };
}

/** F-76: what was counted is written before the function returns, whatever came of it. */
export function publishing(metrics: FunctionMetrics): MiddlewareObj {
  const publish = () => metrics.publish();
  return { after: publish, onError: publish };
}

function unitOf(unit: "count" | "milliseconds" | undefined) {
  return unit === "milliseconds" ? MetricUnit.Milliseconds : MetricUnit.Count;
}
