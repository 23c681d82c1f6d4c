/** How an outcome reads as the end of a loop's run (A-36, A-37). Pure. */
import type { Outcome } from "../session/outcome.js";

/**
 * How a run of a loop ended, in fixed words (A-37): `done` is completed, `pending` parked, `incomplete` stopped by a
 * limit, `error` raised or rejected.
 */
export type LoopRunStatus = "done" | "pending" | "incomplete" | "error";

type Ended = Pick<Outcome, "kind" | "exit" | "limit" | "rejected" | "pending">;

export function loopStatusOf({ kind, exit, limit }: Ended): LoopRunStatus {
  switch (kind) {
    case "completed":
      return "done";
    case "parked":
      return "pending";
    case "rejected":
      return "error";
    case "failed":
      return limit !== undefined || codeOf(exit) === "recursion-limit" ? "incomplete" : "error";
  }
}

/** Why a run is not done: never empty. */
export function stoppedBy(outcome: Ended): string {
  const { pending, rejected, exit, limit, kind } = outcome;
  if (pending) {
    const what = pending.channel === "input" ? pending.reason : pending.instructions;
    return `${pending.channel} in ${pending.state}${what === "" ? "" : `: ${what}`}`;
  }
  if (rejected) return rejected;
  if (exit && !exit.success) return `${limit ?? exit.code}: ${exit.reason}`;
  return kind;
}

function codeOf(exit: Outcome["exit"]): string | undefined {
  return exit && !exit.success ? exit.code : undefined;
}
