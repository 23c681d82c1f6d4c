/** What the model calls of a process have spent, summed from its event stream (H-117). */
import type { EngineEvent, EventHandler } from "./events.js";
import type { Usage } from "./state.js";
import { addUsage, emptyUsage } from "./usage.js";

/** Sums of tokens and cost, of each session and of all, in this process (H-117). */
export interface UsageTracker {
  /** Pass it as `onEvent`. */
  handler: EventHandler;
  /** Of one session (a child's usage is its own), else of all of them. */
  totals(sessionId?: string): Usage;
  /** A copy; sessions in the order of their first model call. */
  bySession(): Map<string, Usage>;
  /** Forgets one session, else all of them. */
  reset(sessionId?: string): void;
}

/**
 * Sums the tokens and cost of an agent's model calls from its events. Counts since it was made or reset, whereas
 * `Outcome.usage` is a session's whole total (H-116).
 *
 * @param options.onEvent - is handed every event, whatever its type
 *
 * @example
 * const usage = createUsageTracker();
 * const agent = await createAgent({ workflow: "refund-desk", onEvent: usage.handler });
 * formatUsage(usage.totals());
 */
export function createUsageTracker({ onEvent }: { onEvent?: EventHandler } = {}): UsageTracker {
  const sums = new Map<string, Usage>();
  return {
    handler(event) {
      if (event.type === "model-usage") {
        const id = event.sessionId ?? "";
        sums.set(id, addUsage(sums.get(id) ?? emptyUsage(), countsOf(event)));
      }
      // What a handler returns is looked at: a promise of one may reject.
      return onEvent?.(event);
    },
    totals(sessionId) {
      if (sessionId !== undefined) return { ...(sums.get(sessionId) ?? emptyUsage()) };
      return [...sums.values()].reduce(addUsage, emptyUsage());
    },
    bySession: () => new Map([...sums].map(([id, usage]) => [id, { ...usage }])),
    reset(sessionId) {
      if (sessionId === undefined) sums.clear();
      else sums.delete(sessionId);
    },
  };
}

function countsOf(event: Extract<EngineEvent, { type: "model-usage" }>): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, costUsd } = event;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}
