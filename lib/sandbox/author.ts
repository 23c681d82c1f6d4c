/**
 * `parkway/sandbox`: types and identity helpers for the authors of workspace scripts (H-2). Nothing here is used at run
 * time: the sandbox removes an import of this module and binds `defineCodeState` itself.
 *
 * @example
 * ```js
 * import { defineCodeState } from "parkway/sandbox";
 *
 * export default defineCodeState(async ({ variables, tools }) => {
 *   await tools.archmax_advance({ to: variables.amount > 100 ? "review" : "done", reason: "Checked the amount." });
 * });
 * ```
 */

/** A tool as a script sees it: resolves to the result as text, rejects with a {@link ToolCallError}. */
export type ScriptTool = (args?: Record<string, unknown>) => Promise<string>;

/** What a script's tool call rejects with when it is refused or fails. */
export interface ToolCallError extends Error {
  tool: string;
  /** The rule that refused the call, when a rule did. */
  ruleId?: string;
}

/** The argument of a code state's default export. */
export interface CodeStateInput<Variables extends Record<string, unknown> = Record<string, unknown>> {
  /** Slug of the state that runs. */
  state: string;
  /** Id of the current trigger. */
  trigger: string;
  /** Values as they stood when the script started; deeply frozen. */
  variables: Readonly<Variables>;
  /** By exact and by camelCase name; a tool that is not offered is undefined. */
  tools: Readonly<Record<string, ScriptTool>>;
}

/** A code state's default export. What it returns is ignored. */
export type CodeState<Variables extends Record<string, unknown> = Record<string, unknown>> = (
  input: CodeStateInput<Variables>,
) => unknown;

/** One step of the audit trail. `ts` is epoch milliseconds. */
export interface TrailStep {
  to: string;
  kind: "trigger" | "agent" | "human" | "grader" | "code" | "sub-workflow" | "reset" | "on_error";
  reason?: string;
  workflow?: string;
  status?: "ok" | "error";
  by?: string;
  ts: number;
}

/** One message of the history. */
export type HistoryMessage =
  | { role: "user" | "system"; text: string }
  | { role: "assistant"; text: string; toolCalls?: { id?: string; name: string; args: Record<string, unknown> }[] }
  | { role: "tool"; text: string; tool: string; id?: string }
  | { role: "runtime"; text: string; note: string };

/** The parsed answer of `archmax_get_history`: the session as it stood when the state was entered. */
export interface SessionHistory {
  messages: HistoryMessage[];
  trail: TrailStep[];
}

/** Gives a code state its types in an editor; returns its argument. */
export function defineCodeState<Variables extends Record<string, unknown> = Record<string, unknown>>(
  main: CodeState<Variables>,
): CodeState<Variables> {
  return main;
}
