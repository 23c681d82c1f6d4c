/**
 * A turn program small enough to be checked by eye, with everything the protocol cares about: it opens, takes some
 * steps, and ends its arrival by completing, waiting or asking. All it knows is in the store, as with a real turn.
 */
import type { Arrival } from "../../lib/session/arrival.js";
import { DEAD_LETTER_TTL_MS, isHeldTooLong, isUndeliveredWake, MAX_ATTEMPTS } from "../../lib/session/index.js";
import type { Lease, SessionStore, ThreadItem, Work } from "../../lib/session/ports.js";
import type { RecordPark, RecordPatch, SessionRecord } from "../../lib/session/record.js";
import { LEASE_MS } from "./builders.js";

export type Ending = "complete" | "wait" | "wait-for-event" | "ask";
export const WAIT_MS = 5_000;

/** One line of the session's history, a thread item of its own that is never written twice. */
export interface LogLine {
  what: "open" | "step" | "end";
  arrivalId: string;
  seq: number;
  held: boolean;
  wakes?: string;
  at: number;
  fence: number;
  park?: RecordPark;
}

interface Progress {
  arrivalId: string | null;
  stepsLeft: number;
  lines: number;
}

/** A worker's hold on a session, as it lives in that worker's memory. */
export interface Job {
  lease: Lease;
  work: Work | null;
  record: SessionRecord;
  progress: Progress;
  cancelled: boolean;
}

export interface Settled {
  arrival: Arrival;
  status: string;
}

export async function takeUp(
  store: SessionStore,
  sessionId: string,
  by: { owner: string; now: number },
): Promise<Job | null> {
  const claim = await store.claim(sessionId, { ...by, leaseMs: LEASE_MS });
  if (claim.kind !== "claimed") return null;
  const { lease, work, record, thread } = claim;
  return { lease, work, record, progress: progressIn(thread), cancelled: record.cancelRequested };
}

/**
 * The job's next write. Returns the arrival that it settled, if it did; `job.work` is then the next, or null when the
 * lease is gone.
 */
export async function takeStep(store: SessionStore, job: Job, now: number): Promise<Settled | null> {
  if (job.work === null) return null;
  const { arrival, attempt } = job.work;
  if (attempt > MAX_ATTEMPTS && !isUndeliveredWake(job.record, arrival)) return giveUp(store, job, now);
  if (job.progress.arrivalId === arrival.id) {
    return job.progress.stepsLeft > 0 && !job.cancelled ? goOn(store, job, now) : end(store, job, now);
  }
  if (job.cancelled && arrival.source !== "wake") return settle(store, job, { now, status: "superseded" });
  if (isHeldTooLong(arrival, now) && isFiring(arrival)) return giveUp(store, job, now);
  const verdict = judge(job.record, arrival);
  if (verdict === "hold") return hold(store, job, now);
  return verdict === "apply" ? open(store, job, now) : settle(store, job, { now, status: verdict });
}

export function logIn(thread: readonly ThreadItem[]): LogLine[] {
  return thread.filter(({ key }) => key.startsWith("log/")).map(({ value }) => JSON.parse(value) as LogLine);
}

export function stepsOf(arrival: Pick<Arrival, "seq">): number {
  return arrival.seq % 3;
}

function judge(record: SessionRecord, arrival: Arrival): "apply" | "hold" | "refused" | "settled" {
  const channel = record.park?.channel;
  if (arrival.wakes !== undefined) return record.park?.parkId === arrival.wakes ? "apply" : "settled";
  if (arrival.input.kind === "decision") return channel === "decision" ? "apply" : "refused";
  if (arrival.input.kind === "delivery") return channel === "input" ? "apply" : "refused";
  return isFiring(arrival) && channel === "decision" ? "hold" : "apply";
}

function isFiring({ input }: Arrival): boolean {
  return input.kind === "turn" && input.message === undefined;
}

function isReply(record: SessionRecord, { input }: Arrival): boolean {
  return input.kind === "turn" && record.park?.channel === "decision";
}

async function open(store: SessionStore, job: Job, now: number): Promise<null> {
  const arrival = current(job);
  const record: RecordPatch = isReply(job.record, arrival) ? {} : { status: "running", park: null };
  const progress = { arrivalId: arrival.id, stepsLeft: stepsOf(arrival), lines: job.progress.lines };
  await commit(store, job, { now, what: "open", record, progress });
  return null;
}

async function goOn(store: SessionStore, job: Job, now: number): Promise<null> {
  const progress = { ...job.progress, stepsLeft: job.progress.stepsLeft - 1 };
  await commit(store, job, { now, what: "step", record: {}, progress });
  return null;
}

