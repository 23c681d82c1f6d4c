/** A call's context for tests of tools. */
import type { RuntimeTool, ToolContext } from "../../lib/tools/index.js";
import { createMemoryBackend, createWorkspace, type MountTable } from "../../lib/workspace/index.js";

export function aToolContext(
  fields: Partial<ToolContext> & { files?: Record<string, string | Uint8Array>; mounts?: MountTable } = {},
): ToolContext {
  const { files = {}, mounts = {}, ...context } = fields;
  return {
    sessionId: "s-1",
    workspace: createWorkspace({ area: createMemoryBackend(files), mounts }),
    signal: new AbortController().signal,
    idempotencyKey: "key-1",
    attempt: 1,
    caller: "model",
    ...context,
  };
}

/** Checks the arguments as the turn does, then runs the tool. */
export async function callTool(
  tool: RuntimeTool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<string> {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.problems.join(" "));
  return tool.run(parsed.args, context);
}
