/** Authored scripts, run where they can do nothing but call the tools they are given. */

export { createSandbox, type SandboxOptions } from "./sandbox.js";
export {
  type CodeStateResult,
  type CodeStateRun,
  DEFAULT_SANDBOX_LIMITS,
  type Sandbox,
  type SandboxFailure,
  type SandboxLimits,
  type ScriptCallResult,
} from "./types.js";
