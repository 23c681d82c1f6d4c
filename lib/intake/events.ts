/** Events of a bus and schedules, which fire triggers and read no answer (S-5, S-93, F-75). */
import type { EventRuleConfig, ScheduleConfig } from "../config/deployment.js";
import type { DeadLetter } from "../session/arrival.js";
import { isStoreFailure, ParkwayError } from "../session/errors.js";
import { canonicalJson, sha256Hex } from "../session/index.js";
import { resolveValuePath } from "../spec/index.js";
import type { Accepted, AcceptOptions, Firing, Intake } from "./types.js";

export type Fired = ({ kind: "accepted" } & Accepted) | { kind: "kept"; letter: DeadLetter };

/** The source of our own lifecycle events (N-47). */
const OWN_SOURCE = "parkway";

/** F-75: sessions that may start one another in a chain. */
export const MAX_HOPS = 10;

/**
 * Fires what the rule says. The event's id is the key, apart for each rule, so an event delivered twice fires once (F-9).
 * What cannot be accepted, today or at a repetition, is kept as a dead letter.
 *
 * @param event - as EventBridge delivers it: `id`, `source`, `detail-type`, `detail`, …
 * @throws what passes, for the platform to deliver the event again: failures of the store, a full inbox
 */
export async function fireEvent(
  intake: Pick<Intake, "fire" | "keep">,
  { name, rule, event }: { name: string; rule: EventRuleConfig; event: unknown },
): Promise<Fired> {
  const { workflow, trigger, sessionPath } = rule;
  const message = rule.message === undefined ? undefined : resolveValuePath(rule.message, event);
  const firing: Firing = {
    workflow,
    trigger,
    variables: variablesOf(rule.variables ?? {}, event),
    ...(typeof message === "string" ? { message } : {}),
    ...(sessionPath !== undefined ? { sessionPath } : {}),
  };
  const before = hopsBefore(event);
  const options: AcceptOptions = {
    source: "bus",
    scope: `events/${name}`,
    key: eventKey(event),
    ...(before === null ? {} : { hops: before + 1 }),
  };
  if (before !== null && before >= MAX_HOPS) {
    const reason = `The event comes from a session that ${before} sessions led to, one starting the other; a chain ends there.`;
    return { kind: "kept", letter: await intake.keep({ firing, options, reason: `too-many-hops: ${reason}` }) };
  }
  return fireOrKeep(intake, firing, options);
}

/**
 * Fires a schedule's trigger, once for each of its times however often the time is told. As `fireEvent`.
 *
 * @param at - the time that was scheduled, as the scheduler wrote it
 */
export async function fireSchedule(
  intake: Pick<Intake, "fire" | "keep">,
  { name, schedule, at }: { name: string; schedule: ScheduleConfig; at: string },
): Promise<Fired> {
  const { workflow, trigger, variables, message, sessionId } = schedule;
  const firing: Firing = {
    workflow,
    trigger,
    ...(variables !== undefined ? { variables } : {}),
    ...(message !== undefined ? { message } : {}),
    ...(sessionId !== undefined ? { sessionId } : {}),
  };
  return fireOrKeep(intake, firing, { source: "bus", scope: "schedules", key: `${name}/${at}` });
}

async function fireOrKeep(
  intake: Pick<Intake, "fire" | "keep">,
  firing: Firing,
  options: AcceptOptions,
): Promise<Fired> {
  try {
    return { kind: "accepted", ...(await intake.fire(firing, options)) };
  } catch (error) {
    if (!(error instanceof ParkwayError) || isStoreFailure(error) || error.retryable) throw error;
    return { kind: "kept", letter: await intake.keep({ firing, options, reason: `${error.code}: ${error.message}` }) };
  }
}

/** A path that leads nowhere leaves its variable unset. */
function variablesOf(paths: Readonly<Record<string, string>>, event: unknown): Record<string, unknown> {
  const values = Object.entries(paths).map(([variable, path]) => [variable, resolveValuePath(path, event)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The event's id; what has none is known by its content. */
function eventKey(event: unknown): string {
  const id = resolveValuePath("id", event);
  return typeof id === "string" && id !== "" ? id : sha256Hex(canonicalJson(event));
}

/** How many sessions led to the one that an event of our own tells of; null for an event of somebody else. */
function hopsBefore(event: unknown): number | null {
  if (resolveValuePath("source", event) !== OWN_SOURCE) return null;
  const hops = resolveValuePath("detail.hops", event);
  return typeof hops === "number" && Number.isSafeInteger(hops) && hops > 0 ? hops : 0;
}
