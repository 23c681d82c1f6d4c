/** What the schema library found, said in the words of the case format. */
import type { z } from "zod";
import { CASE_KEYS, type CaseProblem } from "./types.js";

type Issue = z.core.$ZodIssue;

/** `value` is what was checked, `at` its place in the document. */
export function toProblems(issues: readonly Issue[], value: unknown, at: (string | number)[]): CaseProblem[] {
  return issues.flatMap((issue): CaseProblem[] => {
    const path = [...at, ...(issue.path as (string | number)[])];
    if (issue.code === "unrecognized_keys") {
      const known = path.length === 0 ? `; a case has ${CASE_KEYS.join(", ")}` : "";
      return issue.keys.map((key) => ({
        code: "case/schema",
        path: [...path, key],
        message: `"${key}" is no key here${known}`,
      }));
    }
    if (issue.code === "invalid_union" && !isOwnMessage(issue.message)) {
      return toProblems(closestBranch(issue.errors), valueAt(value, issue.path), path);
    }
    return [{ code: "case/schema", path, message: sentence(issue, valueAt(value, issue.path)) }];
  });
}

/** The alternative that came furthest into the value: its complaint is the one about what was meant. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const depth = (issues: readonly Issue[]) =>
    Math.max(0, ...issues.map(({ path, code }) => path.length + (code === "too_small" ? 1 : 0)));
  return [...branches].sort((a, b) => depth(b) - depth(a))[0] ?? [];
}

function sentence(issue: Issue, found: unknown): string {
  if (found === undefined) return "is required";
  const shown = JSON.stringify(found) ?? String(found);
  const told = shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
  if (isOwnMessage(issue.message)) return `${told} ${issue.message}`;
  if (issue.code === "invalid_value") return `${told} must be ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") return `${told} must be ${KINDS[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "too_small")
    return `${told} must be at least ${issue.minimum}${issue.origin === "array" ? " long" : ""}`;
  if (issue.code === "too_big") return `${told} must be at most ${issue.maximum}`;
  return `${told} does not fit: ${issue.message}`;
}

const KINDS: Record<string, string> = {
  string: "text; put it in quotes if it looks like something else",
  object: "a mapping",
  record: "a mapping",
  array: "a list",
  int: "a whole number",
  boolean: "true or false",
};

/** Messages written in schema.ts begin in lower case, those of the library do not. */
function isOwnMessage(message: string): boolean {
  return /^(must|needs) /.test(message);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
