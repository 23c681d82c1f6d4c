/** The child whose park was answered runs on, and what it comes to reaches its caller (R-194…R-196). */
import { settlePending } from "../../session/delegations.js";
import { runtimeNote } from "../../session/notes.js";
import { offloadLargeResult } from "../../tools/index.js";
import { continueChild } from "../delegation/continue-child.js";
import { InvocationEndedError } from "../errors.js";
import type { TurnNode } from "../types.js";

export const delegatedNode: TurnNode = async (turn, state) => {
  const [entry, ...rest] = state.fields.pendingDelegations ?? [];
  const input = state.fields.childInput;
  if (!entry || !input) return { patches: [{ set: { childInput: null } }] };
  const end = await continueChild(turn, entry, input);
  if (end === null) throw new InvocationEndedError();
  const { delegated } = end;
  const used = end.used ? { used: end.used } : {};
  turn.afterCommit.push(end.event);
  if (delegated.result.kind === "parked") {
    const parked = { ...entry, park: delegated.result.park };
    return { patches: [{ ...used, set: { childInput: null, pendingDelegations: [parked, ...rest] } }] };
  }
  const tool = `archmax_workflow_${entry.workflow}`;
  const text = await offloadLargeResult(turn.workspace, { callId: entry.callId, tool, text: end.text });
  const { set, trail } = settlePending(state.fields, delegated);
  const note = runtimeNote(state.messages.length, "sub-workflow", text, `sub-workflow: ${entry.workflow}`);
  return { patches: [{ ...used, set: { ...set, childInput: null }, messages: note, trail }] };
};
