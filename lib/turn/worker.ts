/** A session's owner: takes the lease, works off what has arrived, one leg at a time, and gives the lease back (S-16, S-22, S-25). */
import { randomUUID } from "node:crypto";
import { CheckpointCorruptError, isOfNewerVersion, LeaseLostError, StoreUnavailableError } from "../session/errors.js";
import {
  count,
  isUndeliveredWake,
  type MetricName,
  RENEWALS,
  RETRY_MAX_MS,
  removeExpired,
  retryDelayMs,
  settledAs,
  WAKE_RETRY_MAX_MS,
} from "../session/index.js";
import type { Outcome } from "../session/outcome.js";
import type { ClaimResult, Commit, Work } from "../session/ports.js";
import { publishEvents } from "../session/publish.js";
import { TurnCancelledError } from "./errors.js";
import { runArrival } from "./run-arrival.js";
import { SessionWriter } from "./session-writer.js";
import { createTurn } from "./turn.js";
import type { Host, LegEnd, LegOptions } from "./types.js";
import { unreadableEnd } from "./unreadable.js";

export interface SettledArrival {
  arrivalId: string;
  outcome?: Outcome;
  error?: Error;
}

export interface WorkReport {
  settled: SettledArrival[];
  /** Why the worker left: nothing to do, another owner, the work handed over or delayed, or the session taken over. */
  left: "idle" | "busy" | "handed-over" | "delayed" | "lost";
  /** For `busy`, `idle` and `handed-over`: epoch milliseconds at which there may be work; a hand-over without it is for at once. */
  dueAt?: number;
}

export interface WorkOptions extends LegOptions {
  /** The one arrival that `signal` and `recursionLimit` are for; without it they are for all that is found. */
  only?: string;
}

/** Works on a session until nothing is left to do. Never throws for what a turn does; throws when the stores fail. */
export async function workSession(host: Host, sessionId: string, options: WorkOptions = {}): Promise<WorkReport> {
  const owner = `${host.owner}/${randomUUID()}`;
  const claim = await host.store.claim(sessionId, {
    owner,
    now: host.clock.now(),
    leaseMs: host.leaseMs,
    mayTakeLater: true,
  });
  if (claim.kind === "busy") return { settled: [], left: "busy", dueAt: claim.until };
  if (claim.kind === "idle") {
    await publish(host, sessionId);
    // What is due although there is no work is past its time (S-83).
    const now = host.clock.now();
    const isDue = claim.dueAt !== undefined && claim.dueAt <= now;
    if (isDue && (await removeExpired(host, sessionId, now))) return { settled: [], left: "idle" };
    return { settled: [], left: "idle", ...(claim.dueAt !== undefined ? { dueAt: claim.dueAt } : {}) };
  }
  const report = await workClaimed(host, claim, options);
  await publish(host, sessionId);
  return report;
}

type Claimed = Extract<ClaimResult, { kind: "claimed" }>;

async function workClaimed(host: Host, claim: Claimed, options: WorkOptions): Promise<WorkReport> {
  const settled: SettledArrival[] = [];
  const { lease } = claim;
  const settling = { leaseMs: host.leaseMs, ...(host.retention ? { retention: host.retention } : {}) };
  const heart = startHeartbeat(host, claim);
  let work: Work | null = claim.work;
  const counted = (name: MetricName, value?: number) =>
    count(host.metrics, name, (work ?? claim.work).arrival.workflow, value);
  // A failure meanwhile is the store's own: it delays the attempt and does not count (S-94).
  let isStoring = false;
  try {
    const writer = openWriter(host, claim);
    writer.onCancelled = heart.cancel;
    while (work) {
      if (options.only === undefined && options.signal?.aborted && settled.length > 0) {
        await host.store.release(lease, { now: host.clock.now(), retryAt: host.clock.now() });
        return { settled, left: "handed-over" };
      }
      if (work !== claim.work) heart.reset();
      counted("attempts");
      const { arrival, attempt } = work;
      const wokenPark = claim.record.park;
      if (attempt === 1 && isUndeliveredWake(claim.record, arrival) && wokenPark?.resumeAt !== undefined) {
        counted("wakeDelay", arrival.acceptedAt - wokenPark.resumeAt);
      }
      const leg = legOptions(options, work.arrival.id);
      const signal = heart.signal(leg.signal);
      const turn = await createTurn(host, {
        writer,
        work,
        lease,
        options: leg,
        signal,
        over: heart.over,
        runLeg: runArrival,
      });
      const end = await runArrival(turn, work, leg);
      const now = host.clock.now();
      if (end.kind === "release") {
        await release(host, claim, { writer, work, end });
        if (end.failed === undefined) counted("handOvers");
        if (end.until !== undefined) return { settled, left: "handed-over", dueAt: end.until };
        return { settled, left: end.failed === undefined ? "handed-over" : "delayed" };
      }
      if (end.kind === "delay") {
        isStoring = true;
        // The write that failed may have been made: what it wrote down as begun was not.
        const commit: Commit = { puts: [], removes: end.unstarted, beginsOnly: true };
        const takesBack = end.unstarted.length > 0 ? { commit } : {};
        await host.store.release(lease, { now, retryAt: end.until ?? retryAt(host, work), ...takesBack });
        return { settled, left: "delayed" };
      }
      isStoring = true;
      if (end.kind === "hold") {
        work = await host.store.hold(lease, {
          arrivalId: work.arrival.id,
          parkId: end.parkId,
          now,
          leaseMs: host.leaseMs,
        });
        isStoring = false;
        continue;
      }
      const next = await host.store.settle(lease, end.settlement, settling);
      isStoring = false;
      const name = settledAs(end.settlement);
      if (name) counted(name);
      turn.tell();
      turn.metrics?.settled(end);
      settled.push({
        arrivalId: work.arrival.id,
        ...(end.outcome ? { outcome: end.outcome } : {}),
        ...(end.error ? { error: end.error } : {}),
      });
      work = next;
    }
    return { settled, left: "idle" };
  } catch (error) {
    if (error instanceof LeaseLostError) {
      counted("leaseLosses");
      return { settled, left: "lost" };
    }
    if (error instanceof CheckpointCorruptError && !isOfNewerVersion(error) && !isStoring) {
      const unread = work ?? claim.work;
      const end = unreadableEnd(host, { record: claim.record, work: unread, error });
      if (end) {
        const next = await host.store.settle(lease, end, settling);
        counted("dead");
        settled.push({ arrivalId: unread.arrival.id, error });
        if (next) await host.store.release(lease, { now: end.now, retryAt: end.now });
        return { settled, left: next ? "handed-over" : "idle" };
      }
    }
    await giveBack(host, claim, { work: work ?? claim.work, error, isStoring });
    throw error;
  } finally {
    heart.stop();
  }
}

