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

export interface CodeStateRun {
  /** Path shown in errors. */
  file: string;
  source: string;
  input: { state: string; trigger: string; variables: Record<string, unknown> };
  /** Exact names of the tools the script finds in `tools`; camelCase names are added by the sandbox. */
  tools: readonly string[];
  limits: SandboxLimits;
  /** First reading of the guest's clock (epoch ms, it advances from there) and the seed of Math.random: the same on a re-run (S-47). */
  startAt: number;
  seed: number;
  signal?: AbortSignal;
  /** One printed line. */
  onLine(line: string): void;
  /** `index` counts the evaluation's calls from 1. Never rejects. */
  callTool(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult>;
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

export interface Sandbox {
  runCodeState(run: CodeStateRun): Promise<CodeStateResult>;
  /** Ends the worker threads. */
  close(): Promise<void>;
}
