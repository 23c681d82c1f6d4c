/** The answer that is a turn: at once, or when it has settled within the time asked for (N-9, N-10). */
import { isFinal } from "../../intake/index.js";
import type { Receipt } from "../../session/arrival.js";
import type { Answer, Call } from "../call.js";
import { waitSeconds } from "../negotiation.js";
import { PATHS, pathTo } from "../paths.js";
import type { RouteName } from "../routes.js";
import { turnView } from "../turn-view.js";

export async function answeredTurn(
  call: Call<RouteName>,
  receipt: Receipt,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { request, limits, intake, principal, query, seen } = call;
  const seconds = waitSeconds(request, limits.waitSeconds);
  const waited = seconds === 0 ? receipt : await intake.wait(receipt.arrivalId, seconds * 1000, call.signal);
  const shown = waited ?? receipt;
  const isAnswered = seconds > 0 && isFinal(shown);
  seen.sessionId = receipt.sessionId;
  const include = "include" in query ? query.include?.split(",") : undefined;
  return {
    status: isAnswered ? 200 : 202,
    headers: {
      Location: pathTo(PATHS.turn, { turnId: receipt.arrivalId }),
      ...(isAnswered ? { "Preference-Applied": `wait=${seconds}` } : {}),
      ...headers,
    },
    body: await turnView(intake, shown, { principal, ...(include === undefined ? {} : { include }) }),
  };
}
