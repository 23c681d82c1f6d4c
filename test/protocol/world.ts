/** Two workers, their ghosts, senders and a clock around one store; and what must be true whatever they do. */
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Arrival, ArrivalInput, Receipt } from "../../lib/session/arrival.js";
import { arrivalIdFor, fingerprintOf, IdempotencyConflictError, LeaseLostError } from "../../lib/session/index.js";
import type { Lease, SessionStore } from "../../lib/session/ports.js";
import { childSessionId } from "../../lib/spec/index.js";
import { anAccept, LEASE_MS, T0 } from "../harness/builders.js";
import { type Ending, type Job, logIn, stepsOf, takeStep, takeUp } from "../harness/model-session.js";

const SESSIONS = ["s1", "s1/x"] as const;
const FAR = T0 + 1_000 * 24 * 3_600_000;
const FINAL = ["settled", "refused", "error", "superseded", "dead"];

const endings = fc.constantFrom<Ending>("complete", "wait", "wait", "wait-for-event", "ask");
const inputs: fc.Arbitrary<ArrivalInput> = fc.oneof(
  endings.map((ending): ArrivalInput => ({ kind: "turn", message: "go", variables: { ending } })),
  endings.map((ending): ArrivalInput => ({ kind: "turn", trigger: "order", variables: { ending } })),
  fc.constant<ArrivalInput>({ kind: "decision", target: "done" }),
  fc.constant<ArrivalInput>({ kind: "delivery", trigger: "mail" }),
);
const session = fc.constantFrom(...SESSIONS);
const worker = fc.nat({ max: 1 });

