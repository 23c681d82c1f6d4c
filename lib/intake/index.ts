/** The entrances' side of the engine: nothing here, or below it, loads the model library (F-78). */
export { acceptArrival, arrivalKey } from "./accept.js";
export { type CheckDepth, checkModelId, MAX_INPUT_BYTES, prepareInput } from "./check.js";
export { UnsupportedRuntimeContractError, WorkflowLoadError } from "./errors.js";
export { type Fired, fireEvent, fireSchedule, MAX_HOPS } from "./events.js";
export { firingInput } from "./firing.js";
export { createIntake } from "./intake.js";
export { createLatest, workflowText } from "./latest.js";
export { declaresMachine, loadMachine } from "./load-machine.js";
export { isFinal, outcomeOfReceipt, WAIT_LIMIT_MS } from "./receipts.js";
export { parsedSessionId, resolveSession, type SessionResolution } from "./resolve.js";
export { createIntakeSessions, loadSession } from "./sessions.js";
export type {
  Accepted,
  AcceptOptions,
  Firing,
  Intake,
  IntakeHost,
  IntakeWorkflow,
  IntakeWorkflows,
} from "./types.js";
export type { FileInput } from "./uploads.js";
export { createIntakeWorkflows, type IntakeWorkflowsOptions } from "./workflows.js";
