/** What `parkway` offers: one list, nothing public by accident. */

export { InvalidClockError, SessionStoreRequiredError, WorkspaceRootRequiredError } from "./agent/errors.js";
export type { AgentStores } from "./agent/options.js";
export type { Sessions } from "./agent/sessions.js";
export {
  type Agent,
  type AgentCapabilities,
  type AgentWorkflow,
  type CreateAgentParams,
  createAgent,
  type DecisionInput,
  type DeliveryInput,
  type GovernedAgent,
  type PlainAgent,
  type TurnConfig,
  type TurnInput,
} from "./agent.js";
export {
  ARTIFACT_SCHEMAS,
  createTrajectoryRecorder,
  type RunMetadata,
  type SerializedGraph,
  type Trajectory,
  type TrajectoryRecorder,
} from "./artifacts/index.js";
export { defineConfig, type ParkwayConfig } from "./config/index.js";
export {
  type SessionResolution,
  UnsupportedRuntimeContractError,
  WorkflowLoadError,
} from "./intake/index.js";
export type { GovernanceRule, PathAccess, ToolPaths } from "./kernel/types.js";
export {
  costOf,
  createChatModel,
  formatUsage,
  InvalidModelSettingError,
  MissingModelSettingError,
  ModelCallError,
  type ModelFactory,
  type Price,
  type PricingTable,
  priceOf,
} from "./models/index.js";
export {
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
export type { EngineEvent, EventHandler } from "./session/events.js";
export { isRuntimeNote, runtimeNoteKind, type StoredMessage } from "./session/messages.js";
export { classifyStatus, isFinished, type Outcome, type SessionSummary } from "./session/outcome.js";
export { type Park, type TrailStep, type Usage, WORKFLOW_STATUSES } from "./session/state.js";
export {
  childSessionId,
  isChildSessionOf,
  MANUAL_TRIGGER,
  parentSessionIdOf,
  parseCodeDescription,
  parseMachineSpec,
  runArtifactPaths,
  sessionIdRejection,
  sessionPaths,
  signatureForTrigger,
  signatureJsonSchema,
  signatureValueIssues,
  WORKFLOW_TOOL_PREFIX,
  workflowPaths,
  workflowSlugFromToolName,
  workflowToolName,
} from "./spec/index.js";
export { createMemoryFileStore, createMemorySessionStore } from "./stores/memory/index.js";
export { ReservedToolNameError, ToolPathsError, toolsFromMap } from "./tools/index.js";
export { PACKAGE_VERSION } from "./version.js";
export { type CreateWorkerParams, createWorker, embeddedStores, type Worker } from "./worker.js";
export {
  AuthoringBackendExposedError,
  type Backend,
  createFilesystemBackend,
  createMemoryBackend,
  defaultMounts,
  MountCollisionError,
  type MountOptions,
  type MountTable,
  mountSubtree,
} from "./workspace/index.js";
export { validateWorkflow } from "./workspace/validate/index.js";
