/** Where events go that nobody subscribed to, and how they are stamped (H-38, H-130). */
import { renderEventLine } from "../session/event-line.js";
import type { EngineEvent, EventHandler } from "../session/events.js";
import type { Clock } from "../session/ports.js";
import { systemClock } from "../stores/clock/index.js";
import { createEmitter, type Emitter } from "../turn/emitter.js";

/**
 * Stamps `level`, `ts` and `seq` on the events it is given and hands them to the subscriber, as an agent does with its own: in
 * order, one at a time. What the subscriber throws is told once, by `process.emitWarning`, and goes no further.
 *
 * @param onEvent - without one, each event is a line on stderr
 * @param options.clock - of the stamps; the machine's unless given
 */
export function createWorkflowEventEmitter(
  onEvent: EventHandler = printEvent,
  { clock = systemClock }: { clock?: Clock } = {},
): Emitter {
  return createEmitter({
    clock,
    onEvent,
    onHandlerError: (error) =>
      process.emitWarning(`An event handler threw: ${error instanceof Error ? error.message : String(error)}`),
  });
}

function printEvent(event: EngineEvent): void {
  process.stderr.write(`${renderEventLine(event)}\n`);
}
