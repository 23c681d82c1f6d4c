/**
 * What `parkway` offers: one list, nothing public by accident. All of `parkway/spec` and `parkway/messages` is here too
 * (H-4, H-130). Importing it loads no engine: see lazy.ts; what is
 * small comes from its own file, not from its folder's index, which would bring the folder along.
 */

export * from "./messages/index.js";
export * from "./spec/public.js";

// Agents and workers

export { createWorkflowEventEmitter } from "./agent/event-emitter.js";
export type { AgentStores } from "./agent/options.js";
export type { Sessions } from "./agent/sessions.js";
export type {
  Agent,
  AgentCapabilities,
  AgentWorkflow,
  CreateAgentParams,
  DecisionInput,
  DeliveryInput,
  DeliveryInput as TriggerDelivery,
  GovernedAgent,
  PlainAgent,
  TurnConfig,
  TurnInput,
} from "./agent.js";
export { defineConfig, type ParkwayConfig } from "./config/config.js";
export type {
  AgentMiddleware,
  AgentSpec,
  Compaction,
  Completion,
  ExtensionOptions,
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
} from "./extensions/index.js";
export type { SessionResolution } from "./intake/index.js";
export { createAgent, createWorker, embeddedStores, validateWorkflow } from "./lazy.js";
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
export { createMemoryFileStore, createMemorySessionStore } from "./stores/memory/index.js";

// Files

export { defaultMounts } from "./workspace/default-mounts.js";
export { createFilesystemBackend } from "./workspace/filesystem-backend.js";
export type {
  Backend,
  FileError,
  FileInfo,
  GrepMatch,
  MountOptions,
  MountTable,
  Workspace,
} from "./workspace/index.js";
export { createMemoryBackend } from "./workspace/memory-backend.js";
export { mountSubtree } from "./workspace/subtree.js";

// Tools and what governs them

export type { GovernanceRule, PathAccess, ToolPaths } from "./kernel/types.js";
export type { HandlerContext as ToolContext, ToolEffectOptions } from "./tools/index.js";
export { type ToolDescriptor as AgentToolDescriptor, toolsFromMap } from "./tools/tools-from-map.js";

// Models, usage and cost

export { createChatModel, createInProcessModel, scriptedModel } from "./lazy.js";
export type {
  ChatModelSettings,
  InProcessAnswer,
  InProcessRequest,
  ModelFactory,
  ModelRole,
  ModelSettings,
  ScriptStep,
} from "./models/index.js";
export { costOf, type Price, type PricingTable, priceOf } from "./models/pricing.js";
export { addUsage as addSummaries, emptyUsage, formatUsage, hasUsage } from "./models/usage.js";
export { createUsageTracker, type UsageTracker } from "./session/usage-tracker.js";

// What a run leaves to be read, and the skill that teaches authoring

export { createTrajectoryRecorder, type TrajectoryRecorder } from "./artifacts/recorder.js";
export { ARTIFACT_SCHEMAS } from "./artifacts/schemas.js";
export type { RunMetadata, SerializedGraph, Trajectory } from "./artifacts/types.js";
export { BUNDLED_AUTHORING_SKILL_DIR } from "./authoring-skill.js";

// Errors (H-5, H-129)

export { InvalidClockError, SessionStoreRequiredError, WorkspaceRootRequiredError } from "./agent/errors.js";
export { UnsupportedRuntimeContractError, WorkflowLoadError } from "./intake/errors.js";
export {
  InvalidModelScriptError,
  InvalidModelSettingError,
  MissingModelSettingError,
  ModelCallError,
  ModelScriptExhaustedError,
} from "./models/errors.js";
export {
  CheckpointCorruptError,
  EmptyMessageError,
  IdempotencyConflictError,
  InboxFullError,
  InputTooLargeError,
  InvalidDecisionTargetError,
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
export { CaseSchemaError } from "./spec/cases/errors.js";
export { ReservedToolNameError, ToolPathsError } from "./tools/errors.js";
export { AuthoringBackendExposedError, MountCollisionError } from "./workspace/errors.js";
