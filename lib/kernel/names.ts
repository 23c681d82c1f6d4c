/** The tool names the kernel knows, as data. */
import type { ToolPaths } from "./types.js";

/** W-197: granted in every state of a workflow that writes no `tools.allow_always`. */
export const DEFAULT_TOOLS: readonly string[] = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "copy_file",
  "move_file",
  "remove_file",
  "glob",
  "grep",
  "write_todos",
  "archmax_eval",
  "archmax_run",
];

/** W-187. What is declared here cannot be changed by a host. */
export const BUILTIN_PATHS: Readonly<Record<string, ToolPaths>> = {
  read_file: { file_path: "read" },
  write_file: { file_path: "write" },
  edit_file: { file_path: "write" },
  ls: { path: "list" },
  glob: { path: "search" },
  grep: { path: "search" },
  archmax_run: { file_path: "execute" },
  copy_file: { source: "read", destination: "write" },
  move_file: { source: "remove", destination: "write" },
  remove_file: { file_path: "remove" },
};

/** Controls of agent states (W-201). */
export const CONTROL_TOOLS: readonly string[] = [
  "archmax_advance",
  "archmax_reset",
  "archmax_wait",
  "archmax_raise",
  "archmax_get_variables",
  "archmax_set_variables",
];

/** Controls of automated states (W-77). */
export const AUTOMATED_CONTROLS: readonly string[] = [
  "archmax_get_history",
  "archmax_get_variables",
  "archmax_set_variables",
  "archmax_raise",
  "archmax_advance",
];

/** Kept from automated states whatever the lists say (W-78, R-134). */
export const NEVER_AUTOMATED: readonly string[] = [
  "archmax_eval",
  "archmax_run",
  "archmax_wait",
  "archmax_reset",
  "write_todos",
];

/** Granted by nothing, anywhere (W-204). */
export const UNGRANTABLE: readonly string[] = ["task", "eval", "archmax_note"];

/** Names a host tool must not take, besides those that begin with `RESERVED_TOOL_PREFIX` (W-205, H-105). */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  "copy_file",
  "move_file",
  "remove_file",
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "glob",
  "grep",
  "write_todos",
  "task",
  "delete",
];

export const RESERVED_TOOL_PREFIX = "archmax_";

/** Sandbox tools, which a script cannot call. */
export const SANDBOX_TOOLS: readonly string[] = ["archmax_eval", "archmax_run"];

/** Every control of any state; a grant that names one means nothing (W-201). */
export const ALL_CONTROLS: readonly string[] = [...new Set([...CONTROL_TOOLS, ...AUTOMATED_CONTROLS])];

/** The path declarations of a tool, or null when it declares none. */
export function pathsOf(tool: string, toolPaths: Readonly<Record<string, ToolPaths>>): ToolPaths | null {
  if (Object.hasOwn(BUILTIN_PATHS, tool)) return BUILTIN_PATHS[tool]!;
  return Object.hasOwn(toolPaths, tool) ? toolPaths[tool]! : null;
}

/** The spelling that is read for the declared argument of a single-path built-in (W-188). */
export function otherSpelling(tool: string): { declared: string; other: string } | null {
  if (!Object.hasOwn(BUILTIN_PATHS, tool)) return null;
  const declared = Object.keys(BUILTIN_PATHS[tool]!);
  if (declared.length !== 1) return null;
  return { declared: declared[0]!, other: declared[0] === "path" ? "file_path" : "path" };
}
