/**
 * What `parkway` offers: one list, nothing public by accident. All of `parkway/spec` and `parkway/messages` is here too
 * (H-4, H-130). Importing it loads no engine: see lazy.ts.
 */

export * from "./messages/index.js";
export * from "./spec/public.js";

// Agents and workers

export { createWorkflowEventEmitter } from "./agent/event-emitter.js";
export type { AgentStores } from "./agent/options.js";
export type { Sessions } from "./agent/sessions.js";
export type { WorkspaceContext, WorkspaceContextOptions } from "./agent/workspace-context.js";
export type {
  Agent,
  AgentCapabilities,
  AgentWorkflow,
  CreateAgentParams,
  DecisionInput,
  DeliveryInput,
  DeliveryInput as TriggerDelivery,
  GovernedAgent,
  Loop,
  LoopRun,
  LoopRunOptions,
  LoopRunStatus,
  PlainAgent,
  TurnConfig,
  TurnInput,
} from "./agent.js";
export { defineConfig, type ParkwayConfig } from "./config/index.js";
export {
  type AgentMiddleware,
  type AgentSpec,
  allTodosDone,
  type Compaction,
  type Completion,
  defineAgent,
  type ExtensionOptions,
  emfMetrics,
  type Guardrail,
  type GuardrailCall,
  type Hooks,
  harness,
  type MetricEvent,
  type MetricSink,
  type ModelCallRequest,
  type PrometheusRegistry,
  prometheusRegistry,
  type RunResult,
  type RunToolCall,
  type ToolCallRequest,
  type TurnLimits,
  type Verdict,
} from "./extensions/index.js";
export type { SessionResolution } from "./intake/index.js";
export { createAgent, createWorker, createWorkspaceContext, embeddedStores, validateWorkflow } from "./lazy.js";
export { PACKAGE_VERSION } from "./version.js";
export type { CreateWorkerParams, Worker } from "./worker.js";
export type { ValidateWorkflowOptions, WorkflowValidation } from "./workspace/validate/index.js";

// Sessions: how turns settle, what is stored, what is told of them

export { renderEventLine } from "./session/event-line.js";
export type {
  EngineEvent,
  EngineEvent as WorkflowLifecycleEvent,
  EventHandler,
  EventHandler as WorkflowEventHandler,
} from "./session/events.js";
export type { StoredMessage } from "./session/messages.js";
export {
  classifyStatus,
  isFinished,
  type Outcome,
  type Outcome as DecideOutcome,
  type Outcome as DeliverOutcome,
  type SessionSummary,
} from "./session/outcome.js";
export {
  type Exit as SessionExit,
  type Park,
  type TrailStep,
  type Usage,
  type Usage as UsageSummary,
  WORKFLOW_STATUSES,
} from "./session/state.js";
export { type WorkflowState, workflowStateSchema } from "./session/state-schema.js";
export {
  createAwsSessionStore,
  createBackendSessionStore,
  createFilesystemSessionStore,
  createMemorySessionStore,
  type SessionStore,
} from "./stores/bundles/index.js";
export { createS3Backend, type S3BackendOptions } from "./stores/s3/index.js";

// Files

export {
  type Backend,
  createFilesystemBackend,
  createMemoryBackend,
  defaultMounts,
  type FileError,
  type FileInfo,
  type GrepMatch,
  type MountOptions,
  type MountTable,
  mountSubtree,
  type Workspace,
} from "./workspace/index.js";

// Tools and what governs them

export type { ListMcpToolsOptions } from "./agent/list-mcp-tools.js";
export type { GovernanceRule, PathAccess, ToolPaths } from "./kernel/types.js";
export { listMcpTools } from "./lazy.js";
export type { ListedMcpServer, McpOption, McpServer, McpServers, McpStatus, McpToolDefinition } from "./mcp/index.js";
export {
  type HandlerContext as ToolContext,
  type HttpToolOptions,
  httpTool,
  type ToolDescriptor as AgentToolDescriptor,
  type ToolEffectOptions,
  toolsFromMap,
} from "./tools/index.js";

// Models, usage and cost

export { createChatModel, createInProcessModel, scriptedModel } from "./lazy.js";
export {
  addSummaries,
  type ChatModelSettings,
  costOf,
  emptyUsage,
  type FailedAttempt,
  formatUsage,
  hasUsage,
  type InProcessAnswer,
  type InProcessRequest,
  type ModelFactory,
  type ModelReply,
  type ModelRequest,
  type ModelRole,
  type ModelSettings,
  type Price,
  type PricingTable,
  priceOf,
  type RetryOptions,
  retryAfterMs,
  type ScriptStep,
} from "./models/index.js";
export { createUsageTracker, type UsageTracker } from "./session/usage-tracker.js";

// What a run leaves to be read, and the skill that teaches authoring

export {
  ARTIFACT_SCHEMAS,
  createTrajectoryRecorder,
  type RunMetadata,
  type SerializedGraph,
  type Trajectory,
  type TrajectoryRecorder,
} from "./artifacts/index.js";
export { BUNDLED_AUTHORING_SKILL_DIR } from "./authoring-skill.js";

// Errors (H-5, H-129)

export {
  InvalidClockError,
  LoopRunningError,
  MissingThreadIdError,
  SessionStoreRequiredError,
  StateUpdateRefusedError,
  WorkspaceRootRequiredError,
} from "./agent/errors.js";
export { InvalidCompletionError, InvalidGuardrailError } from "./extensions/index.js";
export { UnsupportedRuntimeContractError, WorkflowLoadError } from "./intake/index.js";
export { InvalidMcpConfigError, McpServerError, McpToolError } from "./mcp/errors.js";
export {
  InvalidModelScriptError,
  InvalidModelSettingError,
  MissingModelSettingError,
  ModelCallError,
  ModelOverrideUnsupportedError,
  ModelScriptExhaustedError,
  ModelWaitTooLongError,
} from "./models/index.js";
export {
  CheckpointCorruptError,
  EmptyMessageError,
  IdempotencyConflictError,
  InboxFullError,
  InputTooLargeError,
  InvalidDecisionTargetError,
  InvalidMessagesError,
  InvalidSessionPathError,
  InvalidTitleError,
  InvalidTurnFileError,
  InvalidVariableNameError,
  InvalidVariablesError,
  LeaseLostError,
  MissingDeliveryTriggerError,
  ParkwayError,
  SessionBusyError,
  SessionNotAwaitingInputError,
  SessionNotParkedError,
  SessionNotResumableError,
  SessionStoreCapabilityError,
  SessionStoreIdError,
  SessionWorkflowMismatchError,
  StaleDecisionError,
  UnknownSessionError,
  UnknownSessionTriggerError,
  UnknownTriggerError,
  UnknownWorkflowError,
  UnstorableStateError,
  WorkflowDisabledError,
  WorkspacePathEscapeError,
} from "./session/errors.js";
export { CaseSchemaError } from "./spec/cases/index.js";
export { ReservedToolNameError, ToolPathsError } from "./tools/index.js";
export {
  AgentClosedError,
  CheckpointerReadOnlyError,
  GraphNotRunnableError,
  InvalidVerdictError,
  StepLimitError,
  TurnCancelledError,
} from "./turn/errors.js";
export { AuthoringBackendExposedError, MountCollisionError } from "./workspace/index.js";
