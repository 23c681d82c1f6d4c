/**
 * The rules of a case document beyond its shapes: lengths, names, regular expressions, paths, mocked controls. They pass
 * over whatever lacks its shape, so that one wrong value hides no other finding.
 */
import { isVariableName } from "../names.js";
import { hasControlCharacter } from "../session-ids.js";
import { readRegexString } from "./regex-string.js";
import type { CaseProblem, CaseProblemCode } from "./types.js";

/** Most characters of a case's title, white space collapsed (C-6, C-7). */
export const CASE_TITLE_MAX_LENGTH = 60;

/** Most characters of a case's description, white space collapsed (C-6, C-7). */
export const CASE_DESCRIPTION_MAX_LENGTH = 200;

/** Tools of the runtime that no mock may answer (C-20). */
const CONTROLS = new Set([
  "archmax_advance",
  "archmax_reset",
  "archmax_wait",
  "archmax_raise",
  "archmax_get_variables",
  "archmax_set_variables",
  "archmax_get_history",
]);

/** Session areas of the runtime and the authoring plane, as first segments. */
const REFUSED_AREAS = new Set([
  "large_tool_results",
  "conversation_history",
  "checkpoints",
  "artifacts",
  "_specs",
  "workflows",
  "sessions",
]);

type Report = (code: CaseProblemCode, path: (string | number)[], message: string) => void;
type Shaped = { [key: string]: unknown };

/** Trimmed, with every run of white space as one blank (C-7). */
export function collapse(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

export function checkDocument(document: Shaped): CaseProblem[] {
  const problems: CaseProblem[] = [];
  const report: Report = (code, path, message) => problems.push({ code, path, message });
  checkProse(document, "title", CASE_TITLE_MAX_LENGTH, report);
  checkProse(document, "description", CASE_DESCRIPTION_MAX_LENGTH, report);
  checkNames(document.variables, ["variables"], report, { seeds: true });
  if (isMapping(document.workspace)) checkWorkspace(document.workspace, report);
  if (Array.isArray(document.mocks))
    for (const [index, mock] of document.mocks.entries()) checkMock(mock, index, report);
  if (typeof document.clock === "string" && !isClock(document.clock)) {
    report(
      "case/schema",
      ["clock"],
      `"${document.clock}" is no clock; write a date (2026-03-20) or a date-time with Z or an offset (2026-03-20T09:30:00Z)`,
    );
  }
  return problems;
}

/** The rules of one step. */
export function checkStep(key: string, value: unknown, index: number): CaseProblem[] {
  const problems: CaseProblem[] = [];
  const report: Report = (code, path, message) => problems.push({ code, path, message });
  const at = ["steps", index, key];
  const fields = isMapping(value) ? value : {};
  if (key === "reply") {
    checkRegexes(fields.includes, [...at, "includes"], report);
    checkRegexes(fields.excludes, [...at, "excludes"], report);
  } else if (key === "raised" || key === "trail") {
    checkRegexes(fields.reason, [...at, "reason"], report);
  } else if (key.endsWith("Tool")) {
    checkRegexes(fields.input, [...at, "input"], report);
  } else if (key === "deliver") {
    checkNames(fields.variables, [...at, "variables"], report, { seeds: true });
  } else if (key === "variables") {
    checkNames(fields.expect, [...at, "expect"], report, { seeds: false });
    checkNames(fields.locked, [...at, "locked"], report, { seeds: false });
  }
  return problems;
}

function checkProse(document: Shaped, field: "title" | "description", limit: number, report: Report): void {
  const value = document[field];
  const code = `case/${field}` as const;
  if (value === undefined) report(code, [], `the ${field} is missing; every case has one`);
  else if (typeof value !== "string") report(code, [field], `must be text; put it in quotes if it looks like a number`);
  else if (value.trim() === "") report(code, [field], `must not be blank`);
  else if (field === "title" && /[\r\n]/.test(value.trim())) report(code, [field], "must be one line");
  else {
    const { length } = [...collapse(value)];
    if (length > limit) {
      report(code, [field], `the ${field} has ${length} characters, the limit is ${limit}; shorten it`);
    }
  }
}

function checkNames(values: unknown, path: (string | number)[], report: Report, { seeds }: { seeds: boolean }): void {
  if (!isMapping(values)) return;
  for (const name of Object.keys(values)) {
    if (seeds && name === "trigger") {
      report("case/schema", [...path, name], `"trigger" is set by the runtime and cannot be supplied`);
    } else if (!isVariableName(name)) {
      report("case/schema", [...path, name], `"${name}" is no variable name; names match ^[a-z][a-z0-9_]*$`);
    }
  }
}

function checkWorkspace(workspace: Shaped, report: Report): void {
  for (const [path, content] of Object.entries(workspace)) {
    if (!isSeedPath(path)) {
      report(
        "case/workspace-path",
        ["workspace", path],
        `"${path}" is no session path; use a file in the session's root or below scratchpad/`,
      );
    }
    const from = fixtureOf(content);
    if (from === undefined) continue;
    if (typeof from !== "string") {
      report("case/schema", ["workspace", path, "from"], "must be the path of a file below tests/");
    } else if (from.trim() === "" || from.startsWith("/") || from.split("/").includes("..")) {
      report(
        "case/fixture-escapes",
        ["workspace", path, "from"],
        `"${from}" is not below tests/; write a relative path without ".."`,
      );
    }
  }
}

/** The `from` of a mapping whose only key it is (C-13); undefined for any other content. */
export function fixtureOf(content: unknown): unknown {
  if (!isMapping(content)) return undefined;
  const keys = Object.keys(content);
  return keys.length === 1 && keys[0] === "from" ? content.from : undefined;
}

function isSeedPath(path: string): boolean {
  if (hasControlCharacter(path) || path.endsWith("/")) return false;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return false;
    } else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  const [first] = segments;
  if (first === undefined || REFUSED_AREAS.has(first)) return false;
  return first === "scratchpad" ? segments.length > 1 : segments.length === 1;
}

function checkMock(mock: unknown, index: number, report: Report): void {
  if (!isMapping(mock)) return;
  const tool = String(mock.tool);
  if (CONTROLS.has(tool)) {
    report("case/control-mock", ["mocks", index, "tool"], `"${tool}" is a control of the runtime and cannot be mocked`);
  }
  checkRegexes(mock.whenInput, ["mocks", index, "whenInput"], report);
}

function checkRegexes(value: unknown, path: (string | number)[], report: Report): void {
  if (typeof value === "string") {
    const read = readRegexString(value);
    if (read !== null && "error" in read) {
      report("case/regex", path, `"${value}" is no regular expression: ${read.error}`);
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkRegexes(item, [...path, index], report);
    });
  } else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value)) checkRegexes(item, [...path, key], report);
  }
}

/** H-41: empty, an ISO date, or a date-time that states its offset. */
function isClock(text: string): boolean {
  if (text === "") return true;
  const form = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  if (form === null || Number.isNaN(Date.parse(text))) return false;
  // Date.parse turns 30 February into 2 March; a real day survives the round trip.
  const [, year, month, day] = form;
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).toISOString().startsWith(text.slice(0, 10));
}

function isMapping(value: unknown): value is Shaped {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