/** One thing that happens. Steps and claims are frequent, so that turns come to an end. */
const happenings = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("accept" as const),
      session,
      key: fc.nat({ max: 12 }),
      input: inputs,
      bus: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("claim" as const), worker, session }) },
  { weight: 14, arbitrary: fc.record({ kind: fc.constant("step" as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("vanish" as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ghost" as const), which: fc.nat({ max: 5 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("release" as const),
      worker,
      as: fc.constantFrom("hand-over" as const, "wait" as const, "failure" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("renew" as const), worker }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("cancel" as const), session, key: fc.option(fc.nat({ max: 12 })) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim-child" as const), worker }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("child-step" as const), worker }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("ghost-child" as const), which: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("publish" as const), session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      ms: fc.constantFrom(0, 1, 1_000, 4_999, 5_000, LEASE_MS - 1, LEASE_MS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("until-due" as const), session, offsetMs: fc.constantFrom(-1, 0, 1) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("run" as const), worker, session }) },
);
export type Happening = typeof happenings extends fc.Arbitrary<infer H> ? H : never;
export const histories = fc.array(happenings, { minLength: 5, maxLength: 80, size: "max" });

interface Accepted {
  sessionId: string;
  receipt: Receipt;
  fingerprint: string;
}

/** A child as the worker that claimed it knows it: its lease, and how many lines it has. */
interface HeldChild {
  lease: Lease;
  lines: number;
}

export class World {
  private now = T0;
  private readonly jobs: (Job | null)[] = [null, null];
  private readonly ghosts: Job[] = [];
  private readonly accepted = new Map<string, Accepted>();
  /** The highest fence ever given out, by session: only its holder's writes may land. */
  private readonly fences = new Map<string, number>();
  /** Leases that ended without a successor, as session and fence. */
  private readonly givenUp = new Set<string>();
  private readonly children = new Map<Job, HeldChild>();
  /** Of each child the fence it was last claimed under, and the fences of its lines. */
  private readonly childFences = new Map<string, { claimed: number; lines: number[] }>();
  private readonly settled: { sessionId: string; arrival: Arrival }[] = [];

  constructor(private readonly store: SessionStore) {}

  async happen(what: Happening): Promise<void> {
    switch (what.kind) {
      case "accept":
        await this.accept(what);
        break;
      case "claim":
        this.jobs[what.worker] ??= await this.claim(what.session, ownerOf(what));
        break;
      case "step":
        await this.act(what.worker, (job) => this.step(job));
        break;
      case "run":
        this.jobs[what.worker] ??= await this.claim(what.session, ownerOf(what));
        // Bounded, so that a protocol that never lets go fails instead of hanging.
        for (let n = 0; n < 100 && this.jobs[what.worker]; n += 1) await this.act(what.worker, (job) => this.step(job));
        break;
      case "vanish": {
        const job = this.jobs[what.worker];
        if (job) this.ghosts.push(job);
        this.jobs[what.worker] = null;
        break;
      }
      case "ghost": {
        const ghost = this.ghosts[what.which];
        if (ghost?.work) await this.landing(ghost, () => this.step(ghost));
        break;
      }
      case "release":
        await this.release(what.worker, what.as);
        break;
      case "renew":
        await this.act(what.worker, async (job) => {
          job.cancelled = (await this.store.renew(job.lease, { now: this.now, leaseMs: LEASE_MS })).cancelled;
        });
        break;
      case "cancel": {
        const arrivalId = what.key === null ? undefined : idOf(what.key, "api");
        await this.store.cancel(what.session, this.now, arrivalId === undefined ? undefined : { arrivalId });
        break;
      }
      case "claim-child":
        await this.act(what.worker, (job) => this.claimChild(job));
        break;
      case "child-step":
        await this.childStep(this.jobs[what.worker] ?? null);
        break;
      case "ghost-child":
        await this.childStep(this.ghosts[what.which] ?? null);
        break;
      case "publish":
        await this.publish(what.session);
        break;
      case "time":
        this.now += what.ms;
        break;
      case "until-due": {
        const dueAt = (await this.store.read(what.session))?.record.dueAt ?? this.now;
        this.now = Math.max(this.now, dueAt + what.offsetMs);
        break;
      }
    }
    for (const sessionId of SESSIONS) await this.checkDueMark(sessionId);
  }

  /** Nobody is left but sweeps and one healthy worker: whatever is not found by its due mark is lost. */
  async settleDown(): Promise<void> {
    this.jobs.fill(null);
    this.ghosts.length = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const [next] = await this.store.due(FAR, { limit: 1 });
      if (next === undefined) return;
      this.now = Math.max(this.now, next.dueAt);
      await this.publish(next.sessionId);
      const job = await this.claim(next.sessionId, "healer");
      for (let n = 0; n < 1_000 && job?.work; n += 1) await this.landing(job, () => this.step(job));
    }
    throw new Error("something stays due for ever");
  }

  async checkEnd(): Promise<void> {
    for (const [id, { sessionId, receipt }] of this.accepted) {
      const last = await this.store.receipt(id, this.now);
      expect(FINAL).toContain(last?.status);
      expect(last).toMatchObject({ sessionId, seq: receipt.seq, fingerprint: receipt.fingerprint });
      const ends = this.settled.filter(({ arrival }) => arrival.id === id).length;
      // One that was cancelled while it was queued has been seen by no worker.
      if (last?.status === "superseded") expect(ends).toBeLessThanOrEqual(1);
      else expect(ends).toBe(1);
    }
    for (const [sessionId, { claimed, lines }] of this.childFences) {
      const read = await this.store.read(sessionId);
      expect(read?.record).toMatchObject({ fence: claimed, lease: null, dueAt: null, active: null });
      expect(read?.thread.map(({ value }) => Number(value))).toEqual(lines);
      expect(lines).toEqual([...lines].sort((a, b) => a - b));
    }
    for (const sessionId of SESSIONS) {
      const read = await this.store.read(sessionId);
      if (read === null) continue;
      expect(read).toMatchObject({ queued: 0, record: { lease: null, active: null, dueAt: null, unpublished: 0 } });
      expect(read.record.acceptedSeq).toBe([...this.accepted.values()].filter((a) => a.sessionId === sessionId).length);
      checkLog(logIn(read.thread));
      const order = this.settled.filter(
        (one) => one.sessionId === sessionId && !one.arrival.heldBy && one.arrival.seq > 0,
      );
      const numbers = order.map(({ arrival }) => arrival.seq);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  }

  private async accept(what: Extract<Happening, { kind: "accept" }>): Promise<void> {
    const source = what.bus ? "bus" : "api";
    const id = idOf(what.key, source);
    const known = this.accepted.get(id);
    const fingerprint = fingerprintOf(what.input);
    const request = anAccept({
      id,
      sessionId: what.session,
      source,
      input: what.input,
      acceptedAt: this.now,
      checkFingerprint: !what.bus,
      receiptExpiresAt: FAR,
    });
    if (known && !what.bus && known.fingerprint !== fingerprint) {
      await expect(this.store.accept(request)).rejects.toBeInstanceOf(IdempotencyConflictError);
      return;
    }
    const { kind, receipt } = await this.store.accept(request);
    expect(kind).toBe(known ? "repeated" : "accepted");
    if (known) expect(receipt).toMatchObject({ sessionId: known.sessionId, seq: known.receipt.seq });
    else this.accepted.set(id, { sessionId: what.session, receipt, fingerprint });
  }

  private async claim(sessionId: string, owner: string): Promise<Job | null> {
    const job = await takeUp(this.store, sessionId, { owner, now: this.now });
    if (job === null) {
      // A wake-up whose owner vanished is given up by whoever looks next (F-27), and with it that owner's lease.
      const record = (await this.store.read(sessionId))?.record;
      if (record?.lease === null) this.givenUp.add(`${sessionId}#${record.fence}`);
      return null;
    }
    expect(job.lease.fence).toBe((this.fences.get(sessionId) ?? 0) + 1);
    this.fences.set(sessionId, job.lease.fence);
    const isNewWake = job.work?.arrival.wakes !== undefined && job.work.arrival.wakes === job.record.park?.parkId;
    if (isNewWake) expect(job.record.park?.resumeAt).toBeLessThanOrEqual(this.now);
    return job;
  }

  /** S-28: the caller's owner takes its child, with every line that was written there, whoever wrote it. */
  private async claimChild(job: Job): Promise<void> {
    const sessionId = childSessionId(job.lease.sessionId, 1);
    const child = await this.store.claimChild(job.lease, { sessionId, workflow: "child", now: this.now });
    const known = this.childFences.get(sessionId) ?? { claimed: 0, lines: [] };
    expect(child.lease).toMatchObject({ sessionId, fence: job.lease.fence });
    expect(child.record).toMatchObject({ fence: job.lease.fence, lease: null, dueAt: null, active: null });
    expect(child.thread.map(({ value }) => Number(value))).toEqual(known.lines);
    this.childFences.set(sessionId, { ...known, claimed: job.lease.fence });
    this.children.set(job, { lease: child.lease, lines: known.lines.length });
  }

  /** A line lands in a child exactly when nobody has claimed the child under a later fence. */
  private async childStep(job: Job | null): Promise<void> {
    const held = job && this.children.get(job);
    if (!held) return;
    const known = this.childFences.get(held.lease.sessionId)!;
    const line = { key: `A${String(held.lines).padStart(4, "0")}`, value: String(held.lease.fence) };
    const write = this.store.commit(held.lease, { puts: [line], removes: [] }, { now: this.now, leaseMs: LEASE_MS });
    if (known.claimed !== held.lease.fence) {
      await expect(write).rejects.toBeInstanceOf(LeaseLostError);
      return;
    }
    await write;
    held.lines += 1;
    known.lines.push(held.lease.fence);
  }

  private async step(job: Job): Promise<void> {
    const settled = await takeStep(this.store, job, this.now);
    if (!settled) return;
    const { sessionId } = job.lease;
    this.settled.push({ sessionId, arrival: settled.arrival });
    if (job.work !== null) return;
    // S-25: an owner lets go only when nothing waits but what the park holds.
    const read = await this.store.read(sessionId);
    if (read?.record.park?.channel !== "decision") expect(read?.queued).toBe(0);
  }

  private async release(worker: number, as: "hand-over" | "wait" | "failure"): Promise<void> {
    await this.act(worker, async (job) => {
      const failed = as === "failure" ? { failed: "broken" } : {};
      const retryAt = as === "hand-over" ? {} : { retryAt: this.now + 1_000 };
      await this.store.release(job.lease, { now: this.now, ...failed, ...retryAt });
      job.work = null;
    });
  }

  private async act(worker: number, write: (job: Job) => Promise<void>): Promise<void> {
    const job = this.jobs[worker];
    if (!job) return;
    const landed = await this.landing(job, () => write(job));
    if (!landed || job.work === null) this.jobs[worker] = null;
  }

  /** A write lands exactly when its lease has not been taken over; a refused writer stops. */
  private async landing(job: Job, write: () => Promise<void>): Promise<boolean> {
    const { sessionId, fence } = job.lease;
    const isLatest = this.fences.get(sessionId) === fence && !this.givenUp.has(`${sessionId}#${fence}`);
    const isCurrent = isLatest && job.work !== null;
    try {
      await write();
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      expect(isCurrent).toBe(false);
      job.work = null;
      return false;
    }
    expect(isCurrent).toBe(true);
    return true;
  }

  private async publish(sessionId: string): Promise<void> {
    const events = await this.store.unpublished(sessionId);
    await this.store.published(
      sessionId,
      events.map((event) => event.id),
      this.now,
    );
  }

  /** Whatever waits is found in time by its due mark alone (S-25, F-3). */
  private async checkDueMark(sessionId: string): Promise<void> {
    const read = await this.store.read(sessionId);
    if (read === null) return;
    const { record } = read;
    const latest = record.dueAt ?? Number.POSITIVE_INFINITY;
    if (record.lease !== null) return expect(latest).toBe(record.lease.expiresAt);
    if (record.unpublished > 0) expect(latest).toBeLessThanOrEqual(this.now);
    if (record.active !== null) expect(latest).toBeLessThanOrEqual(Math.max(this.now, record.retryAt ?? 0));
    else if (read.queued > 0 && record.park?.channel !== "decision") expect(latest).toBeLessThanOrEqual(this.now);
    if (record.park?.resumeAt !== undefined && record.active === null) {
      expect(latest).toBeLessThanOrEqual(Math.max(this.now, record.park.resumeAt, record.wakeRetryAt ?? 0));
    }
    const [entry] = (await this.store.due(FAR, { limit: 10 })).filter((due) => due.sessionId === sessionId);
    expect(entry?.dueAt ?? null).toBe(record.dueAt);
  }
}

/** No arrival is applied or ended twice, its steps are all there, turns do not overlap, and wake-ups are never early. */
function checkLog(log: ReturnType<typeof logIn>): void {
  const parks = new Map(log.flatMap(({ park }) => (park === undefined ? [] : [[park.parkId, park] as const])));
  const woken: string[] = [];
  let open: string | null = null;
  let fence = 0;
  for (const line of log) {
    expect(line.fence).toBeGreaterThanOrEqual(fence);
    fence = line.fence;
    if (line.what === "open") {
      expect(open).toBeNull();
      open = line.arrivalId;
      if (line.wakes !== undefined) {
        woken.push(line.wakes);
        expect(line.at).toBeGreaterThanOrEqual(parks.get(line.wakes)?.resumeAt ?? Number.POSITIVE_INFINITY);
      }
    } else {
      expect(open).toBe(line.arrivalId);
      if (line.what === "end") open = null;
    }
  }
  expect(open).toBeNull();
  expect(new Set(woken).size).toBe(woken.length);
  for (const arrivalId of new Set(log.map((line) => line.arrivalId))) {
    const lines = log.filter((line) => line.arrivalId === arrivalId);
    expect(lines.filter((line) => line.what === "open")).toHaveLength(1);
    expect(lines.filter((line) => line.what === "end")).toHaveLength(1);
    expect(lines.filter((line) => line.what === "step").length).toBeLessThanOrEqual(
      stepsOf({ seq: lines[0]?.seq ?? 0 }),
    );
  }
}

/** Of one session both workers have the same name, so that the fence alone tells them apart. */
function ownerOf({ session, worker }: { session: string; worker: number }): string {
  return session === SESSIONS[0] ? `w${worker}` : "w";
}

function idOf(key: number, source: "api" | "bus"): string {
  return arrivalIdFor({ scope: "", source, key: String(key) });
}
