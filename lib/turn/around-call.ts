/**
 * What a host has around the run of a permitted call: middleware, the first of the list outermost, then `afterTool` (A-12,
 * H-21). All of it happens inside what is journaled: a replay finds the final answer, and asks nobody again. A call that is
 * run again after a crash is wrapped again.
 */
import type { ToolMessage } from "@langchain/core/messages";
import { frozenCopy } from "../extensions/index.js";
import type { AgentMiddleware, ToolCallRequest } from "../extensions/types.js";
import { modelCallsOf as committedCalls } from "../session/attempts.js";
import { valuesOf } from "../session/variables.js";
import { workflowSlugFromToolName } from "../spec/index.js";
import { textOfResult } from "../tools/index.js";
import { checkDelegation, refusalText } from "./delegation/checks.js";
import { judgeChanged, modelTurn } from "./judging.js";
import type { CallResult, RunnableCall } from "./runnable-call.js";
import type { Turn } from "./types.js";
import { unlessStopped } from "./unless-stopped.js";

/** Runs the call itself; null where the invocation ends before it has an answer. */
export type Run = (call: RunnableCall) => Promise<CallResult | null>;

/**
 * The call's answer as the host leaves it. What it carries besides its text and its status stays that of the run.
 *
 * @throws what ends the turn; what a host's code throws is an error result
 */
export async function aroundCall(turn: Turn, call: RunnableCall, run: Run): Promise<CallResult | null> {
  const { middleware, hooks } = turn.assembly.extensions;
  const wrapping = middleware.filter(({ wrapToolCall }) => wrapToolCall !== undefined);
  const result = wrapping.length > 0 ? await wrapped(turn, call, { wrapping, run }) : await run(call);
  if (result === null || !hooks.afterTool) return result;
  return afterwards(turn, call, result);
}

async function afterwards(turn: Turn, call: RunnableCall, result: CallResult): Promise<CallResult> {
  const { hooks } = turn.assembly.extensions;
  const { callId, tool, args, state } = call;
  const asked = {
    name: tool,
    args: frozenCopy(args),
    result: result.text,
    id: callId,
    turn: modelTurn(modelCallsOf(turn, call)),
    state,
  };
  try {
    const said: unknown = await unlessStopped(turn, async () => hooks.afterTool?.(asked));
    if (typeof said !== "object" || said === null || !("result" in said) || said.result === undefined) return result;
    return { ...result, text: textOfResult(said.result) };
  } catch (error) {
    return failedBy(turn, error, result);
  }
}

async function wrapped(
  turn: Turn,
  call: RunnableCall,
  { wrapping, run }: { wrapping: readonly AgentMiddleware[]; run: Run },
): Promise<CallResult | null> {
  const { ToolMessage } = await import("@langchain/core/messages");
  const inner = new InnerRuns((request) => runAsked(turn, call, request, run));
  const innermost = async (request: ToolCallRequest): Promise<ToolMessage> => {
    const { text: content, status } = await inner.next(request);
    return new ToolMessage({ content, status, tool_call_id: call.callId, name: call.tool });
  };
  const chain = wrapping.reduceRight<(request: ToolCallRequest) => Promise<ToolMessage>>(
    (next, layer) => async (request) => layer.wrapToolCall!(request, next),
    innermost,
  );
  try {
    const message = await unlessStopped(turn, () => chain(requestOf(turn, call)));
    await inner.close();
    return inner.isCutOff ? null : answered(message, inner.last);
  } catch (error) {
    await inner.close();
    return inner.isCutOff ? null : failedBy(turn, error, inner.last);
  }
}

/** The runs of the tool that middleware asks for: one as a rule, none where it answers itself, several where it tries again. */
class InnerRuns {
  /** What the latest run came to. */
  last: CallResult | null = null;
  /** The invocation ends inside a run: whatever middleware makes of that is no answer. */
  isCutOff = false;
  private fatal: { error: unknown } | null = null;
  private readonly running: Promise<unknown>[] = [];
  private isOver = false;

