/** `archmax_eval` and `archmax_run` (R-253…R-261): the definitions and the check; the turn evaluates. */
import { z } from "zod";
import { filledText, type ParsedArguments, parametersOf, parseArguments } from "./arguments.js";
import { FileToolFailure } from "./file-tool.js";
import { textAt } from "./read-file.js";
import type { ToolContext, ToolDefinition } from "./types.js";

const evaluate = z.object({ code: filledText().describe("The script.") });

const run = z.object({
  file_path: z.string().min(1, "must name a file").describe("Path of a script of a skill in the workspace."),
  args: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("What the script finds as `args`, as the skill describes it."),
});

/** What an evaluation is given. */
export interface ScriptCall {
  /** Shown in errors. */
  file: string;
  source: string;
  args: Record<string, unknown>;
}

/** In registration order. */
export const scriptDefinitions: readonly ToolDefinition[] = [
  {
    name: "archmax_eval",
    description:
      "Runs JavaScript in a sandbox and answers what it prints with `console.log` and the value of its last expression. " +
      "Your tools are async functions, as `await tools.read_file({ file_path })`, and answer text; `args.variables` holds " +
      "the session's variables. Names you declare at the top level stay for your next script. No imports, no network.",
    parameters: parametersOf(evaluate),
  },
  {
    name: "archmax_run",
    description:
      "Runs a script that belongs to a skill, in the same sandbox as `archmax_eval`, and answers what it prints and the " +
      "value of its last expression.",
    parameters: parametersOf(run),
  },
];

const NAMES: ReadonlySet<string> = new Set(scriptDefinitions.map(({ name }) => name));

export function isScriptTool(tool: string): boolean {
  return NAMES.has(tool);
}

/**
 * Checks the arguments. `load` reads the script through the workspace the agent sees.
 *
 * @throws from `load` an error with a message for the model where there is no such file or it is not text
 */
export function parseScriptCall(
  tool: string,
  args: Record<string, unknown>,
): ParsedArguments<{ load(context: Pick<ToolContext, "workspace">): Promise<ScriptCall> }> {
  if (tool === "archmax_eval") {
    const parsed = parseArguments(evaluate, args);
    if (!parsed.ok) return parsed;
    return { ok: true, args: { load: async () => ({ file: tool, source: parsed.args.code, args: {} }) } };
  }
  const parsed = parseArguments(run, args);
  if (!parsed.ok) return parsed;
  const { file_path, args: given = {} } = parsed.args;
  const file = file_path.replace(/^\/+/, "");
  return {
    ok: true,
    args: { load: async (context) => ({ file, source: await scriptAt(file_path, context), args: given }) },
  };
}

async function scriptAt(path: string, context: Pick<ToolContext, "workspace">): Promise<string> {
  try {
    return await textAt(path, context);
  } catch (error) {
    if (error instanceof FileToolFailure) throw new Error(`Error: ${error.message}`, { cause: error });
    throw error;
  }
}
