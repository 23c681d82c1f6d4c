/** Lets the events of the running case through, and of no other (C-46). */
import type { EventHandler } from "../session/events.js";
import { isChildSessionOf } from "../spec/index.js";

export interface EventGate {
  /** What the target emits to. Events of no session are those of its assembly, and always pass. */
  handler: EventHandler;
  open(sessionId: string): void;
  close(): void;
}

export function createEventGate(onEvent: EventHandler = () => {}): EventGate {
  let current: string | null = null;
  return {
    handler: (event) => {
      const { sessionId } = event;
      const isCurrent = current !== null && sessionId !== undefined;
      if (sessionId === undefined || (isCurrent && (sessionId === current || isChildSessionOf(sessionId, current!)))) {
        onEvent(event);
      }
    },
    open: (sessionId) => {
      current = sessionId;
    },
    close: () => {
      current = null;
    },
  };
}
