import { describe, expect, it } from "vitest";
import type { CaseResult } from "../cases/index.js";
import type { EngineEvent } from "../session/events.js";
import {
  caseVerdictLine,
  createStateFlowRenderer,
  createStyle,
  createTestView,
  icons,
  renderEventLine,
} from "./index.js";

const plain = createStyle({ colour: false });
const coloured = createStyle({ colour: true });

function aResult(fields: Partial<CaseResult> = {}): CaseResult {
  return { id: "late", title: "Too late", verdict: { status: "passed", failures: [] }, records: [], ...fields };
}

/** What the view writes of one case. */
function written(result: CaseResult, { events = [] as unknown[], style = plain, verbose = false } = {}): string[] {
  const lines: string[] = [];
  const view = createTestView({ style, write: (line) => lines.push(line), verbose });
  view.onCaseStart("workflows/desk/tests/late.test.yaml", "s");
  for (const event of events) view.onEvent(event as EngineEvent);
  view.onCaseResult(result);
  return lines.slice(2);
}

const USAGE = {
  type: "model-usage",
  state: "a",
  inputTokens: 1200,
  outputTokens: 80,
  cacheReadTokens: 100,
  cacheCreationTokens: 0,
};

describe("parkway/cli", () => {
  it("C-62 exports what renders events, cases and their styles", () => {
    for (const made of [renderEventLine, createStateFlowRenderer, createTestView, caseVerdictLine, createStyle]) {
      expect(made).toBeTypeOf("function");
    }
    expect(icons).toMatchObject({ ok: "✔", fail: "✖", skip: "○" });
  });
});

describe("caseVerdictLine", () => {
  it.each([
    ["passed", {}, "✔ late — Too late"],
    ["failed", { verdict: { status: "failed", failures: ["no"] } }, "✖ late — Too late"],
    [
      "skipped",
      { verdict: { status: "skipped", failures: [] }, skipReason: "later" },
      "○ late — Too late (skipped: later)",
    ],
    ["without a title", { title: undefined }, "✔ late"],
  ] as const)("C-62 C-66 %s", (_what, fields, line) => {
    expect(caseVerdictLine(aResult(fields as Partial<CaseResult>), plain)).toBe(line);
  });
});

describe("createTestView", () => {
  it("C-66 shows failures, every executed grade with its bar, and how many assertions were not executed", () => {
    const record = { threshold: null, step: 1, status: "not-executed", kind: "trail" } as const;
    const grade = { kind: "grade.closedQA", threshold: 0.7, step: 2 } as const;

    const lines = written(
      aResult({
        verdict: { status: "failed", failures: ["parked: it is not", "reply.includes: no\nlamp"] },
        records: [
          { ...grade, status: "passed", score: 0.96, detail: "Friendly\nand clear." },
          { ...grade, status: "failed", score: 0 },
          { ...grade, status: "not-executed" },
          record,
        ],
      }),
    );

    expect(lines).toEqual([
      "✖ late — Too late",
      "    parked: it is not",
      "    reply.includes: no",
      "      lamp",
      "    ⚖ grade.closedQA ██████████ 0.96 of 0.7 — Friendly and clear.",
      "    ⚖ grade.closedQA ░░░░░░░░░░ 0.00 of 0.7",
      "    2 assertion(s) not executed",
    ]);
  });

  it("C-61 C-66 colours the signs of a difference where colours are shown", () => {
    const failure = "It differs.\n-old\n+new\n same";
    const lines = written(aResult({ verdict: { status: "failed", failures: [failure] } }), { style: coloured });

    expect(lines.slice(2, 4)).toEqual([`      ${coloured.red("-old")}`, `      ${coloured.green("+new")}`]);
  });

  it("C-63 counts the tokens of each case and of all, children among them; nothing where nothing was reported", () => {
    const lines: string[] = [];
    const view = createTestView({ style: plain, write: (line) => lines.push(line) });
    const results = [aResult({ id: "one" }), aResult({ id: "two" }), aResult({ id: "three" })];
    for (const [index, result] of results.entries()) {
      view.onCaseStart(`workflows/desk/tests/${result.id}.test.yaml`);
      if (index < 2) view.onEvent({ ...USAGE, costUsd: 0.02 } as never);
      if (index === 1) view.onEvent({ ...USAGE, subWorkflowDispatchId: "1" } as never);
      view.onCaseResult(result);
    }
    view.summary({ results });

    expect(lines.filter((line) => line.startsWith("tokens"))).toEqual([
      "tokens     in 1,200 · out 80 · cache r 100/w 0 · $0.0200",
      "tokens     in 2,400 · out 160 · cache r 200/w 0 · $0.0200",
      "tokens     in 3,600 · out 240 · cache r 300/w 0 · $0.0400",
    ]);
  });

  it("C-62 tells the state flow anew for each case, and with verbose every event as a raw line", () => {
    const event = { seq: 1, level: "info", type: "state-enter", sessionId: "s", ts: "t", state: "draft" };

    expect(written(aResult(), { events: [event], verbose: true })).toEqual([
      '1 info state-enter s {"state":"draft"}',
      "▶ draft",
      "✔ late — Too late",
    ]);
    expect(written(aResult(), { events: [event] })[0]).toBe("▶ draft");
  });

  it("C-74 tells what became of a cassette", () => {
    const lines: string[] = [];
    const view = createTestView({ style: plain, write: (line) => lines.push(line) });
    const file = "late.cassette.yaml";
    view.onCaseResult(aResult(), { file, exchanges: 1 });
    view.onCaseResult(aResult(), { file, exchanges: 0 });
    view.onCaseResult(aResult(), { file, kept: "a model call failed" });

    expect(lines.filter((line) => line.startsWith("    "))).toEqual([
      "    recorded 1 exchange in late.cassette.yaml",
      "    asks no model, so it has no cassette",
      "    ⚠ late.cassette.yaml was not recorded: a model call failed",
    ]);
  });
});
