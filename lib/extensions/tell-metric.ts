/** Handing metrics to a host's sink. */
import type { MetricEvent, MetricSink } from "./types.js";

/** Sinks that have been warned about; a process says it once for each. */
const warned = new WeakSet<MetricSink>();

/**
 * What a sink throws, or its promise rejects with, changes nothing for the turn: it is told once, and the sink goes on
 * getting metrics.
 *
 * @param warn - how the one warning is told
 */
export function tellMetric(sink: MetricSink | null, metric: MetricEvent, warn: (message: string) => void): void {
  if (sink === null) return;
  const report = (error: unknown) => {
    if (warned.has(sink)) return;
    warned.add(sink);
    warn(`onMetric failed, and its failures are ignored: ${error instanceof Error ? error.message : String(error)}`);
  };
  try {
    const returned: unknown = sink(metric);
    if (returned instanceof Promise) returned.catch(report);
  } catch (error) {
    report(error);
  }
}