  constructor(private readonly run: (request: ToolCallRequest) => Promise<CallResult | null>) {}

  next(request: ToolCallRequest): Promise<CallResult> {
    if (this.isOver) throw new Error("The call is answered already.");
    const running = this.begin(request);
    this.running.push(running);
    return running;
  }

  /** No run goes on beside the answer. @throws what a run threw: it ends the turn, whatever middleware made of it */
  async close(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled(this.running);
    if (this.fatal) throw this.fatal.error;
  }

  private async begin(request: ToolCallRequest): Promise<CallResult> {
    try {
      const result = await this.run(request);
      if (result !== null) {
        this.last = result;
        return result;
      }
    } catch (error) {
      if (!(error instanceof MiddlewareError)) this.fatal = { error };
      throw error;
    }
    this.isCutOff = true;
    throw new Error("The invocation ends inside the call; the next one goes on with it.");
  }
}

/** Middleware has asked for what it may not have. */
class MiddlewareError extends TypeError {}

function requestOf(turn: Turn, { callId, tool, args, state, runSignal }: RunnableCall): ToolCallRequest {
  return {
    name: tool,
    args: structuredClone(args),
    id: callId,
    state,
    workflow: turn.machine.workflow,
    sessionId: turn.sessionId,
    signal: runSignal ? AbortSignal.any([turn.signal, runSignal]) : turn.signal,
  };
}

/** Runs what the innermost middleware has asked for. Arguments that it has changed are judged like any call's. */
async function runAsked(
  turn: Turn,
  call: RunnableCall,
  { name, args }: ToolCallRequest,
  run: Run,
): Promise<CallResult | null> {
  if (name !== call.tool)
    throw new MiddlewareError(`Middleware may not turn a call of ${call.tool} into one of ${name}.`);
  if (JSON.stringify(args) === JSON.stringify(call.args)) return run(call);
  const judged = await judgeChanged(turn, {
    callId: call.callId,
    tool: call.tool,
    args,
    state: call.state,
    origin: call.origin === "script" && isCode(turn, call.state) ? "code" : call.origin,
    variables: valuesOf(turn.writer.state.variables),
    modelCalls: modelCallsOf(turn, call),
  });
  if (judged.kind === "block") return { text: judged.text, status: "error", refusal: judged.refusal };
  const workflow = workflowSlugFromToolName(call.tool);
  if (workflow !== null) {
    const checked = await checkDelegation(turn, workflow, { ok: true, args: judged.args });
    if (!checked.ok) {
      return { text: refusalText(call.tool, checked), status: "error", refusal: `delegation:${checked.kind}` };
    }
  }
  return run({ ...call, args: judged.args });
}

/** What middleware has returned, on top of what the last run of the tool carries. */
function answered(message: unknown, last: CallResult | null): CallResult {
  if (typeof message !== "object" || message === null || !("content" in message)) {
    throw new TypeError("Middleware has returned no ToolMessage.");
  }
  const said = "status" in message ? message.status : undefined;
  const text = textOfResult(message);
  const status = said === "error" ? "error" : said === "success" ? "success" : (last?.status ?? "success");
  if (status === "success") {
    const { refusal: _refusal, ...rest } = last ?? {};
    return { ...rest, text, status };
  }
  return { ...last, text, status, refusal: last?.refusal ?? "tool-threw" };
}

/** what a host's code throws is the call's error, unless the turn is over with it. */
function failedBy(turn: Turn, error: unknown, result: CallResult | null): CallResult {
  turn.writer.assertOwned();
  turn.signal.throwIfAborted();
  const text = error instanceof Error ? error.message : String(error);
  return { ...result, text, status: "error", refusal: "tool-threw" };
}

function isCode({ machine }: Turn, state: string): boolean {
  return machine.states.get(state)?.type === "code";
}

function modelCallsOf({ writer }: Turn, { modelCalls }: RunnableCall): number {
  return modelCalls ?? committedCalls(writer.state);
}
