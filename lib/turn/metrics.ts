/** What a turn tells the host's metric sink, derived from the events that it tells. */
import type { MetricEvent, MetricSink } from "../extensions/types.js";
import { modelCallsOf } from "../session/attempts.js";
import type { EventDraft } from "../session/events.js";
import { isRuntimeNote } from "../session/messages.js";
import { tokensOf } from "../session/usage.js";
import { workflowSlugFromToolName } from "../spec/index.js";
import { CONTROL_NAMES } from "../tools/index.js";
import type { Emitter } from "./emitter.js";
import { resolveCalledName } from "./surface.js";
import type { LegEnd, Turn } from "./types.js";

type ToolMetric = Extract<MetricEvent, { event: "tool" }>;

/** Sinks that have thrown and were warned of, by the agent that has them. */
const WARNED = new WeakMap<Emitter, Set<MetricSink>>();

/** A sink that throws, or rejects, has no say in the turn; the first time is a warning. */
export function reportMetric({ assembly, host, sessionId }: MetricScope, metric: MetricEvent): void {
  const sink = assembly.extensions.onMetric;
  if (sink === null) return;
  const failed = (error: unknown) => {
    const warned = WARNED.get(host.emitter) ?? new Set();
    WARNED.set(host.emitter, warned);
    if (warned.has(sink)) return;
    warned.add(sink);
    const message = `onMetric threw, and what it throws is ignored from here on: ${messageOf(error)}`;
    host.emitter.emit({ type: "warning", scope: "metrics", message }, sessionId);
  };
  try {
    const returned: unknown = sink(metric);
    if (returned instanceof Promise) returned.catch(failed);
  } catch (error) {
    failed(error);
  }
}

type MetricScope = Pick<Turn, "assembly" | "host" | "sessionId">;

/** The figures of one turn. */
export class TurnMetrics implements NonNullable<Turn["metrics"]> {
  /** Calls whose child has parked. */
  private readonly parked = new Set<string>();
  private model: string | undefined;
  private readonly startedAt: number;

  constructor(private readonly turn: Turn) {
    this.startedAt = turn.host.clock.now();
  }

  observe(draft: EventDraft): void {
    if (draft.type === "model-usage" && this.isAgents(draft.state)) this.model = draft.model;
    if (draft.type === "tool-blocked") this.tool(draft, { isError: true, blocked: true, ms: 0 });
    if (draft.type === "tool-result") this.result(draft);
    if (draft.type === "sub-workflow-result" && draft.status === "parked") this.parked.add(draft.toolCallId ?? "");
  }

  /** Without a turn, as of a refused input, there is nothing to tell. */
  settled({ settlement, error }: Extract<LegEnd, { kind: "settle" }>): void {
    const { turn } = this;
    if (settlement.status !== "settled" && settlement.status !== "error") return;
    const failed = settlement.status === "error";
    if (!failed && !settlement.outcome) return;
    const { fields, messages, trail, usage } = turn.writer.state;
    const { legStart = 0, legTrail = 0, legTokens = 0 } = fields;
    const own = messages.slice(legStart).filter((message) => !isRuntimeNote(message));
    const begun = Math.min(trail[legTrail]?.ts ?? this.startedAt, this.startedAt);
    reportMetric(turn, {
      event: "run",
      ...(this.model !== undefined ? { model: this.model } : {}),
      turns: modelCallsOf(turn.writer.state),
      toolCalls: own.reduce((count, message) => count + (message.tool_calls?.length ?? 0), 0),
      totalTokens: tokensOf(usage) - legTokens,
      ms: turn.host.clock.now() - begun,
      kind: failed ? "error" : settlement.outcome!.kind,
      ...(failed && error ? { error: error.message } : {}),
      ...this.names(),
    });
  }

  /** A park is no error: the call that it answers is pending. */
  private result(draft: Extract<EventDraft, { type: "tool-result" }>): void {
    const isError = draft.status === "error";
    const waits = this.parked.delete(draft.callId) || draft.tool === "archmax_wait";
    this.tool(draft, {
      isError,
      blocked: false,
      ...(waits && !isError ? { pending: true } : {}),
      ms: draft.durationMs,
    });
  }

  private tool(
    { tool, state }: { tool: string; state: string },
    told: Pick<ToolMetric, "isError" | "blocked" | "pending" | "ms">,
  ): void {
    const called = resolveCalledName(this.turn.assembly, tool);
    // A name that a model made up is told as one thing: names of metrics stay few.
    const known = called.ok ? { tool: called.tool, source: this.sourceOf(called.tool) } : UNKNOWN;
    reportMetric(this.turn, { event: "tool", ...known, ...told, state, ...this.names() });
  }

  private sourceOf(tool: string): ToolMetric["source"] {
    if (workflowSlugFromToolName(tool) !== null) return "workflow";
    if ((CONTROL_NAMES as readonly string[]).includes(tool)) return "control";
    const { tables, tools } = this.turn.assembly;
    return tools.get(tool)?.source ?? (tables.hostTools.includes(tool) ? "host" : "builtin");
  }

  private isAgents(state: string): boolean {
    return this.turn.machine.states.get(state)?.automated !== true;
  }

  private names(): { sessionId: string; workflow: string } {
    return { sessionId: this.turn.sessionId, workflow: this.turn.machine.workflow };
  }
}

const UNKNOWN = { tool: "unknown", source: "builtin" } as const;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
