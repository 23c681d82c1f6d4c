/** Authored scripts, run where they can do nothing but call the tools they are given. */

export { createSandbox, type SandboxOptions } from "./sandbox.js";
export {
  type CodeStateResult,
  type CodeStateRun,
  DEFAULT_SANDBOX_LIMITS,
  type Evaluation,
  type EvaluationResult,
  type Repl,
  type Sandbox,
  type SandboxFailure,
  type SandboxLimits,
  type ScriptCallResult,
  type ScriptRun,
} from "./types.js";
