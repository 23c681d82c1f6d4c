/** `archmax_eval` and `archmax_run`: one evaluation in the leg's REPL, as a call of the batch (R-252…R-263, S-47, S-48). */
import { scriptTools } from "../../kernel/index.js";
import type { EvaluationResult, Repl } from "../../sandbox/types.js";
import type { EventDraft } from "../../session/events.js";
import { valuesOf } from "../../session/variables.js";
import { parseScriptCall, type ScriptCall } from "../../tools/index.js";
import { aroundCall } from "../around-call.js";
import { shownOutput } from "../emitter.js";
import { misfit } from "../execute-call.js";
import { dispatchedUnder, evaluationPrefix, hasEntries } from "../journal.js";
import { mockedResult } from "../mocked.js";
import type { CallResult, RunnableCall } from "../runnable-call.js";
import type { Turn } from "../types.js";
import type { Perform } from "./journaled-calls.js";
import { sandboxLimits } from "./limits.js";
import { ScriptCalls } from "./script-calls.js";

/**
 * Null where the invocation ends inside one of the script's calls, or of a script before it: the next one evaluates both
 * again, in their order (S-55).
 *
 * @param perform - runs a permitted call of the script
 */
export async function evaluateScript(turn: Turn, call: RunnableCall, perform: Perform): Promise<CallResult | null> {
  const parsed = parseScriptCall(call.tool, call.args);
  if (!parsed.ok) return told(turn, call, async () => misfit(parsed.problems));
  const { mock } = call;
  if (mock) return told(turn, call, () => aroundCall(turn, call, async () => mockedResult(mock)));
  return turn.repl.inOrder(async (repl) => {
    if (turn.repl.isCutOff) return null;
    turn.writer.assertOwned();
    turn.signal.throwIfAborted();
    return told(turn, call, () => aroundCall(turn, call, (asked) => loadAndEvaluate(turn, asked, { repl, perform })));
  });
}

async function loadAndEvaluate(
  turn: Turn,
  call: RunnableCall,
  { repl, perform }: { repl: Repl; perform: Perform },
): Promise<CallResult | null> {
  const parsed = parseScriptCall(call.tool, call.args);
  if (!parsed.ok) return misfit(parsed.problems);
  let script: ScriptCall;
  try {
    script = await parsed.args.load(turn);
  } catch (error) {
    turn.writer.assertOwned();
    return failed([error instanceof Error ? error.message : String(error)]);
  }
  return evaluated(turn, call, { repl, script, perform });
}

/** An evaluation that an earlier invocation was cut off in has been told to have begun (R-295, S-51). */
async function told(
  turn: Turn,
  call: RunnableCall,
  work: () => Promise<CallResult | null>,
): Promise<CallResult | null> {
  const { clock } = turn.host;
  const shown = { state: call.state, tool: call.tool, callId: call.callId };
  const startedAt = clock.now();
  if (!hasEntries(turn.writer, prefixOf(turn, call))) turn.emit({ type: "tool-called", ...shown, args: call.args });
  const result = await work();
  if (result === null) return null;
  const durationMs = clock.now() - startedAt;
  turn.emit({ type: "tool-result", ...shown, status: result.status, durationMs, ...shownOutput(result.text) });
  return result;
}

function prefixOf({ writer }: Turn, call: RunnableCall): string {
  return evaluationPrefix(writer.state.fields.turnOrdinal ?? 0, call.callId);
}

async function evaluated(
  turn: Turn,
  call: RunnableCall,
  { repl, script, perform }: { repl: Repl; script: ScriptCall; perform: Perform },
): Promise<CallResult | null> {
  const { machine, assembly, writer } = turn;
  const { state } = writer;
  const prefix = prefixOf(turn, call);
  const calls = new ScriptCalls(turn, { state: call.state, prefix, perform });
  const { journaled } = calls;
  const limits = sandboxLimits(turn);
  const hadNames = namesBefore(turn);
  const begun = performance.now();
  const result = await repl.evaluate({
    ...script,
    variables: valuesOf(state.variables),
    tools: scriptTools(machine, assembly.tables, call.state, { registered: assembly.registered }),
    limits,
    startAt: journaled.startAt,
    seed: journaled.seed,
    signal: AbortSignal.any([turn.signal, journaled.cutOff]),
    callTool: (name, args, index) => calls.call(name, args, index),
  });
  if (result.status === "ok") await journaled.rest(limits.timeoutMs - (performance.now() - begun));
  // What is still under way would otherwise run on beside the next invocation's replay.
  if (journaled.cutOff.aborted) await journaled.rest();
  await journaled.close();
  writer.assertOwned();
  turn.signal.throwIfAborted();
  if (journaled.cutOff.aborted) {
    turn.repl.isCutOff = true;
    untell(turn, prefix);
    return null;
  }
  turn.repl.holdsNames = result.holdsNames;
  const trail = journaled.trail();
  const dispatched = dispatchedUnder(writer, prefix);
  return {
    ...answerOf(result, calls, hadNames && (result.fresh || !result.holdsNames)),
    defines: result.holdsNames,
    ...(calls.todos ? { todos: calls.todos } : {}),
    ...(trail.length > 0 ? { trail } : {}),
    ...(dispatched > 0 ? { dispatched } : {}),
    ...turn.meter.kept(journaled.used()),
  };
}

/** What the calls of an evaluation that is thrown away would tell: the one that is kept tells it (S-40, R-297). */
function untell({ afterCommit }: Turn, prefix: string): void {
  const isOwn = (event: EventDraft) => {
    const id = event.type === "sub-workflow-result" ? event.toolCallId : "callId" in event ? event.callId : undefined;
    return id?.startsWith(prefix.slice(1)) ?? false;
  };
  afterCommit.splice(0, afterCommit.length, ...afterCommit.filter((event) => !isOwn(event)));
}

/** S-48: said once, by the evaluation that finds the names gone or has lost them itself. */
const NAMES_ARE_GONE = "(The sandbox was started anew: names that earlier scripts had defined are gone.)";

function answerOf(result: EvaluationResult, calls: ScriptCalls, areNamesGone: boolean): CallResult {
  const before = [areNamesGone ? NAMES_ARE_GONE : "", result.printed];
  if (calls.failure !== null) return { ...failed([...before, calls.failure]), failure: calls.failure };
  const mismatch = calls.journaled.mismatch ?? calls.journaled.leftOut();
  if (mismatch !== null) return failed([...before, mismatch]);
  if (result.status === "error") return failed([...before, result.reason]);
  return { text: joined([...before, result.text]), status: "success" };
}

function failed(parts: readonly string[]): CallResult {
  return { text: joined(parts), status: "error", refusal: "tool-threw" };
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** Whether an earlier evaluation of the turn has left names behind, in this leg or an earlier one. */
function namesBefore({ writer, repl }: Turn): boolean {
  if (repl.holdsNames !== undefined) return repl.holdsNames;
  const { fields, batch } = writer.state;
  const answers = [...(batch?.answers ?? []), ...writer.pendingPatches().flatMap((patch) => patch.answers ?? [])];
  const latest = answers.findLast(({ defines }) => defines !== undefined);
  return latest?.defines ?? (fields.repl !== undefined && fields.repl === (fields.turnOrdinal ?? 0));
}
