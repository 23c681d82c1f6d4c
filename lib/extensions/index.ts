/** What a host sets around the calls of its agents (chapter A). */
export { checkAgentSlugs, checkExtensions } from "./check.js";
export { defineAgent, harness } from "./define-agent.js";
export { emfMetrics } from "./emf.js";
export { InvalidCompletionError, InvalidGuardrailError } from "./errors.js";
export { type AskOptions, firstDenial, frozenCopy } from "./guardrails.js";
export { type PrometheusRegistry, prometheusRegistry } from "./prometheus.js";
export { resolveExtensions } from "./resolve.js";
export { allTodosDone } from "./todos.js";
export type {
  AgentMiddleware,
  AgentSpec,
  Compaction,
  Completion,
  ExtensionOptions,
  Extensions,
  Guardrail,
  GuardrailCall,
  Hooks,
  MetricEvent,
  MetricSink,
  ModelCallRequest,
  RunResult,
  RunToolCall,
  ToolCallRequest,
  TurnLimits,
  Verdict,
} from "./types.js";
