/** Makes records of assertions (C-43). Pure. */

import type { Outcome } from "../session/outcome.js";
import { ACTION_KEYS, type CaseAction, type CaseAssertion, type CaseStep } from "../spec/cases/index.js";
import type { AssertionKind, AssertionRecord } from "./types.js";

/** What an assertion reads: how the last action settled, and the whole session as it stands after it (C-26). */
export type Evidence = Pick<
  Outcome,
  "kind" | "state" | "exit" | "limit" | "rejected" | "reply" | "parkedChannel" | "auditTrail" | "variables" | "messages"
>;

/** A check's finding: null when it passes, else why it does not. */
export type Finding = string | null;

export function recordOf(kind: AssertionKind, step: number, finding: Finding): AssertionRecord {
  return finding === null
    ? { kind, status: "passed", threshold: null, step }
    : { kind, status: "failed", threshold: null, detail: finding, step };
}

/** The one record of an assertion step that nothing has looked at (C-44). */
export function notExecuted(assertion: CaseAssertion, step: number): AssertionRecord {
  if ("grade" in assertion) {
    return { kind: "grade.closedQA", status: "not-executed", threshold: assertion.grade.atLeast, step };
  }
  if ("reply" in assertion) {
    const kind = assertion.reply.includes === undefined ? "reply.excludes" : "reply.includes";
    return { kind, status: "not-executed", threshold: null, step };
  }
  const kind = Object.keys(assertion)[0] as Exclude<keyof AllOf<CaseAssertion>, "reply" | "grade">;
  return { kind, status: "not-executed", threshold: null, step };
}

export function isAction(step: CaseStep): step is CaseAction {
  return ACTION_KEYS.some((key) => key in step);
}

/** A value as a detail shows it. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

const SHOWN_CHARS = 300;

type AllOf<Union> = { [Key in Union extends unknown ? keyof Union : never]: unknown };
