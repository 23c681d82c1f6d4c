/** The first parked child's question becomes the session's own park. */
import { parkDelegationOf } from "../../session/delegations.js";
import { nextParkId, parkSet } from "../../session/moves.js";
import type { Park } from "../../session/state.js";
import type { TurnNode } from "../types.js";

export const presentNode: TurnNode = async (turn, state) => {
  const entry = state.fields.pendingDelegations?.[0];
  if (!entry) return { patches: [] };
  const { park } = entry;
  const presented = {
    parkId: nextParkId(state, turn.arrival.id),
    parkedAt: new Date(turn.host.clock.now()).toISOString(),
    delegation: parkDelegationOf(entry),
  };
  const decisions = (state.fields.decisionCount ?? 0) + 1;
  const own: Park = park.channel === "decision" ? { ...park, ...presented, seq: decisions } : { ...park, ...presented };
  const { channel } = own;
  turn.afterCommit.push({
    type: "parked",
    state: own.state,
    awaiting: channel,
    ...(own.channel === "input" ? { reason: own.reason } : {}),
    ...(own.channel === "input" && own.resumeAt ? { resumeAt: own.resumeAt } : {}),
    callId: entry.callId,
  });
  const status = channel === "decision" ? "awaiting_decision" : "awaiting_input";
  const decision = channel === "decision" ? { decisionCount: decisions, handoffBy: "work" as const } : {};
  return { patches: [{ set: { ...parkSet(state, own), status, ...decision } }] };
};
