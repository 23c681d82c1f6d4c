/** Running authored scripts (R-252…R-264, F-88…F-92). */

export interface SandboxLimits {
  /** One evaluation as a whole, waiting for tools included. */
  timeoutMs: number;
  memoryLimitBytes: number;
  /** Tool calls one evaluation may make; null for no limit. */
  maxPtcCalls: number | null;
  maxResultChars: number;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  timeoutMs: 15_000,
  memoryLimitBytes: 64 * 1024 * 1024,
  maxPtcCalls: 256,
  maxResultChars: 4_000,
};

export type ScriptCallResult =
  | { ok: true; text: string }
  | { ok: false; message: string; ruleId?: string; tool: string };

/** What every run of a script is given. */
export interface ScriptRun {
  /** Path shown in errors. */
  file: string;
  source: string;
  /** Exact names of the tools the script finds in `tools`; camelCase names are added by the sandbox. */
  tools: readonly string[];
  limits: SandboxLimits;
  /** First reading of the guest's clock (epoch ms, it advances from there) and the seed of Math.random: the same on a re-run (S-47). */
  startAt: number;
  seed: number;
  signal?: AbortSignal;
  /** `index` counts the run's calls from 1. Never rejects. */
  callTool(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult>;
}

export interface CodeStateRun extends ScriptRun {
  input: { state: string; trigger: string; variables: Record<string, unknown> };
  /** One printed line. */
  onLine(line: string): void;
}

export type SandboxFailure =
  | "threw"
  | "timeout"
  | "memory"
  | "calls"
  | "syntax"
  | "import"
  | "no-default-export"
  | "aborted"
  | "engine";

export type CodeStateResult = { status: "ok" } | { status: "error"; kind: SandboxFailure; reason: string };

/** One evaluation of a REPL. */
export interface Evaluation extends ScriptRun {
  /** What the script finds as `args`, with `variables` frozen inside. */
  args: Record<string, unknown>;
  variables: Record<string, unknown>;
}

/** `text` is the value of the last expression, "" for undefined. Texts are cut at `limits.maxResultChars`. */
export type EvaluationResult = (
  | { status: "ok"; text: string }
  | { status: "error"; kind: SandboxFailure; reason: string }
) & {
  /** The printed lines, joined. */
  printed: string;
  /** The engine was new: names of earlier evaluations, if there were any, are gone. */
  fresh: boolean;
  /** The REPL now holds names that evaluations have defined at the top level. */
  holdsNames: boolean;
};

/**
 * One engine that keeps its global names from one evaluation to the next, until it is closed or an evaluation
 * breaks it: by a timeout, by using up the memory, by being stopped, or by a failure of the engine itself. The next
 * evaluation then begins with a new one.
 *
 * It occupies a worker while it is open, and does not keep the process alive between evaluations.
 */
export interface Repl {
  /** Evaluations run one after the other, in the order of the calls. Never rejects. */
  evaluate(run: Evaluation): Promise<EvaluationResult>;
  /** Stops the evaluation under way (`aborted`). Safe to repeat. */
  close(): Promise<void>;
}

export interface Sandbox {
  runCodeState(run: CodeStateRun): Promise<CodeStateResult>;
  openRepl(): Repl;
  /** Ends the worker threads. */
  close(): Promise<void>;
}
