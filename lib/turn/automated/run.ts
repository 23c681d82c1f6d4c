/** The calls of one automated state's run: governed one by one, journaled, and its controls serviced (R-133… ). */
import { judgeCall, readableEvidencePath } from "../../kernel/index.js";
import { checkAdvance } from "../../machine/index.js";
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { EventDraft } from "../../session/events.js";
import { applyPatches } from "../../session/fold.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { judgeWrite, valuesOf } from "../../session/variables.js";
import { parseAdvance, parseGetVariables, parseRaise, parseSetVariables } from "../../tools/index.js";
import { readVariables } from "../batch/read-variables.js";
import { shownOutput } from "../emitter.js";
import { executeCall } from "../execute-call.js";
import { argsHash, type JournalEntry, scriptPrefix } from "../journal.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import { historyText } from "./history.js";

export type AutomatedDecision =
  | { kind: "advance"; to: string; reason: string; evidence: string[]; callId: string }
  | { kind: "raise"; code: string; reason: string; callId: string };

interface Answer {
  text: string;
  refusal?: string;
}

export class AutomatedRun {
  /** Variable writes, in order. */
  readonly written: SessionPatch[] = [];
  /** To be emitted when the run has settled. */
  readonly events: EventDraft[] = [];
  /** The first accepted decision; it takes effect when the run finishes cleanly. */
  decision: AutomatedDecision | null = null;
  /** A terminal block or a replay that differs: the state has failed, whatever the script does then. */
  broken: string | null = null;
  /** The evaluation's first clock reading and seed: those of its first attempt (S-47). */
  readonly startAt: number;
  readonly seed: number;

  private readonly state: SessionState;
  private readonly slug: string;
  private readonly prefix: string;
  /** Journaled calls of an earlier attempt, by key, in call order. A call under way then may be missing among them. */
  private readonly earlier: ReadonlyMap<string, JournalEntry>;
  private ordinary = 0;
  /** Ordinary calls under way. */
  private readonly open = new Set<Promise<unknown>>();
  private readonly over = new AbortController();

