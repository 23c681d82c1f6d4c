/** A ready completion verifier: the agent's own plan has nothing open. Pure. */
import type { RunResult, Verdict } from "./types.js";

/**
 * Passes when every item of the last successful `write_todos` call of the run is completed, or when there is no such call.
 *
 * @example createAgent({ workflow, completion: { verify: allTodosDone, maxAttempts: 3 } })
 */
export function allTodosDone({ toolCalls }: Pick<RunResult, "toolCalls">): Verdict {
  const plan = toolCalls.findLast(({ name, isError }) => name === "write_todos" && !isError)?.args.todos;
  if (!Array.isArray(plan)) return { ok: true };
  const open = plan.filter((item) => !isCompleted(item));
  if (open.length === 0) return { ok: true };
  return { ok: false, reason: `${open.length} open: ${open.map(contentOf).join("; ")}` };
}

function isCompleted(item: unknown): boolean {
  const { status, completed } = itemOf(item);
  return status === "completed" || completed === true;
}

function contentOf(item: unknown): string {
  const { content } = itemOf(item);
  return typeof content === "string" ? content : (JSON.stringify(item) ?? String(item));
}

function itemOf(item: unknown): { content?: unknown; status?: unknown; completed?: unknown } {
  return typeof item === "object" && item !== null ? item : {};
}
