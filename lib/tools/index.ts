/** What an agent can be offered: file tools, todos, controls, host tools, and the registry over them. */
export {
  CONTROL_NAMES,
  type ControlName,
  controlDefinition,
  parseAdvance,
  parseGetVariables,
  parseRaise,
  parseReset,
  parseSetVariables,
  parseWait,
} from "./controls.js";
export { delegationDefinition } from "./delegation-tools.js";
export { ReservedToolNameError, ToolDescriptionError, ToolPathsError } from "./errors.js";
export { type ExpandedText, expandVariables } from "./expand.js";
export { createFileTools } from "./file-tools.js";
export type { HandlerContext } from "./handler-context.js";
export { type HostToolOptions, hostTool, type ToolEffectOptions } from "./host-tool.js";
export { type HttpToolOptions, httpTool } from "./http-tool.js";
export { offloadLargeResult } from "./large-results.js";
export { createToolRegistry, type ResolvedName, resolveToolName, type ToolRegistry } from "./registry.js";
export { remoteTool } from "./remote-tool.js";
export { textOfResult } from "./result-text.js";
export { isScriptTool, parseScriptCall, type ScriptCall, scriptDefinitions } from "./script-tools.js";
export { parseTodos, writeTodosDefinition } from "./todos.js";
export { type ToolDescriptor, toolsFromMap } from "./tools-from-map.js";
export type { Reconciled, RuntimeTool, ToolContext, ToolDefinition, ToolEffect } from "./types.js";
export { parseUntil } from "./until.js";
