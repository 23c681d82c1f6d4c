/** A sink that writes CloudWatch's embedded metric format: one line of JSON for each figure. */
import type { MetricEvent, MetricSink } from "./types.js";

type Unit = "Count" | "Milliseconds";
type Line = { dimensions: Record<string, string>; values: Record<string, [value: number, unit: Unit]> };

/** CloudWatch's bound on a dimension's value, and on a namespace (EMF specification). */
const MAX_CHARS = 1_024;

/**
 * A metric sink in CloudWatch's embedded metric format. Lines go to stdout, from where a function's log makes
 * metrics of them. Dimensions are `workflow`, `model`, `tool` and `status`, whose values are few: never an id of a
 * session.
 *
 * @param options.namespace - of the metrics in CloudWatch; 1 to 1,024 characters
 * @param options.write - takes a line without its line break, in place of stdout
 * @param options.now - epoch milliseconds
 * @throws {TypeError} for a namespace that is none
 */
export function emfMetrics(options: { namespace: string; write?(line: string): void; now?(): number }): MetricSink {
  const { namespace, write = (line) => process.stdout.write(`${line}\n`), now = Date.now } = options;
  if (typeof namespace !== "string" || namespace.trim() === "" || namespace.length > MAX_CHARS) {
    throw new TypeError(`\`namespace\` must be a text of 1 to ${MAX_CHARS} characters.`);
  }
  return (metric) => {
    const { dimensions, values } = lineOf(metric);
    const metrics = Object.entries(values).map(([Name, [, Unit]]) => ({ Name, Unit }));
    const figures = Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value]));
    const directive = { Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: metrics };
    write(JSON.stringify({ _aws: { Timestamp: now(), CloudWatchMetrics: [directive] }, ...dimensions, ...figures }));
  };
}

function lineOf(metric: MetricEvent): Line {
  const { workflow, ms } = metric;
  switch (metric.event) {
    case "llm":
      return {
        dimensions: named({ workflow, model: metric.model, status: metric.status }),
        values: {
          llmCalls: [1, "Count"],
          llmTime: [ms, "Milliseconds"],
          inputTokens: [metric.inputTokens, "Count"],
          outputTokens: [metric.outputTokens, "Count"],
        },
      };
    case "tool":
      return {
        dimensions: named({ workflow, tool: metric.tool, status: toolStatus(metric) }),
        values: { toolCalls: [1, "Count"], toolTime: [ms, "Milliseconds"] },
      };
    case "run":
      return {
        dimensions: named({ workflow, status: metric.kind }),
        values: {
          runs: [1, "Count"],
          runTime: [ms, "Milliseconds"],
          runTurns: [metric.turns, "Count"],
          runToolCalls: [metric.toolCalls, "Count"],
          runTokens: [metric.totalTokens, "Count"],
        },
      };
  }
}

function toolStatus({ blocked, isError, pending }: Extract<MetricEvent, { event: "tool" }>): string {
  if (blocked) return "blocked";
  if (isError) return "error";
  return pending ? "pending" : "ok";
}

/** CloudWatch takes no empty value of a dimension. */
function named(dimensions: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dimensions).map(([name, value]) => [name, (value || "unknown").slice(0, MAX_CHARS)]),
  );
}
