/** How a script's call is judged, and what the script is told of a refusal. */
import type { ScriptCallResult } from "../../sandbox/types.js";
import {
  type AskedCall,
  type Given,
  type Judged,
  judgeByHost,
  judgeByKernel,
  type Permitted,
  type Refusal,
} from "../judging.js";
import type { Turn } from "../types.js";
import type { JournaledCalls, PermittedCall } from "./journaled-calls.js";

/** As every call; a call that an earlier attempt has begun is not decided a second time (S-47). */
export async function judgeScripts(turn: Turn, journaled: JournaledCalls, call: AskedCall): Promise<Judged> {
  const byKernel = judgeByKernel(turn, call);
  if (byKernel.kind === "block") return byKernel;
  const { args } = byKernel;
  return journaled.recalled({ callId: call.callId, tool: call.tool, args }) ?? judgeByHost(turn, { ...call, args });
}

export function permittedCall({ callId, tool }: AskedCall, judged: Permitted | Given): PermittedCall {
  const { args } = judged;
  if (judged.kind === "given") return { callId, tool, args, given: judged.text };
  return { callId, tool, args, ...(judged.asked ? { asked: judged.asked } : {}) };
}

export function refused(turn: Turn, { callId, tool, state }: AskedCall, refusal: Refusal): ScriptCallResult {
  const { args, reason, rule, text } = refusal;
  turn.emit({ type: "tool-blocked", state, tool, callId, args, reason, rule, origin: "script" });
  return { ok: false, message: text, ruleId: rule, tool };
}
