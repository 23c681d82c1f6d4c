/**
 * Words of the document's zod schemas. A schema's error text is `code` + space + what the value must be ("must be …");
 * `shape-findings.ts` turns it into a finding. An issue without such a text gets a generic code (W-20).
 */
import * as z from "zod";
import type { DiagnosticCode } from "./diagnostic-codes.js";
import { isVariableName } from "./names.js";

/** The error text of a schema or refinement with a code of its own. */
export function says(code: DiagnosticCode, predicate: string) {
  return { error: () => `${code} ${predicate}` };
}

/** The same for a schema of a mapping, whose unknown keys keep their own code. */
export function saysOfMapping(code: DiagnosticCode, predicate: string) {
  return {
    error: (issue: { code?: string }) => (issue.code === "unrecognized_keys" ? undefined : `${code} ${predicate}`),
  };
}

/** Text that is not blank. */
export function text() {
  return z.string().regex(/\S/, says("schema/blank", "must be text that is not blank"));
}

export function positiveInteger() {
  return z.number().int().min(1, says("schema/range", "must be a positive integer"));
}

export function naturalNumber() {
  return z.number().int().min(0, says("schema/range", "must be an integer that is not negative"));
}

const VARIABLE_NAME_RULE = "must be a variable name: a lower-case letter, then lower-case letters, digits and _";

/** @param missing - issue text for a mapping that lacks the name; without it the generic one is used */
export function variableName(missing?: string) {
  const error = (issue: { input?: unknown }) => (issue.input === undefined ? missing : undefined);
  return z.string({ error }).refine(isVariableName, says("variables/name", VARIABLE_NAME_RULE));
}

/**
 * A check that runs although other parts of the value are wrong, so that one pass finds everything (W-21). Only for values
 * of the right kind: `inspect` gets what the author wrote, not what the schema parsed.
 */
export function alwaysCheck<T>(
  inspect: (value: T, report: (path: (string | number)[], issue: string) => void) => void,
) {
  return z.superRefine<T>(
    (value, context) => {
      if (typeof value !== "object" || value === null) return;
      inspect(value, (path, message) => context.addIssue({ code: "custom", path, message, continue: true }));
    },
    { when: () => true },
  );
}

/** An issue's text for `alwaysCheck`. */
export function issueText(code: DiagnosticCode, predicate: string): string {
  return `${code} ${predicate}`;
}
