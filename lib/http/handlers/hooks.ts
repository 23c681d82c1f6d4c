/** Firings that were given up, and firing them again (N-46). */
import type { DeadLetter } from "../../session/arrival.js";
import { type Handlers, mayUse, requireWorkflow } from "../call.js";
import { NotFoundError } from "../errors.js";
import { latestFirst, pageOf, type RowKey } from "../paging.js";
import { answeredTurn } from "./answered-turn.js";

export const hookHandlers: Pick<Handlers, "hookFailures" | "redrive"> = {
  async hookFailures({ query, intake, principal }) {
    const { limit, cursor, workflow } = query;
    requireWorkflow(principal, workflow);
    const letters = (await intake.deadLetters())
      .filter(({ arrival }) => mayUse(principal, arrival.workflow))
      .filter(({ arrival }) => workflow === undefined || arrival.workflow === workflow)
      .sort((a, b) => latestFirst(keyOfLetter(a), keyOfLetter(b)));
    const page = await pageOf(async (count) => letters.slice(0, count), { limit, cursor, keyOf: keyOfLetter });
    return { status: 200, body: { ...page, items: page.items.map(letterView) } };
  },

  async redrive(call) {
    const { intake, params, principal } = call;
    const { id = "" } = params;
    // The list may lag behind what was kept just now, so it does not tell whose failure it is.
    const letter = await intake.deadLetter(id);
    const isIts = letter !== null && mayUse(principal, letter.arrival.workflow);
    const receipt = isIts ? await intake.redrive(id) : null;
    if (receipt === null) throw new NotFoundError("There is no such failure, or it was too long ago.");
    return { ...(await answeredTurn(call, receipt)), status: 202 };
  },
};

function keyOfLetter({ id, at }: DeadLetter): RowKey {
  return { id, createdAt: at, updatedAt: at };
}

function letterView(letter: DeadLetter): Record<string, unknown> {
  const { id, arrival, attempts, reason, at, redrivenAs } = letter;
  const { workflow, sessionId, source, input } = arrival;
  const trigger = "trigger" in input ? input.trigger : undefined;
  return {
    id,
    workflow,
    ...(sessionId === "" ? {} : { sessionId }),
    ...(trigger === undefined ? {} : { trigger }),
    source,
    code: codeOf(letter),
    detail: reason,
    attempts,
    createdAt: new Date(at).toISOString(),
    ...(redrivenAs === undefined ? {} : { redrivenAs }),
  };
}

/** Where the reason begins with a code, that; else how far the firing came. */
function codeOf({ attempts, reason }: DeadLetter): string {
  const [, code] = /^([a-z]+(?:-[a-z]+)+): /.exec(reason) ?? [];
  if (code !== undefined) return code;
  if (attempts === 0) return "not-accepted";
  return attempts > 1 ? "gave-up" : "refused";
}