function end(store: SessionStore, job: Job, now: number): Promise<Settled> {
  const arrival = current(job);
  const park = isReply(job.record, arrival) ? job.record.park : parkAfter(arrival, job, now);
  const status = park === null ? "completed" : park.channel === "input" ? "awaiting_input" : "awaiting_decision";
  return settle(store, job, { now, status: job.cancelled ? "error" : "settled", record: { status, park } });
}

function parkAfter(arrival: Arrival, job: Job, now: number): RecordPark | null {
  const ending = job.cancelled ? "complete" : endingOf(arrival);
  const park = { parkId: `${arrival.id}/park`, state: "resting" };
  if (ending === "ask") return { ...park, channel: "decision" };
  if (ending === "wait") return { ...park, channel: "input", resumeAt: now + WAIT_MS };
  return ending === "wait-for-event" ? { ...park, channel: "input" } : null;
}

function endingOf({ input }: Arrival): Ending {
  return input.kind === "turn" ? ((input.variables?.ending as Ending | undefined) ?? "complete") : "complete";
}

async function giveUp(store: SessionStore, job: Job, now: number): Promise<Settled> {
  return settle(store, job, { now, status: "dead" });
}

async function settle(
  store: SessionStore,
  job: Job,
  as: { now: number; status: "settled" | "refused" | "error" | "superseded" | "dead"; record?: RecordPatch },
): Promise<Settled> {
  const arrival = current(job);
  const { now, status, record } = as;
  const isOpen = job.progress.arrivalId === arrival.id;
  const progress: Progress = { arrivalId: null, stepsLeft: 0, lines: job.progress.lines + (isOpen ? 1 : 0) };
  const ended = record ?? (isOpen ? { status: "failed" as const, park: null } : {});
  const line = { what: "end" as const, now, park: ended.park ?? undefined };
  const next = await store.settle(
    job.lease,
    {
      arrivalId: arrival.id,
      status,
      now,
      commit: isOpen ? { puts: [logItem(job, line), progressItem(progress)], removes: [], record: ended } : undefined,
      events: [eventFor(job, now)],
      ...(status === "dead" ? { deadLetter: deadLetterFor(job, now) } : {}),
    },
    { leaseMs: LEASE_MS },
  );
  job.progress = isOpen ? progress : job.progress;
  job.record = { ...job.record, ...ended };
  job.work = next;
  job.cancelled = false;
  return { arrival, status };
}

async function hold(store: SessionStore, job: Job, now: number): Promise<null> {
  const parkId = job.record.park?.parkId ?? "";
  job.work = await store.hold(job.lease, { arrivalId: current(job).id, parkId, now, leaseMs: LEASE_MS });
  job.cancelled = false;
  return null;
}

async function commit(
  store: SessionStore,
  job: Job,
  step: { now: number; what: "open" | "step"; record: RecordPatch; progress: Progress },
): Promise<void> {
  const progress = { ...step.progress, lines: job.progress.lines + 1 };
  const puts = [logItem(job, step), progressItem(progress)];
  await store.commit(job.lease, { puts, removes: [], record: step.record }, { now: step.now, leaseMs: LEASE_MS });
  job.progress = progress;
  job.record = { ...job.record, ...step.record };
  // The count that the store keeps is zero now; this worker's number stays what it was told (S-89).
  if (job.work) job.work = { ...job.work, attempt: 1 };
}

function logItem(job: Job, of: { what: LogLine["what"]; now: number; park?: RecordPark }): ThreadItem {
  const arrival = current(job);
  const line: LogLine = {
    what: of.what,
    arrivalId: arrival.id,
    seq: arrival.seq,
    held: arrival.heldBy !== undefined,
    ...(arrival.wakes === undefined ? {} : { wakes: arrival.wakes }),
    at: of.now,
    fence: job.lease.fence,
    ...(of.park === undefined ? {} : { park: of.park }),
  };
  return { key: `log/${String(job.progress.lines).padStart(6, "0")}`, value: JSON.stringify(line) };
}

function progressItem(progress: Progress): ThreadItem {
  return { key: "progress", value: JSON.stringify(progress) };
}

function progressIn(thread: readonly ThreadItem[]): Progress {
  const item = thread.find(({ key }) => key === "progress");
  return item ? (JSON.parse(item.value) as Progress) : { arrivalId: null, stepsLeft: 0, lines: 0 };
}

function eventFor(job: Job, at: number) {
  const { sessionId, workflow } = job.record;
  const id = `${sessionId}/${current(job).id}`;
  return { id, type: "turn-settled" as const, sessionId, workflow, at, detail: {} };
}

function deadLetterFor(job: Job, at: number) {
  const arrival = current(job);
  const attempts = job.work?.attempt ?? 0;
  return { id: `dead-${arrival.id}`, arrival, attempts, reason: "given up", at, expiresAt: at + DEAD_LETTER_TTL_MS };
}

function current(job: Job): Arrival {
  if (job.work === null) throw new Error("the job has no work");
  return job.work.arrival;
}
