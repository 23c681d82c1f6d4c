/** Static validation of one workflow (H-100, W-285…W-290). Nothing is written, no script runs, no model is called. */
import { compileMachine } from "../../machine/index.js";
import { orderDiagnostics, parseSpec, workflowPaths } from "../../spec/index.js";
import type { Diagnostic, ParsedSpec } from "../../spec/types.js";
import type { SkillEntry } from "../skills.js";
import { checkCases } from "./cases.js";
import { authoredFiles } from "./files.js";
import { checkInstructions } from "./instructions.js";
import { checkMountLists } from "./mounts.js";
import type { ValidateWorkflowOptions } from "./options.js";
import { checkScript } from "./scripts.js";
import { checkSkillLists } from "./skills.js";
import { checkSubWorkflows } from "./sub-workflows.js";
import { type Pass, type Report, reporter, type Subject, statesOf } from "./subject.js";
import { authoringBackend, hostTables } from "./tables.js";
import { rootEntries, stateEntries } from "./tool-entries.js";
import { checkRootDenials, checkStateDenials, checkToolName } from "./tool-names.js";
import { checkGrantPaths } from "./tool-paths.js";
import { checkWorkflowSlug, readWorkflowFile } from "./workflow-file.js";

/** What `validateWorkflow` found (H-100, W-287). */
export interface WorkflowValidation {
  workflow: string;
  /** False exactly when a load or check finding exists (W-287). */
  valid: boolean;
  /** In the order of W-288. */
  diagnostics: Diagnostic[];
}

/**
 * Finds everything that can be found wrong with a workflow without running it.
 *
 * @example
 * const { valid, diagnostics } = await validateWorkflow({ rootDir: ".", workflow: "refund-desk" });
 */
export async function validateWorkflow(options: ValidateWorkflowOptions): Promise<WorkflowValidation> {
  const { workflow } = options;
  const found: Diagnostic[] = [];
  const stateOrder = await collect(options, found);
  const diagnostics = orderDiagnostics(found, stateOrder);
  return { workflow, valid: diagnostics.every(({ severity }) => severity !== "error"), diagnostics };
}

/** Runs the passes that can run; gives the states in document order, by which their findings are sorted. */
async function collect(options: ValidateWorkflowOptions, found: Diagnostic[]): Promise<readonly string[]> {
  const { workflow } = options;
  const file = workflowPaths(workflow).spec;
  const report = reporter(found, { file, locate: () => undefined });
  if (!checkWorkflowSlug(workflow, report)) return [];
  const files = authoredFiles(authoringBackend(options));
  const text = await readWorkflowFile(workflow, files, report);
  const { host, skills } = await hostTables(options);
  const parsed = text === null ? null : parseSpec(text, { file });
  const subject = parsed === null ? null : subjectOf(parsed, workflow, file);
  found.push(...(parsed?.diagnostics ?? []));
  if (subject !== null) {
    checkBundles(skills, report);
    await checkSubject({ subject, host, files, report: reporter(found, subject) });
    await checkSubWorkflows({ subject, files }, (other) => reporter(found, other));
  }
  await checkCases({ workflow, files, subject, mounts: host.governance.mounts, report });
  return parsed?.stateOrder ?? [];
}

/** The document with its machine, when its shape holds; a broken document rule does not hide the rest (W-21). */
function subjectOf(parsed: ParsedSpec, workflow: string, file: string): Subject | null {
  const { spec, stateOrder, locate } = parsed;
  if (spec === undefined || stateOrder === undefined) return null;
  const specHash = parsed.ok ? parsed.specHash : "";
  return { workflow, file, spec, machine: compileMachine({ spec, stateOrder, specHash }, workflow), locate };
}

async function checkSubject(pass: Pass): Promise<void> {
  const { subject } = pass;
  checkSkillLists(pass);
  checkMountLists(pass);
  checkInstructions(pass, subject.spec.instructions, ["instructions"]);
  for (const entry of rootEntries(subject)) {
    checkToolName(pass, entry);
    checkGrantPaths(pass, entry);
  }
  checkRootDenials(pass);
  for (const state of statesOf(subject)) {
    const { slug, spec } = state;
    await checkScript(pass, state);
    checkInstructions(pass, spec.instructions, ["states", slug, "instructions"]);
    const entries = stateEntries(subject, slug);
    for (const entry of entries) {
      checkToolName(pass, entry);
      checkGrantPaths(pass, entry);
    }
    checkStateDenials(pass, state, entries);
  }
}

/** W-220. */
function checkBundles(skills: readonly SkillEntry[], report: Report): void {
  for (const { file, problems } of skills) {
    for (const { code, message } of problems) {
      report({ code: `skills/${code}`, message }, { file, line: 1, column: 1 });
    }
  }
}
