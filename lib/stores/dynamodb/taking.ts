/**
 * A lease that is taken with the first write made under it. Until then nothing has been done that another could not do as
 * well, so whoever writes first has it, and the other has lost it (S-22, S-23).
 */

import type { Arrival } from "../../session/arrival.js";
import { LeaseLostError } from "../../session/errors.js";
import type { Lease } from "../../session/ports.js";
import {
  type ClaimDecision,
  type Decision,
  decideClaim,
  recordAfter,
  type Writes,
} from "../../session/protocol/index.js";
import { type Context, forOperation } from "./carrying.js";
import { hasRevision } from "./expressions.js";
import { type LeaseViews, leaseName } from "./leases.js";
import { persistently } from "./persistently.js";
import { loadView } from "./reading.js";
import type { View } from "./record-item.js";
import { write } from "./writing.js";

/** Leases given out and not written yet; the oldest is forgotten, and with it the right to write under it. */
const MAX_UNTAKEN = 100;

export interface Untaken {
  /** The session before the lease. */
  view: View;
  claim: { owner: string; now: number; leaseMs: number };
  /** What the lease was given out for. */
  arrivalId: string;
}

export interface UntakenLeases {
  add(lease: Lease, untaken: Untaken): void;
  get(lease: Lease): Untaken | undefined;
  remove(lease: Lease): void;
}

/** What a process knows of the leases it was given. */
export interface Held {
  views: LeaseViews;
  untaken: UntakenLeases;
}

export function createUntakenLeases(): UntakenLeases {
  const untaken = new Map<string, Untaken>();
  return {
    add(lease, entry) {
      untaken.set(leaseName(lease), entry);
      const [oldest] = untaken.keys();
      if (untaken.size > MAX_UNTAKEN && oldest !== undefined) untaken.delete(oldest);
    },
    get: (lease) => untaken.get(leaseName(lease)),
    remove: (lease) => void untaken.delete(leaseName(lease)),
  };
}

/**
 * How long after its acceptance an arrival counts as looked at for the first time. One that ends the process before its
 * first write is claimed by a write of its own from then on, so that its attempts are counted (S-89).
 */
const FIRST_LOOK_MS = 60_000;

/** A session that nobody has worked on has no thread, and no attempt to be counted; files are placed under a lease only. */
export function mayTakeLater(view: View, arrival: Arrival, now: number): boolean {
  const isFresh = view.record?.fence === 0 && view.record.active === null;
  const isYoung = now - arrival.acceptedAt < FIRST_LOOK_MS;
  return isFresh && isYoung && !("files" in arrival.input && arrival.input.files !== undefined);
}

/**
 * Takes the lease and makes the write in one. A session that has changed since is looked at anew: the lease stands as
 * long as it would be given out again just so.
 *
 * @throws {LeaseLostError} another has it, or the arrival is gone
 */
export async function takeWith<Result>(
  given: Context,
  untaken: UntakenLeases,
  lease: Lease,
  decide: (view: View) => Decision<Result>,
): Promise<{ result: Result; after: View }> {
  const { sessionId } = lease;
  const entry = untaken.get(lease);
  if (!entry) throw new LeaseLostError(sessionId, lease.fence);
  const context = forOperation(given);
  let known: View | undefined = entry.view;
  try {
    return await persistently("write", context.sleep, async () => {
      const view = known ?? (await loadView(context, sessionId));
      known = undefined;
      const claim = decideClaim(view.record, view.inbox, entry.claim);
      if (!isSame(claim.result, lease, entry.arrivalId)) throw new LeaseLostError(sessionId, lease.fence);
      const { result, writes } = decide({ ...view, record: recordAfter(view.record, claim.writes) });
      const both = joined(claim.writes, writes);
      const after = await write(context, { sessionId, view, writes: both, condition: hasRevision(view.rev) });
      return after instanceof Map ? null : { result, after };
    });
  } finally {
    untaken.remove(lease);
  }
}

function isSame(claim: ClaimDecision, lease: Lease, arrivalId: string): boolean {
  return claim.kind === "claimed" && claim.lease.fence === lease.fence && claim.work.arrival.id === arrivalId;
}

/** A claim writes the record and receipts only. */
function joined(claim: Writes, writes: Writes): Writes {
  return {
    ...writes,
    record: { ...claim.record, ...writes.record },
    receiptChanges: [...(claim.receiptChanges ?? []), ...(writes.receiptChanges ?? [])],
  };
}
