/** The calls of a code state's script: governed one by one, journaled, replayed after an interruption (R-133…R-136, S-47). */
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { SessionState, TrailStep } from "../../session/state.js";
import { performCall } from "../call.js";
import type { CallResult } from "../execute-call.js";
import { argsHash, type JournalEntry, scriptPrefix } from "../journal.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import { RunControls, type ServedCall } from "./controls.js";
import { trailOfCalls } from "./run-end.js";

export class AutomatedRun {
  readonly controls: RunControls;
  /** A terminal block or a replay that differs: the state has failed, whatever the script does then. */
  broken: string | null = null;
  /** The invocation ended inside a call: the evaluation is thrown away, and replayed in the next one (S-55). */
  isCutOff = false;
  /** The evaluation's first clock reading and seed: those of its first attempt (S-47). */
  readonly startAt: number;
  readonly seed: number;

  private readonly slug: string;
  private readonly prefix: string;
  /** Journaled calls of an earlier attempt, by key, in call order. A call under way then may be missing among them. */
  private readonly earlier: ReadonlyMap<string, JournalEntry>;
  private ordinary = 0;
  /** Results of ordinary calls, by their number. */
  private readonly results: CallResult[] = [];
  /** Ordinary calls under way. */
  private readonly open = new Set<Promise<unknown>>();
  private readonly over = new AbortController();

  constructor(
    private readonly turn: Turn,
    entered: SessionState,
    now: number,
  ) {
    this.controls = new RunControls(turn, entered, "script");
    this.slug = entered.fields.position ?? "";
    this.prefix = scriptPrefix(entered.fields.turnOrdinal ?? 0, entered.fields.visit ?? 0);
    this.earlier = new Map(
      [...turn.writer.journal]
        .filter(([key]) => key.startsWith(this.prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => [key, JSON.parse(value) as JournalEntry]),
    );
    this.startAt = [...this.earlier.values()][0]?.at ?? now;
    this.seed = Number.parseInt(argsHash({ session: turn.sessionId, key: this.prefix }).slice(0, 8), 16);
  }

  async call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    if (this.broken !== null) return { ok: false, message: this.broken, tool: name };
    if (this.over.signal.aborted) return { ok: false, message: "The script's run is over.", tool: name };
    const callId = `${this.prefix.slice(1)}${index}`;
    const resolved = resolveCalledName(this.turn.assembly, name);
    const tool = resolved.ok ? resolved.tool : name;
    const verdict = this.controls.judge(tool, args);
    if (verdict.decision === "block") {
      const { ruleId, reason } = verdict;
      if (verdict.terminal) this.broken = reason;
      const blocked = { state: this.slug, tool, callId, args, reason, rule: ruleId };
      this.turn.emit({ type: "tool-blocked", ...blocked, origin: "script" });
      return { ok: false, message: reason, ruleId, tool };
    }
    if (this.controls.serves(tool)) {
      const answer = this.controls.serve({ callId, tool, args: verdict.args });
      return answer.refusal ? { ok: false, message: answer.text, tool } : { ok: true, text: answer.text };
    }
    const running = this.runOrdinary({ callId, tool, args: verdict.args });
    this.open.add(running);
    return running.finally(() => this.open.delete(running));
  }

  /** Resolves when the calls that the script did not wait for are answered, at the latest after `ms`. */
  async rest(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, ms));
    });
    if (this.open.size > 0) await Promise.race([Promise.all(this.open), late]);
    clearTimeout(timer);
  }

  /** What the calls bring to the trail, in the order in which they were made. */
  trail(): TrailStep[] {
    return trailOfCalls(this.results.filter((result) => result !== undefined));
  }

  /** The run is over: calls under way are told to stop, and no further one starts. */
  close(): void {
    this.over.abort(new Error("The script's run is over."));
  }

  private async runOrdinary(call: ServedCall): Promise<ScriptCallResult> {
    this.ordinary += 1;
    const { ordinary } = this;
    const key = `${this.prefix}${ordinary.toString(36).padStart(4, "0")}`;
    const recorded = this.earlier.get(key);
    if (recorded && (recorded.tool !== call.tool || recorded.hash !== argsHash(call.args))) {
      const done = [...this.earlier].filter(([earlier]) => earlier >= key).map(([, entry]) => entry.tool);
      this.broken = `replay-mismatch: after an interruption the script called ${call.tool} where it had called ${recorded.tool} before; already done: ${done.join(", ")}.`;
      return { ok: false, message: this.broken, tool: call.tool };
    }
    try {
      const result = await performCall(this.turn, {
        ...call,
        state: this.slug,
        key,
        origin: "script",
        evaluationAt: this.startAt,
        runSignal: this.over.signal,
      });
      if (result === null) {
        this.isCutOff = true;
        this.broken ??= "The invocation has ended.";
        return { ok: false, message: this.broken, tool: call.tool };
      }
      this.results[ordinary] = result;
      if (result.status === "success") return { ok: true, text: result.text };
      // A refused dispatch is a blocked call.
      const ruleId = result.blocked ? result.refusal : undefined;
      return { ok: false, message: result.text, ...(ruleId ? { ruleId } : {}), tool: call.tool };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), tool: call.tool };
    }
  }
}
