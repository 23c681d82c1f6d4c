/** The work of a run as a completion verifier sees it: copies, and files that can only be read. */
import type { RunResult, RunToolCall } from "../extensions/types.js";
import { modelCallsIn, runMessages } from "../session/attempts.js";
import { isRuntimeNote, type StoredMessage } from "../session/messages.js";
import { replyIn, shownVariables } from "../session/outcome.js";
import type { SessionState } from "../session/state.js";
import { hasUsage } from "../session/usage.js";
import { readOnly } from "../workspace/index.js";
import type { Turn } from "./types.js";

export async function runResultOf(turn: Turn, state: SessionState): Promise<RunResult> {
  const messages = runMessages(state);
  const toolCalls = toolCallsIn(messages);
  const model = await modelOf(turn, state);
  return {
    text: replyIn(messages),
    toolCalls,
    toolCallCount: toolCalls.length,
    turns: modelCallsIn(messages),
    ...(hasUsage(state.usage) ? { usage: { ...state.usage } } : {}),
    ...(model !== undefined ? { model } : {}),
    sessionId: turn.sessionId,
    workflow: turn.machine.workflow,
    state: state.fields.position ?? "",
    variables: structuredClone(shownVariables(state)),
    auditTrail: structuredClone([...state.trail]),
    messages: structuredClone([...state.messages]),
    workspace: readOnly(turn.workspace),
  };
}

/** The id that the state's agent is called by; a model without one, or none at all, is not named. */
async function modelOf(turn: Turn, state: SessionState): Promise<string | undefined> {
  if (!turn.assembly.models.configured) return undefined;
  return (await turn.modelFor("agent", state.fields.position ?? "")).id;
}

/** The agent's calls in order, each with its answer; arguments as the model wrote them. */
export function toolCallsIn(messages: readonly StoredMessage[]): RunToolCall[] {
  const answers = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  return messages
    .filter((message) => message.role === "assistant" && !isRuntimeNote(message))
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, name, args }) => {
      const answer = answers.get(id);
      const refusal = answer?.additional_kwargs?.archmax?.refusal;
      return {
        name,
        args: structuredClone(args),
        output: answer?.content ?? "",
        isError: answer?.status === "error",
        ...(refusal !== undefined ? { metadata: { refusal } } : {}),
      };
    });
}
