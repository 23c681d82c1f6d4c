/** Text to case document, with every problem of the document at once (C-6…C-39). */
import type { LocatePath } from "../types.js";
import { readYamlText } from "../yaml-text.js";
import { CaseSchemaError } from "./errors.js";
import { toProblems } from "./issues.js";
import { checkDocument, checkStep, collapse } from "./rules.js";
import { DOCUMENT, stepSchema } from "./schema.js";
import { ACTION_KEYS, ASSERTION_KEYS, type CaseDocument, type CaseProblem, type CaseStep } from "./types.js";

/** What reading gives: the document when its shape holds, even where rules are broken, and all problems in order. */
export interface CaseReading {
  document: CaseDocument | null;
  problems: CaseProblem[];
  /** 1-based position of a value of the document. */
  locate: LocatePath;
}

/**
 * Parses one case. `file` and `testsDir` are workspace paths and give the case its id (C-2); nothing is read.
 * Throws CaseSchemaError naming every problem.
 */
export function parseCaseDocument(file: string, source: string, testsDir: string): CaseDocument {
  const { document, problems } = readCaseDocument(file, source, testsDir);
  if (document === null || problems.length > 0) throw new CaseSchemaError(file, problems);
  return document;
}

/** As `parseCaseDocument`, with the problems as values. */
export function readCaseDocument(file: string, source: string, testsDir: string): CaseReading {
  const { document: value, findings, locate, lineAndColumn } = readYamlText(source);
  const textProblems = findings.map(({ code, path, message, offset }): CaseProblem => {
    const said = code === "file/not-a-mapping" ? "a case is a mapping with a title, a description and steps" : message;
    const where = offset === undefined ? locate(path) : lineAndColumn(offset);
    return { code: "case/schema", path: [...path], message: said, ...where };
  });
  if (value === undefined) return { document: null, problems: textProblems, locate };
  const shape = DOCUMENT.safeParse(value);
  const steps = Array.isArray(value.steps) ? value.steps : [];
  const stepProblems = readSteps(steps);
  const shapeProblems = shape.success ? [] : toProblems(shape.error.issues, value, []);
  const problems = [...shapeProblems, ...checkDocument(value), ...stepProblems.problems]
    .map((problem) => ({ ...problem, ...locate(problem.path) }))
    .concat(textProblems)
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const document = shape.success && stepProblems.sound ? build(caseId(file, testsDir), value) : null;
  return { document, problems, locate };
}

/** `workflows/w/tests/refunds/veto.test.yaml` is `refunds/veto`. */
export function caseId(file: string, testsDir: string): string {
  const base = `${testsDir.replace(/\/+$/, "")}/`;
  return (file.startsWith(base) ? file.slice(base.length) : file).replace(/\.test\.ya?ml$/, "");
}

function build(id: string, value: Record<string, unknown>): CaseDocument {
  const prose = (field: string) => (typeof value[field] === "string" ? collapse(value[field]) : "");
  const { title: _title, description: _description, steps, ...rest } = value;
  return {
    id,
    title: prose("title"),
    description: prose("description"),
    ...(rest as Omit<CaseDocument, "id" | "title" | "description" | "steps">),
    steps: (steps ?? []) as CaseStep[],
  };
}

function readSteps(steps: unknown[]): { problems: CaseProblem[]; sound: boolean } {
  const problems: CaseProblem[] = [];
  let acted = false;
  let sound = true;
  for (const [index, step] of steps.entries()) {
    const refuse = (message: string, path: (string | number)[] = ["steps", index]) => {
      problems.push({ code: "case/schema", path, message });
      sound = false;
    };
    const keys = isMapping(step) ? Object.keys(step) : [];
    const [key] = keys;
    if (key === undefined || keys.length > 1) {
      refuse(`a step has exactly one key${keys.length > 1 ? `, not ${keys.join(" and ")}` : ""}; ${KNOWN_STEPS}`);
      continue;
    }
    const value = (step as Record<string, unknown>)[key];
    const schema = stepSchema(key, value);
    if (schema === undefined) {
      refuse(`"${key}" is no step; ${KNOWN_STEPS}`, ["steps", index, key]);
      continue;
    }
    if ((ACTION_KEYS as readonly string[]).includes(key)) acted = true;
    else if (!acted) refuse(`${key} has no result to look at; put an action (${ACTION_KEYS.join(", ")}) before it`);
    const shape = schema.safeParse(value);
    if (!shape.success) {
      problems.push(...toProblems(shape.error.issues, value, ["steps", index, key]));
      sound = false;
    }
    problems.push(...checkStep(key, value, index));
  }
  return { problems, sound };
}

const KNOWN_STEPS = `actions are ${ACTION_KEYS.join(", ")}; assertions are ${ASSERTION_KEYS.join(", ")}`;

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with `a.test.yml` beside `a.test.yaml`: both have one id, one cassette and one line of the report. */
export function sameCase(file: string, other: string): string {
  return `${file} is the same case as ${other}, by its name; rename one of them.`;
}
