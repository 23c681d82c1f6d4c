/**
 * What a turn has used of the limits that its host has set, children included. One meter serves the turn's whole
 * tree: it counts in memory what happens in this invocation, and is told at the start what earlier ones have committed. What
 * a script's or a grader's journal holds is counted as it is replayed.
 */
import type { TurnLimits } from "../extensions/types.js";
import type { SessionPatch, Usage, Used } from "../session/state.js";
import { addUsed, tokensOf } from "../session/usage.js";
import type { SessionWriter } from "./session-writer.js";

/** A limit that is reached: no further model call is made. */
export interface ReachedLimit {
  /** As the outcome names it. */
  limit: "maxTokens" | "maxToolCalls";
  /** Of the exit. */
  code: "limit-tokens" | "limit-tool-calls";
  reason: string;
}

export class Meter {
  private total: Used | undefined;
  private readonly sessions = new Set<string>();

  constructor(private readonly limits: TurnLimits) {}

  /** Counts, and answers what the step has to keep of it. */
  count(used: Used | undefined): { used?: Used } {
    if (used) this.total = addUsed(this.total, used);
    return this.kept(used);
  }

  /** Counts what a session's leg had used when an earlier invocation left it; once, however often it is opened in this one. */
  opened(sessionId: string, before: Used | undefined): void {
    if (!this.sessions.has(sessionId)) this.count(before);
    this.sessions.add(sessionId);
  }

  /** What a patch or an answer keeps of what is counted already: nothing where no limit is set. */
  kept(used: Used | undefined): { used?: Used } {
    const { maxTokensPerTurn, maxToolCallsPerTurn } = this.limits;
    const isLimited = maxTokensPerTurn !== undefined || maxToolCallsPerTurn !== undefined;
    return used && isLimited ? { used } : {};
  }

  /** Asked before each model call. */
  reached(): ReachedLimit | null {
    const { maxTokensPerTurn = Number.POSITIVE_INFINITY, maxToolCallsPerTurn = Number.POSITIVE_INFINITY } = this.limits;
    const { tokens, toolCalls } = this.total ?? { tokens: 0, toolCalls: 0 };
    if (tokens >= maxTokensPerTurn) {
      const reason = `The turn has used ${tokens} tokens, and may use ${maxTokensPerTurn}; it makes no further model call.`;
      return { limit: "maxTokens", code: "limit-tokens", reason };
    }
    if (toolCalls >= maxToolCallsPerTurn) {
      const reason = `The turn has made ${toolCalls} tool calls, and may make ${maxToolCallsPerTurn}; it makes no further model call.`;
      return { limit: "maxToolCalls", code: "limit-tool-calls", reason };
    }
    return null;
  }
}

/** What a model's answer has used: its tokens, where they were reported, and the calls that it makes. */
export function usedBy(usage: Usage | undefined, calls: number): Used {
  return { tokens: usage ? tokensOf(usage) : 0, toolCalls: calls };
}

/** What a leg had used when an earlier invocation left it, answers of its open batch included. */
export function usedBefore(writer: Pick<SessionWriter, "state" | "pendingPatches">): Used | undefined {
  const { fields, batch } = writer.state;
  const answers = [
    ...(batch?.answers ?? []),
    ...writer.pendingPatches().flatMap(({ answers = [] }: SessionPatch) => answers),
  ];
  return answers.reduce((sum, { used }) => (used ? addUsed(sum, used) : sum), fields.used);
}
