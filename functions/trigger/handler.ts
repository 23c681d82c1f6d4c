/** Events of the bus and schedules, fired as triggers (F-72). */
import type { Deployment } from "../../lib/config/deployment.js";
import { type Fired, fireEvent, fireSchedule, type Intake } from "../../lib/intake/index.js";
import { InvalidTriggerEventError } from "../shared/errors.js";
import type { Log } from "../shared/log.js";

/** What a rule's target or a schedule sends. */
export type TriggerEvent = { rule: string; event: Record<string, unknown> } | { schedule: string; at: string };

export interface TriggerDeps {
  intake: Pick<Intake, "fire" | "keep">;
  deployment: Pick<Deployment, "events" | "schedules">;
  log: Log;
}

/**
 * What cannot be accepted is kept as a dead letter at once (S-93); what passes, a store that fails, is thrown, so that the
 * platform invokes again.
 *
 * @throws {InvalidTriggerEventError} for what no rule or schedule of this deployment sends
 */
export function createTriggerHandler({ intake, deployment, log }: TriggerDeps) {
  async function fire(input: TriggerEvent): Promise<Fired> {
    if ("rule" in input) {
      const rule = own(deployment.events, input.rule);
      return fireEvent(intake, { name: input.rule, rule, event: input.event });
    }
    const schedule = own(deployment.schedules, input.schedule);
    return fireSchedule(intake, { name: input.schedule, schedule, at: input.at });
  }

  return async (event: unknown): Promise<void> => {
    const input = parseTriggerEvent(event);
    const name = "rule" in input ? { rule: input.rule } : { schedule: input.schedule };
    const fired = await fire(input);
    if (fired.kind === "kept") {
      log.warn("What came cannot be accepted, and is kept.", { ...name, deadLetterId: fired.letter.id });
      return;
    }
    const { arrivalId, sessionId } = fired.receipt;
    log.info("Accepted.", { ...name, sessionId, arrivalId, repeated: fired.repeated });
  };
}

/** @throws {InvalidTriggerEventError} */
export function parseTriggerEvent(input: unknown): TriggerEvent {
  if (!isRecord(input)) throw new InvalidTriggerEventError();
  const { rule, event, schedule, at } = input;
  if (typeof rule === "string" && isRecord(event)) return { rule, event };
  if (typeof schedule === "string" && typeof at === "string") return { schedule, at };
  throw new InvalidTriggerEventError();
}

/** A rule that was removed while its event was under way is none that could be fired. */
function own<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) throw new InvalidTriggerEventError();
  return entry;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
