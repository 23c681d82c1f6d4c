/** Running a parked child on with what answered its park. */
import type { ArrivalInput } from "../../session/arrival.js";
import type { PendingDelegation } from "../../session/state.js";
import type { Turn } from "../types.js";
import { accountOf, type ChildEnd, type Dispatch, deliveredIn } from "./account.js";
import { runChild } from "./child-leg.js";

/** Null where the invocation ends before the child has settled or parked (S-55). */
export async function continueChild(
  turn: Turn,
  entry: PendingDelegation,
  input: ArrivalInput,
): Promise<ChildEnd | null> {
  const { arrival, host } = turn;
  const { sessionId, workflow, dispatchId, callId, state, args } = entry;
  const dispatch: Dispatch = { workflow, sessionId, dispatchId, callId, state, args, startedAt: host.clock.now() };
  return turn.children.through(async () => {
    const end = await runChild(turn, {
      dispatchId,
      arrival: {
        id: arrival.id,
        sessionId,
        seq: 0,
        source: "delegation",
        workflow,
        acceptedAt: arrival.acceptedAt,
        ...(arrival.hops !== undefined ? { hops: arrival.hops } : {}),
      },
      input: async () => input,
    });
    // Its spec has changed since the answer was taken: it stays parked, and is presented again.
    const park = end.kind === "refused" ? end.state.fields.park : undefined;
    const delivered = park ? ({ kind: "parked", park } as const) : await deliveredIn(turn, dispatch, end);
    return delivered && accountOf(turn, dispatch, delivered);
  });
}
