/** What bounds one evaluation (R-153, R-260, S-53). */
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from "../../sandbox/types.js";
import { boundOf } from "../step-limit.js";
import type { Turn } from "../types.js";

export function sandboxLimits(turn: Pick<Turn, "machine" | "host">): SandboxLimits {
  const { settings } = turn.machine.spec;
  const timeoutMs = settings?.timeoutMs ?? DEFAULT_SANDBOX_LIMITS.timeoutMs;
  return {
    timeoutMs: boundOf(timeoutMs, turn.host.invocationLimitMs) ?? timeoutMs,
    memoryLimitBytes: settings?.memoryLimitBytes ?? DEFAULT_SANDBOX_LIMITS.memoryLimitBytes,
    maxPtcCalls: settings?.maxPtcCalls === undefined ? DEFAULT_SANDBOX_LIMITS.maxPtcCalls : settings.maxPtcCalls,
    maxResultChars: settings?.maxResultChars ?? DEFAULT_SANDBOX_LIMITS.maxResultChars,
  };
}
