/** A parsed case document (C-6…C-39): values as authored, except that title and description are collapsed (C-7). */

export interface CaseDocument {
  /** The path below `tests/` without the extension (C-2). */
  id: string;
  title: string;
  description: string;
  /** Why the case is left out. */
  skip?: string;
  trigger?: { id: string };
  variables?: Record<string, unknown>;
  /** Session path to content: text verbatim, `{ from }` a file below `tests/`, anything else as JSON (C-13). */
  workspace?: Record<string, unknown>;
  mocks?: CaseMock[];
  clock?: string;
  steps: CaseStep[];
}

/**
 * An answer in place of a tool (C-18): the first that fits a call's name and arguments is given, a text as it is,
 * anything else as JSON.
 */
export interface CaseMock {
  tool: string;
  whenInput?: Record<string, unknown>;
  result: unknown;
}

/** A step of a case that drives its session (C-24). */
export type CaseAction =
  | { send: string }
  | { decide: { to: string; comment?: string } }
  | { deliver: { trigger: string; variables?: Record<string, unknown> } };

/** A step of a case that checks what the action before it led to (C-24 to C-39). */
export type CaseAssertion =
  | { succeeded: true }
  | { parked: true | ParkChannel | { channel?: ParkChannel; state?: string } }
  | { raised: true | string | { code?: string; reason?: string } }
  | { reachedState: string }
  | { trail: { to?: string; kind?: TrailKind; reason?: string; count: number } }
  | { noTraversal: true }
  | { triggerArrival: string }
  | { reply: { includes?: string | string[]; excludes?: string | string[] } }
  | { calledTool: ToolMatcher }
  | { notCalledTool: ToolMatcher }
  | { blockedTool: ToolMatcher }
  | { usedNoTools: true }
  | { ranWorkflow: { workflow: string; status?: "ok" | "error"; count?: number } }
  | { variables: { expect: Record<string, unknown>; path?: string; locked?: boolean | Record<string, boolean> } }
  | { grade: { closedQA: string; atLeast: number } };

/** A step of a case: a mapping with exactly one key (C-24). */
export type CaseStep = CaseAction | CaseAssertion;

export type ParkChannel = "decision" | "input";
export interface ToolMatcher {
  name: string;
  input?: Record<string, unknown>;
}

export const TRAIL_KINDS = [
  "trigger",
  "agent",
  "human",
  "grader",
  "code",
  "sub-workflow",
  "reset",
  "on_error",
] as const;
export type TrailKind = (typeof TRAIL_KINDS)[number];

export const CASE_KEYS = [
  "title",
  "description",
  "skip",
  "trigger",
  "variables",
  "workspace",
  "mocks",
  "clock",
  "steps",
] as const;
export const ACTION_KEYS = ["send", "decide", "deliver"] as const;
export const ASSERTION_KEYS = [
  "succeeded",
  "parked",
  "raised",
  "reachedState",
  "trail",
  "noTraversal",
  "triggerArrival",
  "reply",
  "calledTool",
  "notCalledTool",
  "blockedTool",
  "usedNoTools",
  "ranWorkflow",
  "variables",
  "grade",
] as const;

/** The codes of W-290 that a document earns by itself. */
export type CaseProblemCode =
  | "case/schema"
  | "case/title"
  | "case/description"
  | "case/regex"
  | "case/fixture-escapes"
  | "case/workspace-path"
  | "case/control-mock";

/** One thing wrong with a document. `line` and `column` are 1-based. */
export interface CaseProblem {
  code: CaseProblemCode;
  message: string;
  path: (string | number)[];
  line?: number;
  column?: number;
}
