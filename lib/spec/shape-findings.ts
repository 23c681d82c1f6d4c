/** Checks a document's shape against the schemas and words what they find (W-16…W-21, F-94). */
import type { z } from "zod";
import { type DiagnosticCode, isDiagnosticCode } from "./diagnostic-codes.js";
import type { DocumentPath, Finding } from "./diagnostics.js";
import { isMapping, own } from "./own.js";
import { REMOVED_TYPES } from "./removed-keys.js";
import { rootSchema } from "./schema-root.js";
import { stateSchema } from "./schema-state.js";
import { triggerSchema } from "./schema-trigger.js";
import { unknownKeyFinding } from "./unknown-keys.js";

type Issue = z.core.$ZodIssue;

/** Every shape defect of a document, grouped by block; empty when its shape holds. */
export function shapeFindings(document: Record<string, unknown>): Finding[] {
  const findings = against(rootSchema, document, []);
  const states = own(document, "states");
  if (!isMapping(states) || Object.keys(states).length === 0) {
    const message = "`states` must be a mapping with at least one state.";
    return [...findings, { code: "states/missing", path: ["states"], message }];
  }
  for (const [slug, state] of Object.entries(states)) {
    const path = ["states", slug];
    if (slug === "<<") findings.push(mergeKey(path));
    else if (state !== null) findings.push(...against(stateSchema, state, path));
    if (isMapping(state)) findings.push(...triggerFindings(state, path));
  }
  return findings;
}

function triggerFindings(state: Record<string, unknown>, statePath: DocumentPath): Finding[] {
  const triggers = own(state, "triggers");
  if (triggers === undefined) return [];
  const path = [...statePath, "triggers"];
  if (triggers === null) return [nullFinding(path)];
  if (!isMapping(triggers)) {
    const message = `"${path.join(".")}" must be a mapping from trigger id to declaration; found ${kindOf(triggers)}.`;
    return [{ code: "trigger/not-a-mapping", path, message }];
  }
  return Object.entries(triggers).flatMap(([id, declaration]) => {
    const idPath = [...path, id];
    if (id === "<<") return [mergeKey(idPath)];
    const findings: Finding[] = [];
    if (id.trim() === "") {
      findings.push({
        code: "trigger/empty-id",
        path: idPath,
        message: `A trigger id in "${path.join(".")}" is blank.`,
      });
    }
    if (isMapping(declaration) && Object.hasOwn(declaration, "<<")) findings.push(mergeKey([...idPath, "<<"]));
    if (declaration === null) return findings;
    return [...findings, ...against(triggerSchema, declaration, idPath).map((finding) => namingEntry(finding, state))];
  });
}

/** Adds the entry's name to a finding inside a signature, whose path only has its index. */
function namingEntry(finding: Finding, state: Record<string, unknown>): Finding {
  const name = valueAt(state, [...finding.path.slice(2, 6), "name"] as string[]);
  if (finding.path.length < 7 || typeof name !== "string") return finding;
  return { ...finding, message: `Entry "${name}": ${finding.message}` };
}

function against(schema: z.ZodType, value: unknown, path: DocumentPath): Finding[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const findings = result.error.issues.flatMap((issue) => fromIssue(issue, value, path));
  // A path has one finding: the last, since rules about a key come after the kind of its value.
  const byPath = new Map(findings.map((finding) => [JSON.stringify(finding.path), finding]));
  return [...byPath.values()];
}

function fromIssue(issue: Issue, value: unknown, base: DocumentPath): Finding[] {
  const inner = issue.path as (string | number)[];
  const path = [...base, ...inner];
  const found = valueAt(value, inner);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKeyFinding(path, key));
  if (found === null) return [nullFinding(path)];
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((errors) => !errors.some(isWrongKind));
    if (branch) return branch.flatMap((nested) => fromIssue(nested as Issue, found, path));
  }
  const removed =
    path.length === 3 && path[2] === "type" && typeof found === "string" ? own(REMOVED_TYPES, found) : undefined;
  if (removed) {
    const message = `"${path.join(".")}: ${found}" is no longer read. Use instead: ${removed.instead}.`;
    return [{ code: removed.code, path, message, hint: removed.instead }];
  }
  return [worded(issue, path, found)];
}

/** Whether a union's branch is for values of another kind. */
function isWrongKind(issue: { code?: string; path: PropertyKey[] }): boolean {
  return issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");
}

function worded(issue: Issue, path: DocumentPath, found: unknown): Finding {
  const { code, predicate } = codeAndPredicate(issue);
  const field = `"${path.join(".")}"`;
  if (found === undefined) return { code, path, message: `${field} is missing; it ${predicate}.` };
  const wantsText = issue.code === "invalid_type" && issue.expected === "string";
  const isScalar = typeof found === "number" || typeof found === "boolean";
  // A rule about parts of a mapping or list says itself what it found.
  const isCompound = issue.code === "custom" && typeof found === "object";
  const message = isCompound ? `${field} ${predicate}.` : `${field} ${predicate}; found ${kindOf(found)}.`;
  if (!wantsText || !isScalar) return { code, path, message };
  const hint = `Quote it: ${JSON.stringify(String(found))}.`;
  return { code, path, message: `${message} ${hint}`, hint };
}

function codeAndPredicate(issue: Issue): { code: DiagnosticCode; predicate: string } {
  const space = issue.message.indexOf(" ");
  const code = issue.message.slice(0, space);
  if (isDiagnosticCode(code)) return { code, predicate: issue.message.slice(space + 1) };
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "int") return { code: "schema/range", predicate: "must be a whole number" };
      return { code: "schema/type", predicate: `must be ${KINDS[issue.expected] ?? issue.expected}` };
    case "invalid_value":
      return { code: "schema/enum", predicate: `must be one of ${issue.values.join(", ")}` };
    case "too_small":
    case "too_big":
      return { code: "schema/range", predicate: "is out of bounds" };
    default:
      return { code: "schema/type", predicate: "has the wrong shape" };
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 80))}` : `${typeof value} ${value}`;
}

function nullFinding(path: DocumentPath): Finding {
  const message = `"${path.join(".")}" is empty; give it a value or remove the key.`;
  return { code: "schema/null", path, message };
}

function mergeKey(path: DocumentPath): Finding {
  const message = `"${path.join(".")}": \`<<\` does not merge; write the keys out.`;
  return { code: "state/unknown-key", path, message };
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const segment of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Record<string | number, unknown>)[segment];
  }
  return at;
}
