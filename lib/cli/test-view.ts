/** How a run of test cases looks on stderr (C-62, C-63, C-66). */
import type { AssertionRecord, CaseResult, RunTestsResult } from "../cases/index.js";
import { addUsage, emptyUsage, formatUsage, hasUsage } from "../models/index.js";
import { renderEventLine } from "../session/event-line.js";
import type { EngineEvent, EventHandler } from "../session/events.js";
import type { Usage } from "../session/state.js";
import { createStateFlowRenderer } from "./state-flow.js";
import { icons, type Style } from "./style.js";

/** Where `createTestView` writes, and how much. */
export interface TestViewOptions {
  style: Style;
  /** Takes one line, without its line break. */
  write(line: string): void;
  /** Also one raw line per event. */
  verbose?: boolean;
}

/** What became of a case's cassette while recording. */
export type RecordedNote = { file: string; exchanges: number } | { file: string; kept: string };

/** Handlers that show a run of cases. They fit `runTests` and may be taken off the object. */
export interface TestView {
  onEvent: EventHandler;
  /** @param replayed - the cassette that answers in place of a model */
  onCaseStart(file: string, sessionId?: string, replayed?: string): void;
  onCaseResult(result: CaseResult, recorded?: RecordedNote): void;
  /** All cases once more, and the tokens of all. */
  summary(result: Pick<RunTestsResult, "results">): void;
  /** How long a case took; 0 for one that was not seen. */
  secondsOf(id: string): number;
}

/** A view of a run of cases as `parkway test` shows it on stderr (C-66). */
export function createTestView({ style, write, verbose = false }: TestViewOptions): TestView {
  let flow: EventHandler = () => {};
  let usage = emptyUsage();
  let total = emptyUsage();
  let startedAt = 0;
  const seconds = new Map<string, number>();
  const tokens = (label: string, counted: Usage) => {
    if (hasUsage(counted)) write(`${style.dim(label)}     ${formatUsage(counted)}`);
  };
  return {
    onEvent(event: EngineEvent) {
      if (verbose) write(style.dim(renderEventLine(event)));
      if (event.type === "model-usage") usage = addUsage(usage, event);
      flow(event);
    },
    onCaseStart(file, _sessionId, replayed) {
      startedAt = performance.now();
      usage = emptyUsage();
      flow = createStateFlowRenderer({ style, write });
      write("");
      write(`${style.bold(`── ${caseName(file)}`)}${replayed === undefined ? "" : style.dim(" (recorded replies)")}`);
    },
    onCaseResult(result, recorded) {
      seconds.set(result.id, (performance.now() - startedAt) / 1000);
      write(caseVerdictLine(result, style));
      for (const line of detailLines(result, style)) write(`    ${line}`);
      if (recorded !== undefined) write(`    ${recordedLine(recorded, style)}`);
      tokens("tokens", usage);
      total = addUsage(total, usage);
    },
    summary({ results }) {
      write("");
      for (const result of results) write(caseVerdictLine(result, style));
      tokens("tokens", total);
    },
    secondsOf: (id) => seconds.get(id) ?? 0,
  };
}

/**
 * The line that tells what became of a case, `✔ refunds/veto — A veto ends the case`; the mark says passed, failed or
 * skipped, of which the reason follows.
 */
export function caseVerdictLine(
  { id, title, verdict, skipReason }: Pick<CaseResult, "id" | "title" | "verdict" | "skipReason">,
  style: Style,
): string {
  const mark = { passed: style.green(icons.ok), failed: style.red(icons.fail), skipped: style.yellow(icons.skip) };
  const name = title === undefined ? id : `${id} — ${title}`;
  return `${mark[verdict.status]} ${name}${skipReason === undefined ? "" : style.dim(` (skipped: ${skipReason})`)}`;
}

function detailLines({ verdict, records }: CaseResult, style: Style): string[] {
  const left = records.filter(({ status }) => status === "not-executed").length;
  return [
    ...verdict.failures.flatMap((failure) => failureLines(failure, style)),
    ...records.filter(({ score }) => score !== undefined).map((record) => gradeLine(record, style)),
    ...(left === 0 ? [] : [style.yellow(`${left} assertion(s) not executed`)]),
  ];
}

/** The first line says what failed; a difference below it keeps its signs, in their colours. */
function failureLines(failure: string, style: Style): string[] {
  const [first = "", ...rest] = failure.trimEnd().split("\n");
  const shade = (line: string) => {
    if (line.startsWith("+")) return style.green(line);
    return line.startsWith("-") ? style.red(line) : style.dim(line);
  };
  return [style.red(first), ...rest.map((line) => `  ${shade(line)}`)];
}

const BAR_LENGTH = 10;

function gradeLine({ kind, score = 0, threshold, status, detail }: AssertionRecord, style: Style): string {
  const full = Math.round(Math.min(1, Math.max(0, score)) * BAR_LENGTH);
  const bar = `${"█".repeat(full)}${"░".repeat(BAR_LENGTH - full)}`;
  const colour = status === "passed" ? style.green : style.red;
  const said = detail === undefined ? "" : style.dim(` — ${detail.trim().replace(/\s+/g, " ")}`);
  return `${icons.grader} ${kind} ${colour(`${bar} ${score.toFixed(2)}`)} of ${threshold ?? 0}${said}`;
}

function recordedLine(recorded: RecordedNote, style: Style): string {
  if ("kept" in recorded) return style.yellow(`${icons.warn} ${recorded.file} was not recorded: ${recorded.kept}`);
  const { file, exchanges } = recorded;
  if (exchanges === 0) return style.dim("asks no model, so it has no cassette");
  return style.dim(`recorded ${exchanges} exchange${exchanges === 1 ? "" : "s"} in ${file}`);
}

/** `workflows/desk/tests/refunds/veto.test.yaml` is `desk › refunds/veto`. */
function caseName(file: string): string {
  const [, workflow, id] = /^workflows\/([^/]+)\/tests\/(.+)\.test\.ya?ml$/.exec(file) ?? [];
  return workflow === undefined ? file : `${workflow} › ${id}`;
}
