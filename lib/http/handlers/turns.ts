/** Looking at a turn and stopping it (N-12). */
import { isFinal } from "../../intake/index.js";
import type { Receipt } from "../../session/arrival.js";
import { type Call, type Handlers, mayUse } from "../call.js";
import { NotFoundError, TurnSettledError } from "../errors.js";
import type { RouteName } from "../routes.js";
import { answeredTurn } from "./answered-turn.js";

export const turnHandlers: Pick<Handlers, "turn" | "cancelTurn"> = {
  async turn(call) {
    const answer = await answeredTurn(call, await receiptOf(call));
    return { ...answer, status: 200 };
  },

  async cancelTurn(call) {
    const receipt = await receiptOf(call);
    const { arrivalId, sessionId } = receipt;
    if (isFinal(receipt) || !(await call.intake.cancel(sessionId, arrivalId))) throw new TurnSettledError();
    const stopped = await call.intake.receipt(arrivalId);
    return { ...(await answeredTurn(call, stopped ?? receipt)), status: 202 };
  },
};

async function receiptOf({ intake, params, principal, seen }: Call<RouteName>): Promise<Receipt> {
  const receipt = await intake.receipt(params.turnId ?? "");
  // N-37: a receipt that does not say its workflow is none of a restricted key's.
  if (receipt === null || !mayUse(principal, receipt.workflow ?? "")) {
    throw new NotFoundError("There is no such turn, or it was too long ago.");
  }
  seen.sessionId = receipt.sessionId;
  return receipt;
}
