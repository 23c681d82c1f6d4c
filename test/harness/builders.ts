/** Valid arrivals, requests and steps, so that a test shows only what matters to it. */
import type { Arrival, ArrivalInput } from "../../lib/session/arrival.js";
import { fingerprintOf, RECEIPT_TTL_MS } from "../../lib/session/index.js";
import type { LifecycleEvent } from "../../lib/session/lifecycle.js";
import type { AcceptRequest, ClaimResult, Commit, Settlement } from "../../lib/session/ports.js";
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

export type Claimed = Extract<ClaimResult, { kind: "claimed" }>;

/** The claim's result, which must have won. */
export function won(result: ClaimResult): Claimed {
  if (result.kind !== "claimed") throw new Error(`expected a claim, got ${JSON.stringify(result)}`);
  return result;
}
