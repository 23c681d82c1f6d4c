/** Commits what the arrival does to the session, once (S-31), and lets go of what earlier turns left in the journal (S-46). */
import { applyPatches } from "../../session/fold.js";
import { expiredEntries } from "../journal.js";
import type { TurnNode } from "../types.js";

export const openNode: TurnNode = async (turn, state) => {
  const { patches, events } = turn.opening;
  const { turnOrdinal = 0 } = applyPatches(state, patches).fields;
  turn.writer.journalRemove(expiredEntries(turn.writer, turnOrdinal, turn.host.clock.now()));
  turn.afterCommit.push(...events);
  return { patches };
};
