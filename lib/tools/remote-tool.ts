/** A tool that runs in another program, as a tool of the runtime (H-106). */
import { readInputSchema } from "./tool-schema.js";
import type { RuntimeTool } from "./types.js";

/**
 * Its arguments are checked against its JSON Schema by the same code as a host tool's. Nothing is known of its
 * effect unless the host says so (H-131).
 *
 * @throws {ToolDescriptionError} when it cannot be described to a model (F-70)
 */
export async function remoteTool(tool: {
  name: string;
  description: string;
  inputSchema: unknown;
  source: "mcp";
  run: RuntimeTool["run"];
}): Promise<RuntimeTool> {
  const { name, description, source, run } = tool;
  const schema = await readInputSchema(name, tool.inputSchema);
  return {
    name,
    description,
    source,
    parameters: schema.parameters,
    effect: "effect",
    parse(args) {
      const problems = schema.problems(args);
      return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
    },
    run,
  };
}
