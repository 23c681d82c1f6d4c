/** What a host sets around the calls of its agents (chapter A): guardrails, hooks, middleware, completion, metrics, limits. */
import type { ToolMessage } from "@langchain/core/messages";
import type { ModelReply, ModelRequest } from "../models/types.js";
import type { StoredMessage } from "../session/messages.js";
import type { Outcome } from "../session/outcome.js";
import type { TrailStep, Usage } from "../session/state.js";
import type { ToolDefinition } from "../tools/types.js";
import type { Workspace } from "../workspace/types.js";

/** A governed call as a guardrail sees it. `args` is a deep-frozen copy. */
export interface GuardrailCall {
  name: string;
  args: Record<string, unknown>;
  id?: string;
  /** The session's model calls in this turn, from 1. */
  turn: number;
  state: string;
  workflow: string;
  sessionId: string;
  origin: "agent" | "script" | "code" | "grader";
}

/**
 * Judges a governed call before it is made: `undefined`, `""` and `"allow"` permit; every other string denies, with
 * itself as the reason. A throw denies too.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement permits
export type Guardrail = (call: GuardrailCall) => string | undefined | void | Promise<string | undefined | void>;

/**
 * A completion verifier's answer: with `ok` the run may complete, otherwise the agent is told the reason.
 */
export interface Verdict {
  ok: boolean;
  reason?: string;
}

/** One call of the run. */
export interface RunToolCall {
  name: string;
  args: Record<string, unknown>;
  output: string;
  isError: boolean;
  metadata?: Record<string, unknown>;
}

/** The work of a run so far, over all its attempts and parks. */
export interface RunResult {
  text: string;
  toolCalls: RunToolCall[];
  toolCallCount: number;
  turns: number;
  usage?: Usage;
  model?: string;
  sessionId: string;
  workflow: string;
  state: string;
  variables: Record<string, { value: unknown; locked: boolean }>;
  auditTrail: TrailStep[];
  messages: StoredMessage[];
  /** A read-only view of the session's files. */
  workspace: Workspace;
}

/**
 * The gate before a run completes: `verify` judges its work, and after `maxAttempts` failures the session is `failed`
 * (A-17 to A-28).
 */
export interface Completion {
  verify(result: RunResult): Verdict | Promise<Verdict>;
  /** An integer from 1. */
  maxAttempts: number;
}

/**
 * Functions around the model and tool calls of a workflow's agent, which may change or answer a call but permit none
 * . Each may be async.
 */
export interface Hooks {
  beforeLLM?(call: {
    messages: readonly StoredMessage[];
    tools: readonly ToolDefinition[];
    model?: string;
    turn: number;
    state: string;
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  }): Awaitable<void | { messages?: readonly StoredMessage[]; tools?: readonly ToolDefinition[] }>;
  afterLLM?(call: { response: ModelReply; model?: string; turn: number; state: string }): Awaitable<void>;
  beforeTool?(call: {
    name: string;
    args: Record<string, unknown>;
    id?: string;
    turn: number;
    state: string;
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  }): Awaitable<void | { args?: Record<string, unknown> } | { result: unknown }>;
  afterTool?(call: {
    name: string;
    args: Record<string, unknown>;
    result: string;
    id?: string;
    turn: number;
    state: string;
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  }): Awaitable<void | { result?: unknown }>;
}

type Awaitable<T> = T | Promise<T>;

/** One measurement: of a model call, a tool call or a settled turn. `ms` is milliseconds. */
export type MetricEvent =
  | {
      event: "llm";
      model?: string;
      status: "ok" | "error";
      ms: number;
      inputTokens: number;
      outputTokens: number;
      state: string;
      sessionId: string;
      workflow: string;
    }
  | {
      event: "tool";
      tool: string;
      source: "builtin" | "host" | "mcp" | "workflow" | "control";
      isError: boolean;
      blocked: boolean;
      pending?: boolean;
      ms: number;
      state: string;
      sessionId: string;
      workflow: string;
    }
  | {
      event: "run";
      model?: string;
      turns: number;
      toolCalls: number;
      totalTokens: number;
      ms: number;
      kind: Outcome["kind"] | "error";
      error?: string;
      sessionId: string;
      workflow: string;
    };

/** Takes each metric as it arises; one that throws is ignored after one warning. */
export type MetricSink = (metric: MetricEvent) => void;

/** A model call as a middleware's `wrapModelCall` gets it (H-21). */
export interface ModelCallRequest extends ModelRequest {
  state: string;
  workflow: string;
  sessionId: string;
}

/** A tool call that governance has permitted, as a middleware's `wrapToolCall` gets it (H-21). */
export interface ToolCallRequest {
  name: string;
  args: Record<string, unknown>;
  id: string;
  state: string;
  workflow: string;
  sessionId: string;
  signal: AbortSignal;
}

/**
 * Wraps an agent's model and tool calls, inside the runtime's own governance and events (H-21). The list is applied
 * outermost first.
 */
export interface AgentMiddleware {
  name: string;
  wrapModelCall?(
    request: ModelCallRequest,
    next: (request: ModelCallRequest) => Promise<ModelReply>,
  ): Promise<ModelReply>;
  wrapToolCall?(
    request: ToolCallRequest,
    next: (request: ToolCallRequest) => Promise<ToolMessage>,
  ): Promise<ToolMessage>;
}

/**
 * Ceilings of one turn, children included; reaching one ends the session `failed`, with its name in `Outcome.limit`
 * (A-7).
 */
export interface TurnLimits {
  maxTokensPerTurn?: number;
  maxToolCallsPerTurn?: number;
}

/**
 * Summarizes older messages in requests that grow too long; the stored transcript stays whole. Sizes in
 * tokens, as `countTokens` counts them.
 */
export interface Compaction {
  maxTokens: number;
  /** Default: half of `maxTokens`. */
  keepTail?: number;
  summarize(older: readonly StoredMessage[]): string | Promise<string>;
  /** Default: a quarter of the characters, rounded up. */
  countTokens?(messages: readonly StoredMessage[]): number;
  /** A writable mount that the model is reminded to note durable facts in. */
  flushToMemory?: string;
}

/** How one workflow's agent is restrained, checked and watched. */
export interface AgentSpec {
  guardrails?: Guardrail[];
  completion?: Completion;
  hooks?: Hooks;
  onMetric?: MetricSink;
  /** The model id of the workflow's agent role, below a state's and above `settings.model`. */
  model?: string;
}

/** The options of chapter A that `createAgent` and `parkway.config.ts` take. */
export interface ExtensionOptions {
  guardrails?: Guardrail[];
  /** Shorthand for the agent's own workflow; not together with its entry in `agents`. */
  completion?: Completion;
  hooks?: Hooks;
  onMetric?: MetricSink;
  /** By workflow slug, wherever that workflow runs. */
  agents?: Record<string, AgentSpec>;
  middleware?: AgentMiddleware[];
  limits?: TurnLimits;
  compaction?: Compaction;
}

/** What is in force for the sessions of one composition. */
export interface Extensions {
  /** In the order they are asked. */
  guardrails: readonly Guardrail[];
  completion: Completion | null;
  hooks: Hooks;
  onMetric: MetricSink | null;
  /** `agents[slug].model`. */
  model?: string;
  middleware: readonly AgentMiddleware[];
  limits: TurnLimits;
  compaction: Compaction | null;
}
