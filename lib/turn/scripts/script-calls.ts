/** The calls of one script of the agent's: governed one by one, journaled, replayed after an interruption (R-225…, S-47). */
import { judgeCall } from "../../kernel/index.js";
import type { ScriptCallResult } from "../../sandbox/types.js";
import { delegationTrail } from "../../session/delegations.js";
import type { Todo, TrailStep } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { workflowSlugFromToolName } from "../../spec/index.js";
import { parseTodos } from "../../tools/index.js";
import { shownOutput } from "../emitter.js";
import type { CallResult, RunnableCall } from "../execute-call.js";
import { argsHash, type JournalEntry } from "../journal.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";

/** Runs one permitted call; null where the invocation ends before it has an answer. */
export type Perform = (turn: Turn, call: RunnableCall) => Promise<CallResult | null>;

/** How long a child may take to stop; one of its tools may not listen to the signal. */
const STOPPING_MS = 1_000;

interface Call {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
}

export class ScriptCalls {
  /** A terminal block: the state fails at the end of the batch, whatever the script does then. */
  failure: string | null = null;
  /** A replay that differs from the first attempt; no further call is made. */
  mismatch: string | null = null;
  /** The invocation ended inside a call: the evaluation is thrown away, and replayed in the next one (S-55). */
  isCutOff = false;
  /** The evaluation's first clock reading and seed: those of its first attempt (S-47). */
  readonly startAt: number;
  readonly seed: number;
  /** The list as the script's last `write_todos` left it. */
  todos: Todo[] | undefined;
  /** Aborts when an evaluation has nothing more to do because its call has no answer in this invocation. */
  readonly cutOff = new AbortController();

  /** Journaled calls of an earlier attempt, by key, in call order. A call under way then may be missing among them. */
  private readonly earlier: ReadonlyMap<string, JournalEntry>;
  private made = 0;
  private readonly results: CallResult[] = [];
  /** Calls under way. */
  private readonly open = new Map<Promise<unknown>, Call>();
  private readonly over = new AbortController();

