/** Commits what the arrival does to the session, once (S-31). */
import type { TurnNode } from "../types.js";

export const openNode: TurnNode = async (turn) => {
  turn.afterCommit.push(...turn.opening.events);
  return { patches: turn.opening.patches };
};
