/** What an agent can be offered: one shape for built-in and host tools. */
import type { ToolPaths } from "../kernel/types.js";
import type { Workspace } from "../workspace/types.js";

/** What is known of a tool's effect, deciding what becomes of a call that a crash interrupted (S-41, S-42). */
export type ToolEffect = "read-only" | "idempotent" | "reconciled" | "effect";

export interface ToolContext {
  /** The calling session (in a child, the child's own). */
  sessionId: string;
  workspace: Workspace;
  signal: AbortSignal;
  /** The same for every attempt of one call; at most 255 characters (S-44). */
  idempotencyKey: string;
  /** 1, 2, … */
  attempt: number;
  /** `script` results are whole: never numbered, cut or offloaded. */
  caller: "model" | "script";
  /** Has the picture at the path shown to the model from its next request on. Absent: it sees none. */
  showPicture?(path: string): void;
  /**
   * Whether a line of this tool's listing or search result that lies at the path may be shown. Absent: all may.
   * The path is canonical, without outer slashes.
   */
  visible?(tool: string, path: string): boolean;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>;
}

export type Reconciled = { kind: "done"; result: string } | { kind: "not-done" } | { kind: "unknown" };

export interface RuntimeTool extends ToolDefinition {
  /** Where a host tool comes from, if not from the host itself. */
  source?: "mcp";
  effect: ToolEffect;
  paths?: ToolPaths;
  /** Checks and completes the arguments (defaults); problems are sentences naming the field. */
  parse(args: Record<string, unknown>): { ok: true; args: Record<string, unknown> } | { ok: false; problems: string[] };
  /** The answer as text. A throw is answered to the caller with the error's message. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<string>;
  /** For `reconciled` tools: what is recorded before the call, and what it says after a crash whether the call happened. */
  before?(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
  reconcile?(args: Record<string, unknown>, context: ToolContext, before: unknown): Promise<Reconciled>;
}
