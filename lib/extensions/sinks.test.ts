import { describe, expect, it, vi } from "vitest";
import { emfMetrics, prometheusRegistry } from "./index.js";
import type { MetricEvent } from "./types.js";

const names = { sessionId: "secret-session", workflow: "refund" };
const llm = (more: object = {}): MetricEvent => ({
  event: "llm",
  model: "m1",
  status: "ok",
  ms: 120,
  inputTokens: 10,
  outputTokens: 3,
  state: "work",
  ...names,
  ...more,
});
const tool = (more: object = {}): MetricEvent => ({
  event: "tool",
  tool: "pay",
  source: "host",
  isError: false,
  blocked: false,
  ms: 40,
  state: "work",
  ...names,
  ...more,
});
const run = (more: object = {}): MetricEvent => ({
  event: "run",
  model: "m1",
  turns: 2,
  toolCalls: 1,
  totalTokens: 13,
  ms: 300,
  kind: "completed",
  ...names,
  ...more,
});

describe("emfMetrics", () => {
  const written = (...metrics: MetricEvent[]) => {
    const lines: string[] = [];
    const sink = emfMetrics({ namespace: "shop", write: (line) => lines.push(line), now: () => 1_000 });
    for (const metric of metrics) sink(metric);
    return lines;
  };

  it("A-45 writes one line of the embedded metric format for each figure", () => {
    const [line] = written(llm());

    expect(JSON.parse(line!)).toEqual({
      _aws: {
        Timestamp: 1_000,
        CloudWatchMetrics: [
          {
            Namespace: "shop",
            Dimensions: [["workflow", "model", "status"]],
            Metrics: [
              { Name: "llmCalls", Unit: "Count" },
              { Name: "llmTime", Unit: "Milliseconds" },
              { Name: "inputTokens", Unit: "Count" },
              { Name: "outputTokens", Unit: "Count" },
            ],
          },
        ],
      },
      workflow: "refund",
      model: "m1",
      status: "ok",
      llmCalls: 1,
      llmTime: 120,
      inputTokens: 10,
      outputTokens: 3,
    });
    expect(line).not.toContain("\n");
  });

  it("A-45 has dimensions of few values, and no id of a session anywhere", () => {
    const all = [
      llm({ model: undefined }),
      tool(),
      tool({ blocked: true, isError: true }),
      tool({ isError: true }),
      tool({ pending: true }),
      run(),
      run({ kind: "error", error: "down" }),
    ];

    const lines = written(...all).map((line) => JSON.parse(line));

    const dimensions = lines.map(({ _aws }) => _aws.CloudWatchMetrics[0].Dimensions[0]);
    expect(new Set(dimensions.flat())).toEqual(new Set(["workflow", "model", "tool", "status"]));
    expect(lines.map(({ status }) => status)).toEqual([
      "ok",
      "ok",
      "blocked",
      "error",
      "pending",
      "completed",
      "error",
    ]);
    expect(lines[0].model).toBe("unknown");
    expect(JSON.stringify(lines)).not.toContain("secret-session");
    for (const line of lines) {
      const { Dimensions, Metrics } = line._aws.CloudWatchMetrics[0];
      for (const name of [...Dimensions[0], ...Metrics.map(({ Name }: { Name: string }) => Name)]) {
        expect(line).toHaveProperty(name);
      }
    }
  });

  it("A-45 goes to stdout", () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    emfMetrics({ namespace: "shop" })(run());
    const [[line]] = write.mock.calls as [[string]];
    write.mockRestore();

    expect(line).toMatch(/^\{"_aws".*\}\n$/);
  });

  it.each([[""], [" "], [undefined]])("A-45 refuses the namespace %j", (namespace) => {
    expect(() => emfMetrics({ namespace: namespace as string })).toThrow(TypeError);
  });
});

describe("prometheusRegistry", () => {
  it("A-83 has all families, in order, before anything happened", () => {
    const text = prometheusRegistry().text();

    expect(text.split("\n").filter((line) => line.startsWith("# TYPE"))).toEqual([
      "# TYPE parkway_llm_requests_total counter",
      "# TYPE parkway_llm_tokens_total counter",
      "# TYPE parkway_llm_request_duration_seconds histogram",
      "# TYPE parkway_tool_calls_total counter",
      "# TYPE parkway_tool_duration_seconds histogram",
      "# TYPE parkway_run_errors_total counter",
    ]);
    expect(text.split("\n").filter((line) => line.startsWith("# HELP"))).toHaveLength(6);
    expect(text.endsWith("\n") && !text.endsWith("\n\n")).toBe(true);
  });

  it("A-45 A-83 counts, with series sorted by their labels and cumulative histograms in seconds", () => {
    const registry = prometheusRegistry();
    for (const metric of [
      llm({ model: "z" }),
      llm({ ms: 50 }),
      llm({ ms: 61_000, status: "error", inputTokens: 0, outputTokens: 0 }),
      tool(),
      tool({ isError: true, blocked: true, ms: 0 }),
      tool({ tool: "ask", source: "mcp", ms: 700 }),
      run(),
      run({ kind: "failed" }),
      run({ kind: "error", error: "down" }),
    ]) {
      registry.onMetric(metric);
    }

    const series = registry
      .text()
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));

    expect(series).toEqual([
      'parkway_llm_requests_total{model="m1",status="error"} 1',
      'parkway_llm_requests_total{model="m1",status="ok"} 1',
      'parkway_llm_requests_total{model="z",status="ok"} 1',
      'parkway_llm_tokens_total{type="input"} 20',
      'parkway_llm_tokens_total{type="output"} 6',
      ...histogram("parkway_llm_request_duration_seconds", 'model="m1"', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], 61.05),
      ...histogram("parkway_llm_request_duration_seconds", 'model="z"', [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0.12),
      'parkway_tool_calls_total{tool="ask",source="mcp",is_error="false"} 1',
      'parkway_tool_calls_total{tool="pay",source="host",is_error="false"} 1',
      'parkway_tool_calls_total{tool="pay",source="host",is_error="true"} 1',
      ...histogram("parkway_tool_duration_seconds", 'tool="ask"', [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1], 0.7),
      ...histogram("parkway_tool_duration_seconds", 'tool="pay"', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0.04),
      'parkway_run_errors_total{model="m1"} 1',
    ]);
  });

  it("A-83 escapes what a label may not hold", () => {
    const registry = prometheusRegistry();
    registry.onMetric(run({ model: 'a\\b"c\nd', kind: "error" }));

    expect(registry.text()).toContain('parkway_run_errors_total{model="a\\\\b\\"c\\nd"} 1\n');
  });
});

const BOUNDS = ["0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf"];

function histogram(name: string, label: string, counts: number[], sum: number): string[] {
  return [
    ...BOUNDS.map((bound, index) => `${name}_bucket{${label},le="${bound}"} ${counts[index]}`),
    `${name}_sum{${label}} ${sum}`,
    `${name}_count{${label}} ${counts.at(-1)}`,
  ];
}
