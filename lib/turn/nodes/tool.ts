/** One call as one task: its answer is durable as soon as it is known (S-45). A call may be left open (S-55). */
import type { SessionPatch } from "../../session/state.js";
import { offloadLargeResult } from "../../tools/index.js";
import { performCall } from "../call.js";
import { callKey } from "../journal.js";
import { resolveCalledName } from "../surface.js";
import type { ToolTask, Turn } from "../types.js";

export async function toolNode(turn: Turn, task: ToolTask): Promise<SessionPatch[]> {
  const { state } = turn.writer;
  const message = state.messages.findLast((candidate) => candidate.tool_calls?.some((call) => call.id === task.callId));
  const asked = message?.tool_calls?.find((call) => call.id === task.callId);
  if (!asked) throw new Error(`No stored message holds the call ${task.callId}.`);
  const name = task.tool ?? nameOf(turn, asked.name);
  turn.writer.assertOwned();
  turn.signal.throwIfAborted();
  const result = await performCall(turn, {
    callId: task.callId,
    tool: name,
    args: task.args ?? asked.args,
    state: state.fields.position ?? "",
    key: callKey(state.fields.turnOrdinal ?? 0, task.callId),
    origin: "agent",
    ...(task.dispatch !== undefined ? { dispatch: task.dispatch } : {}),
  });
  if (result === null) return [];
  const text = await offloadLargeResult(turn.workspace, { callId: task.callId, tool: name, text: result.text });
  return [{ answers: [{ ...result, callId: task.callId, tool: asked.name, text }] }];
}

function nameOf(turn: Turn, called: string): string {
  const resolved = resolveCalledName(turn.assembly, called);
  return resolved.ok ? resolved.tool : called;
}
