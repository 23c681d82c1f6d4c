/** Giving up an arrival whose session cannot be read back (S-75, S-91): what is stored stays as it is. */
import type { CheckpointCorruptError } from "../session/errors.js";
import type { Settlement, Work } from "../session/ports.js";
import { MAX_ATTEMPTS } from "../session/protocol/index.js";
import type { SessionRecord } from "../session/record.js";
import { ofArrival } from "./lifecycle.js";
import { deadLetterFor, storedError } from "./run-arrival.js";
import type { Host } from "./types.js";

/** The settlement of an arrival that was tried often enough, or null while it is to be tried again. */
export function unreadableEnd(
  host: Host,
  { record, work, error }: { record: SessionRecord; work: Work; error: CheckpointCorruptError },
): Settlement | null {
  const { arrival, attempt } = work;
  // A wake-up never becomes a dead letter (F-27).
  if (attempt <= MAX_ATTEMPTS || arrival.wakes !== undefined) return null;
  const now = host.clock.now();
  const deadLetter = deadLetterFor(arrival, { attempts: attempt - 1, reason: error.message, at: now });
  const told = {
    id: `${arrival.sessionId}/${record.turnOrdinal}/${arrival.id}/1`,
    type: "dead-lettered" as const,
    sessionId: arrival.sessionId,
    workflow: arrival.workflow,
    at: now,
    detail: { ...ofArrival(arrival), deadLetterId: deadLetter.id, code: "gave-up" },
  };
  return {
    arrivalId: arrival.id,
    status: "dead",
    error: storedError(error),
    events: host.bus ? [told] : [],
    deadLetter,
    now,
  };
}
