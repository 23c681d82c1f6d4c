/** One permitted call, whoever makes it: of an ordinary tool, a sub-workflow or a script. */
import { workflowSlugFromToolName } from "../spec/index.js";
import { isScriptTool } from "../tools/index.js";
import { performDelegation } from "./delegation/dispatch.js";
import { answerGiven, executeCall } from "./execute-call.js";
import { mockOf } from "./mocked.js";
import type { CallResult, RunnableCall } from "./runnable-call.js";
import { evaluateScript } from "./scripts/evaluation.js";
import type { Turn } from "./types.js";

/**
 * What the call comes to; null where the invocation ends before it has an answer, so that the next one goes on with it
 * (S-55). A test case's mock answers in place of the tool (C-19).
 */
export async function performCall(turn: Turn, call: RunnableCall): Promise<CallResult | null> {
  if (call.given !== undefined) return answerGiven(turn, call, call.given);
  const mock = mockOf(turn, call.tool, call.args);
  const mocked = { ...call, ...(mock ? { mock } : {}) };
  if (workflowSlugFromToolName(call.tool) !== null) return performDelegation(turn, mocked);
  return isScriptTool(call.tool) ? evaluateScript(turn, mocked, performCall) : executeCall(turn, mocked);
}
