/** What a turn that throws leaves behind (R-53, R-108, F-17). */
import { stopReason } from "../session/attempts.js";
import type { SessionPatch, SessionState } from "../session/state.js";
import { StepLimitError } from "./errors.js";

export function failurePatch(state: SessionState, thrown: { error: unknown; cancelled: boolean }): SessionPatch {
  if (state.fields.disposition === "reply") return { set: { replyOwed: null, failure: null } };
  const { code, reason } = exitOf(thrown);
  const told = stopReason(state.fields, reason);
  return {
    ...interruptedCalls(state, reason),
    set: {
      status: "failed",
      endedAs: "failed",
      exit: { code, reason: told, state: state.fields.position ?? "" },
      failure: null,
      park: null,
      parkPhase: null,
      replyOwed: null,
      ...(state.fields.childInput ? { childInput: null } : {}),
    },
  };
}

function exitOf({ error, cancelled }: { error: unknown; cancelled: boolean }): { code: string; reason: string } {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof StepLimitError) return { code: error.code, reason };
  return { code: cancelled ? "turn-cancelled" : "turn-error", reason };
}

/** Calls of the open batch that have no answer get one, and the batch's move takes no effect. */
function interruptedCalls(state: SessionState, reason: string): Pick<SessionPatch, "answers"> {
  const { batch } = state;
  if (!batch) return {};
  const message = state.messages.findLast((candidate) =>
    candidate.tool_calls?.some((call) => batch.calls.includes(call.id)),
  );
  const open = batch.calls.filter((callId) => !batch.answers.some((answer) => answer.callId === callId));
  return {
    answers: open.map((callId) => ({
      callId,
      tool: message?.tool_calls?.find((call) => call.id === callId)?.name ?? "",
      text: "The turn ended before this call was answered; whether it took effect is unknown.",
      status: "error",
      refusal: "interrupted",
      failure: reason,
    })),
  };
}
