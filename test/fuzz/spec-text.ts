/** Fuzz of `workflow.yaml` and case documents: the readers never throw or hang, and say where and what (F-93…F-95, F-99). */
import * as fc from "fast-check";
import { expect } from "vitest";
import { offeredTools } from "../../lib/kernel/index.js";
import { tables } from "../../lib/kernel/testing.js";
import { compileMachine } from "../../lib/machine/index.js";
import {
  CaseSchemaError,
  parseCaseDocument,
  readCaseDocument,
  serializeCaseDocument,
} from "../../lib/spec/cases/index.js";
import { type Diagnostic, isDiagnosticCode, type ParsedSpec, parseSpec } from "../../lib/spec/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { validateWorkflow } from "../../lib/workspace/validate/index.js";
import { CASES, SPECS } from "./corpus.js";
import { nearlyYaml } from "./mutate-yaml.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";
import type { Watchdog } from "./watchdog.js";

/** A text of at most 1 MiB on a busy machine; a reader that is not near linear takes minutes. */
const SLOWEST_MS = 10_000;
const FILE = "workflows/w/workflow.yaml";
const CASE_FILE = "workflows/w/tests/a.test.yaml";

const SPEC_WORDS = [
  ..."title instructions runtime engine version disabled settings model timeoutMs memoryLimitBytes maxPtcCalls".split(
    " ",
  ),
  ..."maxResultChars prompt_cache enabled ttl tests maxConcurrency caseTimeoutMs judge modelOptions metadata tools".split(
    " ",
  ),
  ..."allow_always forbid_always allow forbid skills mounts states type summary script triggers transitions requires".split(
    " ",
  ),
  ..."locks budget maxTurns maxParks on_error evidence approvers to description session message connection returns".split(
    " ",
  ),
  ..."name format pattern minLength maxLength enum content minimum maximum minItems maxItems accept maxSize tool args".split(
    " ",
  ),
  ..."paths source mount access read read_write agent human grader code approve reject refine none manual trigger".split(
    " ",
  ),
  ..."string integer number boolean date date-time object array file email url phone text markdown html json".split(
    " ",
  ),
  ..."ls read_file write_file archmax_run archmax_advance archmax_workflow_w task eval __proto__ constructor <<".split(
    " ",
  ),
];
const CASE_WORDS = [
  ..."title description steps send decide deliver reply state trail called not_called mocks tool result error whenInput".split(
    " ",
  ),
  ..."files fixtures matches includes equals workflow trigger variables to comment by session exit parked judge".split(
    " ",
  ),
  ..."times max min kind at text regex json path __proto__ constructor <<".split(" "),
];

export async function fuzzSpecs(run: FuzzRun, watchdog: Watchdog): Promise<Counts> {
  const counts = new Counts("spec", ["texts", "refused", "accepted", "validated", "crashes", "ms at most"]);
  await fc.assert(
    fc.asyncProperty(nearlyYaml(SPECS, SPEC_WORDS), fc.nat(9), async (text, dice) => {
      counts.add("texts");
      const parsed = timed(text, { counts, watchdog }, () => parseSpec(text, { file: FILE }));
      counts.add(parsed.ok ? "accepted" : "refused");
      expectSound(parsed.diagnostics, text);
      expect(parsed.ok).toBe(!parsed.diagnostics.some((diagnostic) => diagnostic.class === "load"));
      if (parsed.ok) expectCompiles(parsed);
      if (dice === 0) {
        expectSame(parsed, parseSpec(`\uFEFF${text.replaceAll(/\r?\n/g, "\r\n")}`, { file: FILE }), text);
        const backend = createMemoryBackend({ [FILE]: text.toWellFormed() });
        const { valid, diagnostics } = await validateWorkflow({ workflow: "w", backend });
        counts.add("validated");
        if (valid) expect(parsed.ok).toBe(true);
        for (const { code } of diagnostics) expect(isDiagnosticCode(code)).toBe(true);
      }
    }),
    parametersOf(run),
  );
  return counts;
}

export function fuzzCases(run: FuzzRun, watchdog: Watchdog): Counts {
  const counts = new Counts("cases", ["texts", "refused", "accepted", "crashes", "ms at most"]);
  fc.assert(
    fc.property(nearlyYaml(CASES, CASE_WORDS), (text) => {
      counts.add("texts");
      const { document, problems } = timed(text, { counts, watchdog }, () =>
        readCaseDocument(CASE_FILE, text, "workflows/w/tests"),
      );
      counts.add(problems.length > 0 ? "refused" : "accepted");
      for (const problem of problems) {
        expect(problem.message).toMatch(/\S/);
        expect(problem.code).toMatch(/^case\//);
        expectInside(problem, text);
      }
      if (problems.length > 0) {
        expect(() => parseCaseDocument(CASE_FILE, text, "workflows/w/tests")).toThrow(CaseSchemaError);
        return;
      }
      const written = serializeCaseDocument(document!);
      expect(parseCaseDocument(CASE_FILE, written, "workflows/w/tests")).toEqual(document);
    }),
    parametersOf(run),
  );
  return counts;
}

function timed<T>(text: string, { counts, watchdog }: { counts: Counts; watchdog: Watchdog }, work: () => T): T {
  const startedAt = performance.now();
  try {
    return watchdog.over(text, work);
  } catch (error) {
    counts.add("crashes");
    throw error;
  } finally {
    const ms = performance.now() - startedAt;
    counts.max("ms at most", ms);
    expect(ms).toBeLessThan(SLOWEST_MS);
  }
}

/** W-2: a code that is known, and a place that exists. */
function expectSound(diagnostics: readonly Diagnostic[], text: string): void {
  for (const diagnostic of diagnostics) {
    expect(isDiagnosticCode(diagnostic.code)).toBe(true);
    expect(diagnostic.file).toBe(FILE);
    expect(diagnostic.message).toMatch(/\S/);
    expectInside(diagnostic, text);
  }
}

function expectInside({ line, column }: { line?: number; column?: number }, text: string): void {
  expect(line).toBeGreaterThanOrEqual(1);
  expect(column).toBeGreaterThanOrEqual(1);
  expect(line).toBeLessThanOrEqual(text.split("\n").length + 1);
}

/** W-22: what has no load finding assembles. */
function expectCompiles(parsed: ParsedSpec & { ok: true }): void {
  const machine = compileMachine(parsed, "w");
  expect([...machine.states.keys()]).toEqual(parsed.stateOrder);
  expect(machine.states.has(machine.defaultEntry)).toBe(true);
  for (const state of machine.states.keys()) offeredTools(machine, tables(), state, { registered: ["ls", "send"] });
}

/** F-93, W-9: a byte-order mark and CRLF leave no trace. */
function expectSame(a: ParsedSpec, b: ParsedSpec, text: string): void {
  // A lone carriage return is a line break of its own, and a mark at the front is one only once.
  if (/\r(?!\n)/.test(text) || text.startsWith("\uFEFF")) return;
  expect(b.diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(
    a.diagnostics.map(({ code, line }) => `${code} ${line}`),
  );
  if (a.ok && b.ok) expect(b.specHash).toBe(a.specHash);
}