  constructor(
    private readonly turn: Turn,
    entered: SessionState,
    now: number,
  ) {
    this.state = entered;
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
    const verdict = judgeCall(this.turn.machine, this.turn.assembly.tables, {
      state: this.slug,
      tool,
      args,
      origin: "script",
      replyOnly: false,
      variables: valuesOf(this.now().variables),
      sessionId: this.turn.sessionId,
    });
    if (verdict.decision === "block") {
      const { ruleId, reason } = verdict;
      if (verdict.terminal) this.broken = reason;
      const blocked = { state: this.slug, tool, callId, args, reason, rule: ruleId };
      this.turn.emit({ type: "tool-blocked", ...blocked, origin: "script" });
      return { ok: false, message: reason, ruleId, tool };
    }
    const service = Object.hasOwn(SERVICES, tool) ? SERVICES[tool] : undefined;
    if (service) return this.serve({ callId, tool, args: verdict.args }, service);
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

  /** The run is over: calls under way are told to stop, and no further one starts. */
  close(): void {
    this.over.abort(new Error("The script's run is over."));
  }

  /** The session as a later call of the same run sees it. */
  now(): SessionState {
    return applyPatches(this.state, this.written);
  }

  private serve(call: ServedCall, service: Service): ScriptCallResult {
    const shown = { state: this.slug, tool: call.tool, callId: call.callId, origin: "script" as const };
    this.turn.emit({ type: "tool-called", ...shown, args: call.args });
    const { decision } = this;
    const told = this.events.length;
    const answer = service(this, call);
    const status = answer.refusal ? "error" : "success";
    const result: EventDraft = { type: "tool-result", ...shown, status, durationMs: 0, ...shownOutput(answer.text) };
    // What the call has changed is told when it has been committed, and its result with it.
    if (this.events.length > told || this.decision !== decision) this.events.push(result);
    else this.turn.emit(result);
    return answer.refusal ? { ok: false, message: answer.text, tool: call.tool } : { ok: true, text: answer.text };
  }

  private async runOrdinary(call: ServedCall): Promise<ScriptCallResult> {
    this.ordinary += 1;
    const key = `${this.prefix}${this.ordinary.toString(36).padStart(4, "0")}`;
    const recorded = this.earlier.get(key);
    if (recorded && (recorded.tool !== call.tool || recorded.hash !== argsHash(call.args))) {
      const done = [...this.earlier].filter(([earlier]) => earlier >= key).map(([, entry]) => entry.tool);
      this.broken = `replay-mismatch: after an interruption the script called ${call.tool} where it had called ${recorded.tool} before; already done: ${done.join(", ")}.`;
      return { ok: false, message: this.broken, tool: call.tool };
    }
    try {
      const result = await executeCall(this.turn, {
        ...call,
        state: this.slug,
        key,
        origin: "script",
        evaluationAt: this.startAt,
        runSignal: this.over.signal,
      });
      if (result.status === "success") return { ok: true, text: result.text };
      return { ok: false, message: result.text, tool: call.tool };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), tool: call.tool };
    }
  }

  advance({ callId, args }: ServedCall): Answer {
    const parsed = parseAdvance(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    if (this.decision) return alreadyDecided(this.decision);
    const { machine, assembly } = this.turn;
    const verdict = checkAdvance(machine, {
      state: this.slug,
      to: parsed.args.to,
      variables: valuesOf(this.now().variables),
      ...(parsed.args.evidence ? { evidence: parsed.args.evidence } : {}),
      judgeEvidence: (path) => readableEvidencePath(path, assembly.tables.mounts),
    });
    if (!verdict.ok) return { text: verdict.reason, refusal: verdict.code };
    const { to, reason } = parsed.args;
    this.decision = { kind: "advance", to, reason, evidence: verdict.evidence, callId };
    return { text: `${to} follows when the run ends.` };
  }

  raise({ callId, args }: ServedCall): Answer {
    const parsed = parseRaise(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    if (this.decision) return alreadyDecided(this.decision);
    this.decision = { kind: "raise", ...parsed.args, callId };
    return { text: `The session ends as failed (${parsed.args.code}).` };
  }

  setVariables({ callId, args }: ServedCall): Answer {
    const parsed = parseSetVariables(args);
    if (!parsed.ok) return badArguments(parsed.problems);
    const verdict = judgeWrite(this.turn.machine, this.now(), {
      variables: parsed.args.variables,
      lock: parsed.args.lock ?? false,
      callId,
      now: this.turn.host.clock.now(),
    });
    if (!verdict.ok) return { text: verdict.text, refusal: verdict.code };
    this.written.push(verdict.patch);
    this.events.push(...verdict.events);
    return { text: `Set: ${verdict.names.join(", ")}.` };
  }

  getVariables({ args }: ServedCall): Answer {
    const parsed = parseGetVariables(args);
    return parsed.ok ? readVariables(this.now(), parsed.args) : badArguments(parsed.problems);
  }

  /** the session as it stood when the state was entered. */
  history(): Answer {
    return { text: historyText(this.state) };
  }
}

interface ServedCall {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
}

type Service = (run: AutomatedRun, call: ServedCall) => Answer;

const SERVICES: Record<string, Service | undefined> = {
  archmax_advance: (run, call) => run.advance(call),
  archmax_raise: (run, call) => run.raise(call),
  archmax_set_variables: (run, call) => run.setVariables(call),
  archmax_get_variables: (run, call) => run.getVariables(call),
  archmax_get_history: (run) => run.history(),
};

function alreadyDecided(decision: AutomatedDecision): Answer {
  const taken = decision.kind === "advance" ? `to advance to ${decision.to}` : `to raise ${decision.code}`;
  return { text: `The run has decided already, ${taken}.`, refusal: "decided" };
}

function badArguments(problems: readonly string[]): Answer {
  return { text: `The arguments do not fit: ${problems.join(" ")}`, refusal: "invalid-arguments" };
}
