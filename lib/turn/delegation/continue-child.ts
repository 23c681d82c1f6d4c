/** Running a parked child on with what answered its park. */
import type { ArrivalInput } from "../../session/arrival.js";
import type { EventDraft } from "../../session/events.js";
import type { DelegatedCall, PendingDelegation } from "../../session/state.js";
import type { Turn } from "../types.js";

/** What a child's leg came to. */
export interface ChildEnd {
  delegated: DelegatedCall;
  /** The answer to the call, or what the note says (R-184… ). */
  text: string;
  /** `sub-workflow-result`, to be emitted once the step has committed. */
  event: EventDraft;
}

/** Null where the invocation ends before the child has settled or parked (S-55). */
export async function continueChild(
  _turn: Turn,
  entry: PendingDelegation,
  _input: ArrivalInput,
): Promise<ChildEnd | null> {
  throw new Error(`${entry.sessionId} cannot be run on.`);
}
