/** What a session keeps of a run's attempts to be found complete (A-20…A-24): pure readings of its fields. */
import { isRuntimeNote, type StoredMessage } from "./messages.js";
import type { Run, SessionFields, SessionState } from "./state.js";

/** A run that nothing is kept of began with the present leg. */
export function runOf(fields: Partial<SessionFields>): Run {
  return fields.run ?? { start: fields.legStart ?? 0 };
}

/** The number of the attempt that is under way, from 1. */
export function attemptOf(fields: Partial<SessionFields>): number {
  return (fields.run?.failed ?? 0) + 1;
}

/** The messages of the run, whatever legs they came in. */
export function runMessages(state: SessionState): readonly StoredMessage[] {
  return state.messages.slice(runOf(state.fields).start);
}

/** why a run was stopped, with the check that an attempt before had failed, where one had. */
export function stopReason(fields: Partial<SessionFields>, reason: string): string {
  const { failed, reason: check } = fields.run ?? {};
  return failed ? `${reason} (stopped in attempt ${failed + 1}; last failed check: ${check})` : reason;
}

/** Model calls of the leg so far, graders' included (A-8). */
export function modelCallsOf({ messages, fields }: Pick<SessionState, "messages" | "fields">): number {
  return modelCallsIn(messages.slice(fields.legStart ?? 0)) + (fields.unheardCalls ?? 0);
}

/**
 * How many of the messages a model's calls have brought. A handoff that the runtime composes (W-82) is none: its id has no
 * attempt's mark (S-36).
 */
export function modelCallsIn(messages: readonly StoredMessage[]): number {
  return messages.filter(
    (message) => message.role === "assistant" && message.id.includes("-") && !isRuntimeNote(message),
  ).length;
}
