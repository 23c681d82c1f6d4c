/** The permitted calls of one script, numbered and journaled, so that a later evaluation of it is the same one (S-38, S-47, S-55). */
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { TrailStep, Used } from "../../session/state.js";
import { addUsed } from "../../session/usage.js";
import { workflowSlugFromToolName } from "../../spec/index.js";
import { stopOf, trailOfCalls } from "../automated/run-end.js";
import { argsHash, type Decided, type JournalEntry } from "../journal.js";
import { type Given, hasSay, type Permitted } from "../judging.js";
import type { CallResult, RunnableCall } from "../runnable-call.js";
import type { Turn } from "../types.js";

/** Runs one permitted call; null where the invocation ends before it has an answer. */
export type Perform = (turn: Turn, call: RunnableCall) => Promise<CallResult | null>;

export interface PermittedCall {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
  /** The arguments that a hook has put others in the place of. */
  asked?: Record<string, unknown>;
  /** What a hook has answered in place of the tool. */
  given?: string;
}

/** Where a call of a script leads once it is decided. */
export interface Begun {
  running: ScriptCallResult | Promise<ScriptCallResult>;
}

const ONE_CALL: Used = { tokens: 0, toolCalls: 1 };
/** How long a child may take to stop; one of its tools may not listen to the signal. */
const STOPPING_MS = 1_000;

export class JournaledCalls {
  /** Why the replay is not the first attempt's, or null; no further call is made then. */
  mismatch: string | null = null;
  /** The evaluation's first clock reading (epoch ms) and seed: those of its first attempt. */
  readonly startAt: number;
  readonly seed: number;

  /** Journaled calls of an earlier attempt, by key, in call order. A call under way then may be missing among them. */
  private readonly earlier: ReadonlyMap<string, JournalEntry>;
  private made = 0;
  /** All that the script has made, refused ones included. */
  private calls = 0;
  /** The calls that are being decided; resolves after the last of them. */
  private deciding: Promise<unknown> = Promise.resolve();
  /** By number. */
  private readonly results: CallResult[] = [];
  /** Calls under way. */
  private readonly open = new Map<Promise<unknown>, PermittedCall>();
  private readonly over = new AbortController();
  private readonly cut = new AbortController();

  /**
   * @param scope.state - whose rules the calls were judged by
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

  /** An earlier invocation has begun the evaluation, and has told so. */
  get isReplay(): boolean {
    return this.earlier.size > 0;
  }

  /** The call id of the script's n-th call, refused ones included. */
  callIdOf(index: number): string {
    return `${this.scope.prefix.slice(1)}${index}`;
  }

  /** Why no further call is made, or null. */
  get stopped(): string | null {
    return this.mismatch ?? (this.over.signal.aborted ? "The script's run is over." : null);
  }

  /** Aborts when a call gets no answer in this invocation: the evaluation is thrown away, and made again in the next one. */
  get cutOff(): AbortSignal {
    return this.cut.signal;
  }

  /**
   * Decides and begins calls one after the other in the order in which they were made, whatever time a host takes to judge
   * them: a replay numbers them alike. `begin` decides, and starts the call without waiting for it. Never rejects.
   */
  async inOrder(tool: string, begin: () => Promise<Begun>): Promise<ScriptCallResult> {
    this.turn.meter.count(ONE_CALL);
    this.calls += 1;
    const begun = this.deciding.then(begin);
    this.deciding = begun.catch(() => {});
    try {
      return await (await begun).running;
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), tool };
    }
  }

  /**
   * What is known of a call that the kernel permits: an earlier attempt has begun it, and asked the host then. Null for a
   * call that is to be decided.
   */
  recalled({ callId, tool, args }: PermittedCall): Permitted | Given | null {
    const entry = this.earlier.get(this.keyOf(this.made + 1));
    if (entry?.tool !== tool || entry.decided?.callId !== callId) return null;
    const { changed, given } = entry.decided;
    if ((changed?.asked ?? entry.hash) !== argsHash(args)) return null;
    if (given) return { kind: "given", args, text: entry.answer?.text ?? "" };
    return changed ? { kind: "run", args: changed.args, asked: args } : { kind: "run", args };
  }

  /** Never rejects. */
  perform(call: PermittedCall): Promise<ScriptCallResult> {
    const running = this.answerOf(call);
    this.open.set(running, call);
    return running.finally(() => this.open.delete(running));
  }

  /** Resolves when the calls that the script did not wait for are answered, at the latest after `ms`. */
  rest(ms?: number): Promise<void> {
    return within(ms, [this.deciding.then(() => Promise.all(this.open.keys()))]);
  }

  /**
   * The evaluation is over: calls under way are told to stop, and no further one starts. Resolves when children have
   * stopped, which write down that they were cancelled.
   */
  async close(): Promise<void> {
    this.over.abort(stopOf(this.turn.writer, "The script's run is over."));
    const children = [...this.open].filter(([, { tool }]) => workflowSlugFromToolName(tool) !== null);
    await within(
      STOPPING_MS,
      children.map(([running]) => running),
    );
  }

  /** What the script has used, children included. */
  used(): Used {
    const calls = { tokens: 0, toolCalls: this.calls };
    return this.results.reduce((sum, result) => (result?.used ? addUsed(sum, result.used) : sum), calls);
  }

  /** What the calls bring to the trail, in the order in which they were made. */
  trail(): TrailStep[] {
    return trailOfCalls(this.results.filter((result) => result !== undefined));
  }

  /** Why a replay that has come to its end is not the first attempt's: it left out calls with effects; else null. */
  leftOut(): string | null {
    const next = this.keyOf(this.made + 1);
    const left = [...this.earlier].filter(([key]) => key >= next);
    if (!left.some(([, entry]) => this.hasEffect(entry))) return null;
    return `replay-mismatch: after an interruption the script made fewer calls than before; ${this.alreadyDone()}`;
  }

  private async answerOf(call: PermittedCall): Promise<ScriptCallResult> {
    const { turn, scope } = this;
    this.made += 1;
    const { made } = this;
    const key = this.keyOf(made);
    const recorded = this.earlier.get(key);
    if (recorded && (recorded.tool !== call.tool || recorded.hash !== argsHash(call.args))) {
      this.mismatch = `replay-mismatch: after an interruption the script called ${call.tool} where it had called ${recorded.tool} before; ${this.alreadyDone()}`;
      return { ok: false, message: this.mismatch, tool: call.tool };
    }
    const { asked: _asked, ...permitted } = call;
    try {
      const result = await scope.perform(turn, {
        ...permitted,
        ...(hasSay(turn) ? { decided: decidedOf(call) } : {}),
        state: scope.state,
        key,
        origin: "script",
        evaluationAt: this.startAt,
        runSignal: this.over.signal,
      });
      if (result === null) {
        this.cut.abort();
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

  private keyOf(number: number): string {
    return `${this.scope.prefix}${number.toString(36).padStart(4, "0")}`;
  }

  private alreadyDone(): string {
    const done = [...this.earlier.values()].filter((entry) => this.hasEffect(entry)).map(({ tool }) => tool);
    return `already done: ${done.join(", ") || "nothing that has an effect"}.`;
  }

  private hasEffect({ tool, decided }: JournalEntry): boolean {
    return !decided?.given && this.turn.assembly.tools.get(tool)?.effect !== "read-only";
  }
}

function decidedOf({ callId, args, asked, given }: PermittedCall): Decided {
  return {
    callId,
    ...(asked ? { changed: { asked: argsHash(asked), args } } : {}),
    ...(given !== undefined ? { given: true } : {}),
  };
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
