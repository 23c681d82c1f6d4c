/** The event stream of one agent: stamps drafts and hands them to the subscriber. */
import type { EngineEvent, EventDraft, EventHandler } from "../session/events.js";
import type { Clock } from "../session/ports.js";

export interface Emitter {
  /** `dispatchId`: of a child, its place below the root. */
  emit(draft: EventDraft, sessionId?: string, dispatchId?: string): void;
}

const WARNINGS = new Set(["warning", "tool-blocked", "raised", "state-error-routed", "completion-failed"]);
const WARN_ON_ERROR = new Set(["tool-result", "code-result", "grader-result", "sub-workflow-result"]);

export function createEmitter(options: {
  clock: Clock;
  onEvent?: EventHandler;
  onHandlerError?(error: unknown): void;
}): Emitter {
  let seq = 0;
  let reported = false;
  const report = (error: unknown) => {
    if (!reported) options.onHandlerError?.(error);
    reported = true;
  };
  return {
    emit(draft, sessionId, dispatchId) {
      if (!options.onEvent) return;
      seq += 1;
      const event = {
        ...draft,
        level: levelOf(draft),
        ts: options.clock.now(),
        seq,
        ...(sessionId !== undefined ? { sessionId } : {}),
        ...(dispatchId !== undefined ? { subWorkflowDispatchId: dispatchId } : {}),
      } as EngineEvent;
      try {
        // A subscriber may be an async function; its rejection must not end the process.
        const returned: unknown = options.onEvent(event);
        if (returned instanceof Promise) returned.catch(report);
      } catch (error) {
        report(error);
      }
    },
  };
}

function levelOf(draft: EventDraft): EngineEvent["level"] {
  if (WARNINGS.has(draft.type)) return "warn";
  return WARN_ON_ERROR.has(draft.type) && "status" in draft && draft.status === "error" ? "warn" : "info";
}

const OUTPUT_CHARS = 4_096;

/** A `tool-result`'s output: the first 4,096 characters, and whether more was cut (R-295). */
export function shownOutput(text: string): { output: string; truncated: boolean } {
  return { output: text.slice(0, OUTPUT_CHARS), truncated: text.length > OUTPUT_CHARS };
}
