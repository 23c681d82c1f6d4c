/** Valid arrivals, requests and steps, so that a test shows only what matters to it. */
import type { Arrival, ArrivalInput } from "../../lib/session/arrival.js";
import { fingerprintOf, RECEIPT_TTL_MS, type Retention } from "../../lib/session/index.js";
import type { LifecycleEvent } from "../../lib/session/lifecycle.js";
import type { AcceptRequest, ClaimResult, Commit, SessionStore, Settlement } from "../../lib/session/ports.js";
import type { RecordPark, RecordPatch } from "../../lib/session/record.js";

/** A Monday morning; tests count from it. */
export const T0 = Date.UTC(2026, 0, 5, 9);
export const LEASE_MS = 60_000;
export const lease = { leaseMs: LEASE_MS };

export function anAccept(
  of: Partial<Omit<Arrival, "seq">> & { checkFingerprint?: boolean; receiptExpiresAt?: number } = {},
): AcceptRequest {
  const { checkFingerprint = true, receiptExpiresAt, ...arrival } = of;
  const input: ArrivalInput = arrival.input ?? { kind: "turn", message: "hello" };
  const acceptedAt = arrival.acceptedAt ?? T0;
  return {
    arrival: {
      id: "arr-1",
      sessionId: "s1",
      source: "api",
      workflow: "orders",
      ...arrival,
      input,
      acceptedAt,
    },
    fingerprint: fingerprintOf(input),
    checkFingerprint,
    receiptExpiresAt: receiptExpiresAt ?? acceptedAt + RECEIPT_TTL_MS,
  };
}

export function aSettlement(arrivalId: string, of: Partial<Settlement> = {}): Settlement {
  return { arrivalId, status: "settled", events: [], now: T0, ...of };
}

export function aCommit(record: RecordPatch = {}, puts: Record<string, string> = {}, removes: string[] = []): Commit {
  return { puts: Object.entries(puts).map(([key, value]) => ({ key, value })), removes, record };
}

export function anInputPark(of: Partial<RecordPark> = {}): RecordPatch {
  const park: RecordPark = { parkId: "p1", channel: "input", state: "waiting", ...of };
  return { status: park.channel === "input" ? "awaiting_input" : "awaiting_decision", park };
}

export function anEvent(n: number, of: Partial<LifecycleEvent> = {}): LifecycleEvent {
  return {
    id: `s1/1/${n}`,
    type: "turn-settled",
    sessionId: "s1",
    workflow: "orders",
    at: T0,
    detail: { n },
    ...of,
  };
}

/**
 * Gives a session at rest children as its owner would, each finished and with a thread item, and lets it rest again.
 *
 * @param children - ids, callers before those they call
 */
export async function givenChildren(
  store: SessionStore,
  rootId: string,
  children: readonly string[],
  { now, delegation, retention }: { now: number; delegation?: string; retention?: Retention },
): Promise<void> {
  families += 1;
  const id = `family-${families}`;
  await store.accept(anAccept({ id, sessionId: rootId, acceptedAt: now }));
  const { lease: root, record } = won(await store.claim(rootId, { owner: "parent", now, ...lease }));
  for (const sessionId of children) {
    const parent = sessionId.slice(0, sessionId.lastIndexOf("~"));
    const caller = { ...root, sessionId: parent };
    const child = await store.claimChild(caller, { sessionId, workflow: record.workflow, now });
    await store.commit(child.lease, aCommit({ status: "completed" }), { now, ...lease });
  }
  const park = record.park && delegation !== undefined ? { park: { ...record.park, delegation } } : {};
  await store.settle(root, aSettlement(id, { now, status: "refused", commit: aCommit(park) }), {
    ...lease,
    ...(retention ? { retention } : {}),
  });
}

let families = 0;

export type Claimed = Extract<ClaimResult, { kind: "claimed" }>;

/** The claim's result, which must have won. */
export function won(result: ClaimResult): Claimed {
  if (result.kind !== "claimed") throw new Error(`expected a claim, got ${JSON.stringify(result)}`);
  return result;
}
