/** Commits what the arrival does to the session, once (S-31), and lets go of what earlier turns left in the journal (S-46). */
import { applyPatches } from "../../session/fold.js";
import { tokensOf } from "../../session/usage.js";
import { expiredEntries, highestDispatch } from "../journal.js";
import type { TurnNode } from "../types.js";

export const openNode: TurnNode = async (turn, state) => {
  const { patches, events } = turn.opening;
  const { turnOrdinal = 0 } = applyPatches(state, patches).fields;
  // Numbers that only the journal knows are kept when their entries go.
  const dispatchCount = highestDispatch(turn.writer);
  const numbers = dispatchCount > (state.fields.dispatchCount ?? 0) ? [{ set: { dispatchCount } }] : [];
  turn.writer.journalRemove(expiredEntries(turn.writer, turnOrdinal, turn.host.clock.now()));
  turn.afterCommit.push(...events);
  const legTokens = turn.metrics ? tokensOf(state.usage) : 0;
  const figures = legTokens !== (state.fields.legTokens ?? 0) ? [{ set: { legTokens: legTokens || null } }] : [];
  return { patches: [...patches, ...numbers, ...figures] };
};