  /**
   * @param scope.state - the agent's state, whose rules decide
   * @param scope.prefix - of the evaluation's journal keys
   */
  constructor(
    private readonly turn: Turn,
    private readonly scope: { state: string; prefix: string; perform: Perform },
  ) {
    const { prefix } = scope;
    this.earlier = new Map(
      [...turn.writer.journal]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => [key, JSON.parse(value) as JournalEntry]),
    );
    this.startAt = [...this.earlier.values()][0]?.at ?? turn.host.clock.now();
    this.seed = Number.parseInt(argsHash({ session: turn.sessionId, key: prefix }).slice(0, 8), 16);
  }

  /** What the sandbox asks for call by call. Never rejects. */
  async call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    const stopped = this.failure ?? this.mismatch ?? (this.over.signal.aborted ? "The script's run is over." : null);
    if (stopped !== null) return { ok: false, message: stopped, tool: name };
    const { turn, scope } = this;
    const resolved = resolveCalledName(turn.assembly, name);
    const call: Call = {
      callId: `${scope.prefix.slice(1)}${index}`,
      tool: resolved.ok ? resolved.tool : name,
      args,
    };
    const verdict = judgeCall(turn.machine, turn.assembly.tables, {
      state: scope.state,
      tool: call.tool,
      args,
      origin: "script",
      replyOnly: false,
      variables: valuesOf(turn.writer.state.variables),
      sessionId: turn.sessionId,
    });
    if (verdict.decision === "block") {
      const { ruleId, reason } = verdict;
      if (verdict.terminal) this.failure = reason;
      turn.emit({ type: "tool-blocked", state: scope.state, ...call, reason, rule: ruleId, origin: "script" });
      return { ok: false, message: reason, ruleId, tool: call.tool };
    }
    const permitted = { ...call, args: verdict.args };
    if (call.tool === "write_todos") return this.writeTodos(permitted);
    const running = this.perform(permitted);
    this.open.set(running, permitted);
    return running.finally(() => this.open.delete(running));
  }

  /** Resolves when the calls that the script did not wait for are answered, at the latest after `ms`. */
  async rest(ms?: number): Promise<void> {
    await within(ms, [...this.open.keys()]);
  }

  /**
   * The evaluation is over: calls under way are told to stop, and no further one starts. Resolves when children have
   * stopped, which write down that they were cancelled.
   */
  async close(): Promise<void> {
    this.over.abort(new Error("The script's run is over."));
    const children = [...this.open].filter(([, { tool }]) => workflowSlugFromToolName(tool) !== null);
    await within(
      STOPPING_MS,
      children.map(([running]) => running),
    );
  }

  /** What the calls bring to the trail, in the order in which they were made. */
  trail(): TrailStep[] {
    return this.results.flatMap(({ trail = [], delegated }) => [
      ...trail,
      ...(delegated ? delegationTrail(delegated) : []),
    ]);
  }

  /** Why a replay that has come to its end is not the first attempt's: it left out calls with effects; else null (S-47). */
  leftOut(): string | null {
    const left = [...this.earlier.keys()].filter((key) => key >= this.keyOf(this.made + 1));
    if (!left.some((key) => this.hasEffect(this.earlier.get(key)!))) return null;
    return `replay-mismatch: after an interruption the script made fewer calls than before; ${this.alreadyDone()}`;
  }

  private async perform(call: Call): Promise<ScriptCallResult> {
    const { turn, scope } = this;
    this.made += 1;
    const { made } = this;
    const key = this.keyOf(made);
    const recorded = this.earlier.get(key);
    if (recorded && (recorded.tool !== call.tool || recorded.hash !== argsHash(call.args))) {
      this.mismatch = `replay-mismatch: after an interruption the script called ${call.tool} where it had called ${recorded.tool} before; ${this.alreadyDone()}`;
      return { ok: false, message: this.mismatch, tool: call.tool };
    }
    try {
      const result = await scope.perform(turn, {
        ...call,
        state: scope.state,
        key,
        origin: "script",
        evaluationAt: this.startAt,
        runSignal: this.over.signal,
      });
      if (result === null) {
        this.isCutOff = true;
        this.cutOff.abort();
        return { ok: false, message: "The invocation ends.", tool: call.tool };
      }
      this.results[made] = result;
      if (result.status === "success") return { ok: true, text: result.text };
      const rule = result.blocked ? { ruleId: result.refusal } : {};
      return { ok: false, message: result.text, ...rule, tool: call.tool };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), tool: call.tool };
    }
  }

  /** Its effect is part of the step's commit, so it has no journal entry (S-42). */
  private writeTodos(call: Call): ScriptCallResult {
    const shown = { state: this.scope.state, tool: call.tool, callId: call.callId, origin: "script" as const };
    this.turn.emit({ type: "tool-called", ...shown, args: call.args });
    const parsed = parseTodos(call.args);
    if (parsed.ok) this.todos = parsed.args.todos;
    const text = parsed.ok
      ? `The list now has ${parsed.args.todos.length} entries.`
      : `The arguments do not fit: ${parsed.problems.join(" ")}`;
    const status = parsed.ok ? "success" : "error";
    this.turn.emit({ type: "tool-result", ...shown, status, durationMs: 0, ...shownOutput(text) });
    return parsed.ok ? { ok: true, text } : { ok: false, message: text, tool: call.tool };
  }

  private keyOf(number: number): string {
    return `${this.scope.prefix}${number.toString(36).padStart(4, "0")}`;
  }

  private alreadyDone(): string {
    const done = [...this.earlier.values()].filter((entry) => this.hasEffect(entry)).map(({ tool }) => tool);
    return `already done: ${done.join(", ") || "nothing that has an effect"}.`;
  }

  private hasEffect({ tool }: JournalEntry): boolean {
    return this.turn.assembly.tools.get(tool)?.effect !== "read-only";
  }
}

async function within(ms: number | undefined, work: readonly Promise<unknown>[]): Promise<void> {
  if (work.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    if (ms !== undefined) timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}
