/** Figures of a long-lived host as the text that Prometheus scrapes. */
import type { MetricEvent, MetricSink } from "./types.js";

/** Counts metrics and renders them as the text that a scrape gets. */
export interface PrometheusRegistry {
  onMetric: MetricSink;
  /** The text exposition format, version 0.0.4. */
  text(): string;
}

/** In seconds; the last bucket is without bound. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, Number.POSITIVE_INFINITY];

/**
 * A metric sink for Prometheus. Counts in this process alone. Of use where the process lives on between scrapes,
 * so not in a function.
 *
 * @example
 * const metrics = prometheusRegistry();
 * await createAgent({ workflow: "refund", onMetric: metrics.onMetric });
 * server.get("/metrics", (_, response) => response.type("text/plain").send(metrics.text()));
 */
export function prometheusRegistry(): PrometheusRegistry {
  const requests = new Counter("parkway_llm_requests_total", "Model calls.");
  const tokens = new Counter("parkway_llm_tokens_total", "Tokens of model calls.");
  const requestTime = new Histogram("parkway_llm_request_duration_seconds", "Time of a model call.");
  const calls = new Counter("parkway_tool_calls_total", "Tool calls, refused ones included.");
  const callTime = new Histogram("parkway_tool_duration_seconds", "Time of a tool call that ran.");
  const errors = new Counter("parkway_run_errors_total", "Turns that failed with an error.");

  const count: { [E in MetricEvent["event"]]: (metric: Extract<MetricEvent, { event: E }>) => void } = {
    llm({ model = UNKNOWN, status, ms, inputTokens, outputTokens }) {
      requests.add({ model, status });
      tokens.add({ type: "input" }, inputTokens);
      tokens.add({ type: "output" }, outputTokens);
      requestTime.observe({ model }, ms);
    },
    tool({ tool, source, isError, blocked, ms }) {
      calls.add({ tool, source, is_error: String(isError) });
      if (!blocked) callTime.observe({ tool }, ms);
    },
    run({ model = UNKNOWN, kind }) {
      if (kind === "error") errors.add({ model });
    },
  };
  const families = [requests, tokens, requestTime, calls, callTime, errors];
  return {
    onMetric: (metric) => (count[metric.event] as (metric: MetricEvent) => void)(metric),
    text: () => families.map((family) => family.text()).join(""),
  };
}

const UNKNOWN = "unknown";

type Labels = Record<string, string>;

class Counter {
  private readonly series = new Map<string, number>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  add(labels: Labels, value = 1): void {
    const key = rendered(labels);
    this.series.set(key, (this.series.get(key) ?? 0) + value);
  }

  text(): string {
    const lines = sorted(this.series).map(([labels, value]) => `${this.name}{${labels}} ${value}\n`);
    return `${heading(this.name, this.help, "counter")}${lines.join("")}`;
  }
}

class Histogram {
  private readonly series = new Map<string, { counts: number[]; sumMs: number }>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  observe(labels: Labels, ms: number): void {
    const key = rendered(labels);
    const known = this.series.get(key) ?? { counts: BUCKETS.map(() => 0), sumMs: 0 };
    this.series.set(key, known);
    known.sumMs += ms;
    BUCKETS.forEach((bound, index) => {
      if (ms / 1_000 <= bound) known.counts[index]! += 1;
    });
  }

  text(): string {
    const { name } = this;
    const lines = sorted(this.series).flatMap(([labels, { counts, sumMs }]) => [
      ...BUCKETS.map((bound, index) => {
        const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
        return `${name}_bucket{${labels},le="${le}"} ${counts[index]}\n`;
      }),
      `${name}_sum{${labels}} ${sumMs / 1_000}\n`,
      `${name}_count{${labels}} ${counts.at(-1)}\n`,
    ]);
    return `${heading(name, this.help, "histogram")}${lines.join("")}`;
  }
}

function heading(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function rendered(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function sorted<T>(series: ReadonlyMap<string, T>): [labels: string, value: T][] {
  return [...series].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
