/** Finished work is shown to the completion gate, and completes, goes on or fails (A-19…A-28). */
import type { Completion, Verdict } from "../../extensions/types.js";
import { attemptOf, runOf } from "../../session/attempts.js";
import { failCheck } from "../../session/completion.js";
import type { SessionState } from "../../session/state.js";
import { InvalidVerdictError } from "../errors.js";
import { complete } from "../finish.js";
import { runResultOf } from "../run-result.js";
import type { Turn, TurnNode } from "../types.js";
import { unlessStopped } from "../unless-stopped.js";

export const verifyNode: TurnNode = async (turn, state) => {
  const { completion } = turn.assembly.extensions;
  const verdict = completion ? await ask(turn, state, completion) : { ok: true };
  if (!verdict.ok) {
    const end = failCheck(state, {
      reason: reasonOf(verdict),
      maxAttempts: completion?.maxAttempts ?? 1,
      mayRetry: turn.machine.states.get(state.fields.position ?? "")?.automated !== true,
    });
    turn.afterCommit.push(...end.events);
    return { patches: end.patches };
  }
  const { due: _due, ...run } = runOf(state.fields);
  const end = await complete(turn, state);
  if (completion) {
    turn.afterCommit.push({
      type: "completion-passed",
      state: state.fields.position ?? "",
      attempt: attemptOf(state.fields),
    });
  }
  turn.afterCommit.push(...end.events);
  return { patches: [{ set: { run } }, ...end.patches] };
};

/**
 * Asked again in another process where this one ends before the answer is committed. A turn that is stopped does not wait
 * for a verifier, which goes on without it.
 */
async function ask(turn: Turn, state: SessionState, completion: Completion): Promise<Verdict> {
  const result = await runResultOf(turn, state);
  const verdict: unknown = await unlessStopped(turn, async () => completion.verify(result));
  turn.writer.assertOwned();
  if (!isVerdict(verdict)) throw new InvalidVerdictError(turn.machine.workflow);
  return verdict;
}

function isVerdict(value: unknown): value is Verdict {
  return typeof value === "object" && value !== null && typeof (value as Verdict).ok === "boolean";
}

function reasonOf({ reason }: Verdict): string {
  return typeof reason === "string" && reason.trim() !== "" ? reason.toWellFormed() : "unspecified";
}
