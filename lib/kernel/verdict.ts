import type { JudgedCall } from "./call.js";
import type { Verdict } from "./types.js";

export function allow({ args }: JudgedCall, ruleId: string): Verdict {
  return { decision: "allow", ruleId, args };
}

/** A refusal whose reason names the tool; `why` says what was refused, by whom, and the way out. */
export function block({ call }: JudgedCall, ruleId: string, why: string): Verdict {
  return { decision: "block", ruleId, reason: `${call.tool} was refused: ${why}` };
}
