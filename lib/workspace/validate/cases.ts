/** The case pass (W-290, C-56): every case read and held against the document, none run. */

import { canonicalPath, type MountInfo } from "../../kernel/index.js";
import {
  type CaseDocument,
  type CaseReading,
  caseId,
  fixtureOf,
  readCaseDocument,
  sameCase,
} from "../../spec/cases/index.js";
import { MANUAL_TRIGGER, workflowPaths } from "../../spec/index.js";
import type { AuthoredFiles } from "./files.js";
import { didYouMean, type KeyPath, list, quote, type Report, type Subject } from "./subject.js";

export interface CasePass {
  workflow: string;
  files: AuthoredFiles;
  /** Null when the shape of `workflow.yaml` does not hold; cases are then judged by themselves. */
  subject: Subject | null;
  mounts: readonly MountInfo[];
  report: Report;
}

export async function checkCases({ workflow, files, subject, mounts, report }: CasePass): Promise<void> {
  const { tests } = workflowPaths(workflow);
  const byId = new Map<string, string>();
  for (const file of (await files.below(tests)).sort()) {
    if (!/\.test\.ya?ml$/.test(file)) continue;
    const twin = byId.get(caseId(file, tests));
    if (twin !== undefined) {
      report({ code: "case/schema", message: sameCase(file, twin) }, { file });
      continue;
    }
    byId.set(caseId(file, tests), file);
    const source = await files.read(file);
    if (source === null) {
      report({ code: "case/schema", message: `${file} is no UTF-8 text.` }, { file });
      continue;
    }
    const reading = readCaseDocument(file, source, tests);
    for (const { code, message, path, line, column } of reading.problems) {
      report({ code, message, path }, { file, ...(line === undefined ? {} : { line, column }) });
    }
    const { document } = reading;
    if (document === null) continue;
    const say: Report = (finding) => report(finding, { file, ...reading.locate(finding.path ?? []) });
    await checkFixtures(document, reading, { tests, files, report: say });
    checkSeedPaths(document, mounts, say);
    if (subject !== null) checkAgainst(document, subject, say);
  }
}

async function checkFixtures(
  { workspace = {} }: CaseDocument,
  { problems }: CaseReading,
  { tests, files, report }: { tests: string; files: AuthoredFiles; report: Report },
): Promise<void> {
  for (const [target, content] of Object.entries(workspace)) {
    const from = fixtureOf(content);
    const path = ["workspace", target, "from"];
    if (typeof from !== "string" || problems.some((problem) => problem.path.join("\0") === path.join("\0"))) continue;
    if (!(await files.exists(`${tests}/${from}`))) {
      report({
        code: "case/fixture-missing",
        path,
        message: `There is no ${tests}/${from}; create it or correct the path.`,
      });
    }
  }
}

/** A seeded file in the way of a mount would never be seen (C-13). */
function checkSeedPaths({ workspace = {} }: CaseDocument, mounts: readonly MountInfo[], report: Report): void {
  const first = (path: string) => path.split("/", 1)[0];
  for (const target of Object.keys(workspace)) {
    const mount = mounts.find(({ name }) => first(name) === first(canonicalPath(target).path));
    if (mount === undefined) continue;
    report({
      code: "case/workspace-path",
      path: ["workspace", target],
      message: `${quote(target)} is a place of the mount ${quote(mount.name)}; use another file in the session's root or below scratchpad/.`,
    });
  }
}

function checkAgainst(document: CaseDocument, { machine, spec }: Subject, report: Report): void {
  const trigger = document.trigger?.id;
  if (trigger !== undefined && trigger !== MANUAL_TRIGGER && !machine.triggers.has(trigger)) {
    report({
      code: "case/unknown-trigger",
      path: ["trigger", "id"],
      message: `No state declares the trigger ${quote(trigger)}; declared: ${list(machine.triggers.keys())}.`,
      ...didYouMean(trigger, machine.triggers.keys()),
    });
  }
  for (const [index, step] of document.steps.entries()) {
    if ("grade" in step && spec.tests?.judge === undefined) {
      report({
        code: "case/grade-without-judge",
        path: ["steps", index, "grade"],
        message:
          'The workflow declares no judge, so this assertion fails; write "tests: { judge: {} }" in workflow.yaml.',
      });
    }
    for (const { state, path } of namedStates(step)) {
      if (machine.states.has(state)) continue;
      report({
        code: "case/unknown-state",
        path: ["steps", index, ...path],
        message: `There is no state ${quote(state)}; states: ${list(machine.states.keys())}.`,
        ...didYouMean(state, machine.states.keys()),
      });
    }
  }
}

function namedStates(step: CaseDocument["steps"][number]): { state: string; path: KeyPath }[] {
  if ("reachedState" in step) return [{ state: step.reachedState, path: ["reachedState"] }];
  if ("decide" in step) return [{ state: step.decide.to, path: ["decide", "to"] }];
  if ("trail" in step && step.trail.to !== undefined) return [{ state: step.trail.to, path: ["trail", "to"] }];
  if ("parked" in step && typeof step.parked === "object" && step.parked.state !== undefined) {
    return [{ state: step.parked.state, path: ["parked", "state"] }];
  }
  return [];
}