/** What one caller asked of its own input does not bind the inputs of others that are worked off on the way. */
function legOptions({ only, ...leg }: WorkOptions, arrivalId: string): LegOptions {
  if (only === undefined || only === arrivalId) return leg;
  return { drainAt: leg.drainAt, abortAt: leg.abortAt };
}

function openWriter(host: Host, claim: Claimed): SessionWriter {
  const { store, clock, leaseMs } = host;
  return new SessionWriter({ store, clock, leaseMs, lease: claim.lease, record: claim.record, thread: claim.thread });
}

/** S-50, S-89: gives the session back, for at once or for later. */
async function release(
  host: Host,
  claim: Claimed,
  { writer, work, end }: { writer: SessionWriter; work: Work; end: Extract<LegEnd, { kind: "release" }> },
): Promise<void> {
  const { lease } = claim;
  const now = host.clock.now();
  const { failed, until } = end;
  if (failed === undefined) {
    // What waits is no step: alone it would hide that the invocation has come to nothing (S-56, S-89).
    const commit = writer.hasCommitted ? { commit: writer.take() } : {};
    await host.store.release(lease, { now, ...commit, ...(until === undefined ? {} : { retryAt: until }) });
    // The due mark finds it where the doorbell fails (S-13).
    const delay = until === undefined ? undefined : { delayMs: Math.max(0, until - now) };
    await host.doorbell.ring(lease.sessionId, delay).catch(() => undefined);
    return;
  }
  await host.store.release(lease, { now, retryAt: retryAt(host, work), failed });
}

/** After an error outside of the turn. What the stores fail to do is no failure of the arrival's (S-94). */
async function giveBack(
  host: Host,
  { lease }: Claimed,
  { work, error, isStoring }: { work: Work; error: unknown; isStoring: boolean },
): Promise<void> {
  const now = host.clock.now();
  const isNewer = isOfNewerVersion(error);
  const isUncounted = isNewer || isStoring || error instanceof StoreUnavailableError;
  const failed = isUncounted ? {} : { failed: messageOf(error) };
  // S-80: the session waits for the version that wrote it, however long that takes.
  const at = isNewer ? now + RETRY_MAX_MS : retryAt(host, work);
  await host.store.release(lease, { now, retryAt: at, ...failed }).catch(() => undefined);
}

function retryAt(host: Host, work: Work): number {
  const longest = work.arrival.wakes === undefined ? undefined : { maxMs: WAKE_RETRY_MAX_MS };
  return host.clock.now() + retryDelayMs(work.attempt, host.jitter(), longest);
}

async function publish(host: Host, sessionId: string): Promise<void> {
  if (host.bus) await publishEvents(host.store, host.bus, { sessionId, now: host.clock.now() });
}

/** S-20: how often a running turn looks whether it was cancelled. */
const CANCEL_CHECK_MS = 2_000;

/**
 * Renews the lease while the owner lives, during long calls too (S-24, F-1), and stops the turn when somebody asked for
 * it or took the session over.
 */
function startHeartbeat(host: Host, claim: Claimed) {
  const stopped = new AbortController();
  let turn = new AbortController();
  const renewEvery = Math.floor(host.leaseMs / RENEWALS);
  const period = Math.min(CANCEL_CHECK_MS, renewEvery);
  let renewedAt = host.clock.now();
  const look = async (): Promise<boolean> => {
    const now = host.clock.now();
    if (now - renewedAt < renewEvery) return host.store.isCancelled(claim.lease);
    const { cancelled } = await host.store.renew(claim.lease, { now, leaseMs: host.leaseMs });
    renewedAt = now;
    return cancelled;
  };
  const beat = async () => {
    while (!stopped.signal.aborted) {
      await host.clock.sleep(period, stopped.signal);
      if (stopped.signal.aborted) return;
      const asked = turn;
      try {
        if (await look()) asked.abort(new TurnCancelledError());
      } catch (error) {
        // A store that fails for a moment is asked again; the lease outlasts several beats.
        if (!(error instanceof LeaseLostError)) continue;
        turn.abort(error);
        return;
      }
    }
  };
  if (claim.record.cancelRequested) turn.abort(new TurnCancelledError());
  void beat();
  return {
    /** S-20, at a step boundary. */
    cancel: () => turn.abort(new TurnCancelledError()),
    /** A cancellation stops the turn under way, not the next one. */
    reset: () => {
      turn = new AbortController();
    },
    signal: (asked?: AbortSignal) => AbortSignal.any([turn.signal, host.closing, ...(asked ? [asked] : [])]),
    /** Aborts when the worker leaves. */
    over: stopped.signal,
    stop: () => stopped.abort(),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
