/** Routes a failed state, or reports that the leg's step limit is reached (R-47, R-163…R-169). */
import { routeFailure } from "../../session/moves.js";
import { StepLimitError } from "../errors.js";
import type { TurnNode } from "../types.js";

export const settleNode: TurnNode = async (turn, state) => {
  const { failure } = state.fields;
  if (failure === undefined) throw new StepLimitError(turn.recursionLimit);
  const step = routeFailure(turn.machine, state, {
    reason: failure,
    now: turn.host.clock.now(),
    arrivalId: turn.arrival.id,
  });
  turn.afterCommit.push(...step.events);
  return { patches: step.patches };
};
