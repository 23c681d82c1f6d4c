/** Runs one permitted call of an ordinary tool: arguments, journal, handler, answer (R-59, R-60, S-39…S-41). */
import { visibilityFilter } from "../kernel/index.js";
import type { CallOrigin } from "../kernel/types.js";
import { count } from "../session/metrics.js";
import { valuesOf } from "../session/variables.js";
import type { Reconciled, RuntimeTool, ToolContext } from "../tools/types.js";
import { aroundCall } from "./around-call.js";
import { shownOutput } from "./emitter.js";
import { argsHash, idempotencyKeyOf, type JournalEntry, readEntry, writeEntry } from "./journal.js";
import { mockedResult } from "./mocked.js";
import type { CallResult, RunnableCall } from "./runnable-call.js";
import type { Turn } from "./types.js";

export async function executeCall(turn: Turn, call: RunnableCall): Promise<CallResult> {
  const tool = turn.assembly.tools.get(call.tool);
  if (!tool) return { text: `"${call.tool}" is not a tool here any more.`, status: "error", refusal: "unknown-tool" };
  return journaledCall(turn, call, async (entry) => {
    const parsed = tool.parse(call.args);
    if (!parsed.ok) return misfit(parsed.problems);
    let attempt = entry?.attempt ?? 0;
    const result = await aroundCall(turn, call, (asked) => {
      attempt += 1;
      return answerOf(turn, asked, tool, { entry, attempt });
    });
    return result ?? interrupted(turn, call.tool);
  });
}

/** A call of a script that a hook has answered in place of the tool. */
export async function answerGiven(turn: Turn, call: RunnableCall, text: string): Promise<CallResult> {
  return journaledCall(turn, call, async () => ({ text, status: "success" }));
}

/** Tells of a call, and writes its answer down where it has to be; a known answer is not asked for again. */
async function journaledCall(
  turn: Turn,
  call: RunnableCall,
  answer: (entry: JournalEntry | null) => Promise<CallResult>,
): Promise<CallResult> {
  const { writer, host } = turn;
  // Begun with its message, in this very leg: this is its first attempt.
  const entry = writer.begun.has(call.key) ? null : readEntry(writer, call.key);
  if (entry?.answer) return entry.answer;
  const origin = shownOrigin(call.origin);
  const shown = { state: call.state, tool: call.tool, callId: call.callId };
  const startedAt = host.clock.now();
  turn.emit({ type: "tool-called", ...shown, args: call.args, ...origin });
  const result = await answer(entry);
  if (call.evaluationAt !== undefined && !call.runSignal?.aborted) {
    const known = readEntry(writer, call.key) ?? newEntry(call, call.evaluationAt, 1);
    const { text, status, refusal, picture } = result;
    const marks = { ...(refusal ? { refusal } : {}), ...(picture ? { picture } : {}) };
    await writeEntry(writer, call.key, { ...known, answer: { text, status, ...marks } });
  }
  turn.emit({
    type: "tool-result",
    ...shown,
    status: result.status,
    durationMs: host.clock.now() - startedAt,
    ...shownOutput(result.text),
    ...origin,
  });
  return result;
}

/**
 * Writes down, with the step that asks for them, the calls that are run right after it: their message and their beginning
 * are one commit (S-34, S-39). A call whose tool looks at something first is written down by itself.
 */
export function beginCalls(turn: Turn, calls: readonly Pick<RunnableCall, "tool" | "args" | "key">[]): void {
  const entries = calls.flatMap(({ tool: name, args, key }) => {
    const tool = turn.assembly.tools.get(name);
    if (!tool || tool.effect === "read-only" || tool.before || !tool.parse(args).ok) return [];
    const entry: JournalEntry = { tool: name, hash: argsHash(args), attempt: 1, at: turn.host.clock.now() };
    return [{ key, value: JSON.stringify(entry) }];
  });
  turn.writer.journalBegin(entries);
}

async function answerOf(
  turn: Turn,
  call: RunnableCall,
  tool: RuntimeTool,
  { entry, attempt }: { entry: JournalEntry | null; attempt: number },
): Promise<CallResult> {
  const parsed = tool.parse(call.args);
  if (!parsed.ok) return misfit(parsed.problems);
  if (call.mock) return mockedResult(call.mock);
  let picture: string | undefined;
  const context = contextOf(turn, call, attempt, (path) => {
    picture = path;
  });
  try {
    if (entry && tool.effect !== "read-only" && tool.effect !== "idempotent") {
      const known = await reconcile(tool, parsed.args, context, entry.before);
      if (known.kind === "done") return { text: known.result, status: "success" };
      if (known.kind === "unknown") return interrupted(turn, call.tool);
    }
    if (tool.effect !== "read-only" && !turn.writer.begun.has(call.key)) {
      const before = entry ? entry.before : await tool.before?.(parsed.args, context);
      await writeEntry(turn.writer, call.key, {
        ...newEntry(call, call.evaluationAt ?? turn.host.clock.now(), attempt),
        ...(before !== undefined ? { before } : {}),
      });
    }
    turn.writer.assertOwned();
    context.signal.throwIfAborted();
    turn.writer.begun.delete(call.key);
    const text = await tool.run(parsed.args, context);
    return { text, status: "success", ...(picture === undefined ? {} : { picture }) };
  } catch (error) {
    turn.writer.assertOwned();
    turn.signal.throwIfAborted();
    if (context.signal.aborted) return interrupted(turn, call.tool);
    return { text: messageOf(error), status: "error", refusal: "tool-threw" };
  }
}

async function reconcile(
  tool: RuntimeTool,
  args: Record<string, unknown>,
  context: ToolContext,
  before: unknown,
): Promise<Reconciled> {
  return tool.reconcile ? tool.reconcile(args, context, before) : { kind: "unknown" };
}

/** */
export function misfit(problems: readonly string[]): CallResult {
  return { text: `The arguments do not fit: ${problems.join(" ")}`, status: "error", refusal: "invalid-arguments" };
}

function interrupted(turn: Turn, tool: string): CallResult {
  count(turn.host.metrics, "unknownOutcomes", turn.arrival.workflow);
  return {
    text: `The call of ${tool} was interrupted and its outcome is unknown. Check whether it happened before repeating it.`,
    status: "error",
    refusal: "interrupted",
  };
}

/** only a script's calls are marked in the events. */
export function shownOrigin(origin: CallOrigin): { origin?: "script" } {
  return origin === "script" ? { origin } : {};
}

function newEntry(call: RunnableCall, at: number, attempt: number): JournalEntry {
  const decided = call.decided ? { decided: call.decided } : {};
  return { tool: call.tool, hash: argsHash(call.args), attempt, at, ...decided };
}

function contextOf(turn: Turn, call: RunnableCall, attempt: number, showPicture: (path: string) => void): ToolContext {
  const { machine, assembly, writer } = turn;
  const filters = new Map<string, (path: string) => boolean>();
  return {
    sessionId: turn.sessionId,
    workspace: turn.workspace,
    signal: call.runSignal ? AbortSignal.any([turn.signal, call.runSignal]) : turn.signal,
    idempotencyKey: idempotencyKeyOf(turn.sessionId, call.key),
    attempt,
    caller: call.origin === "script" ? "script" : "model",
    ...(call.origin !== "script" && assembly.pictures ? { showPicture } : {}),
    visible: (tool, path) => {
      let filter = filters.get(tool);
      if (!filter) {
        const variables = valuesOf(writer.state.variables);
        filter = visibilityFilter(machine, assembly.tables, { state: call.state, tool, args: call.args, variables });
        filters.set(tool, filter);
      }
      return filter(path);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
