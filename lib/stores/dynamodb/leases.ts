/** What an owner knows of the sessions it holds: the state that its last write left, so that settling needs no read. */
import type { Lease } from "../../session/ports.js";
import { isHeld } from "../../session/protocol/index.js";
import type { View } from "./record-item.js";

/** More than a process works on at once; the oldest is forgotten, which costs its owner one read. */
const MAX_KEPT = 100;

/**
 * Never trusted: whatever is decided on a kept view is written on the condition that the record's revision is the
 * view's, and is decided anew on what is read when it is not.
 */
export interface LeaseViews {
  /** The view as far as it is known now; for what does not write under the lease. */
  peek(lease: Lease): View | undefined;
  /** Begins a write: the view is given out, and kept again only by this write's end. */
  take(lease: Lease): { view: View | undefined; ticket: number };
  /**
   * Keeps the view, unless the session is not the lease's any more, or another write of the same owner ran at the same
   * time: which of them came last is known to the table only.
   *
   * @param ticket - of the write; a claim has none
   */
  keep(lease: Lease, view: View, ticket?: number): void;
}

export function leaseName({ sessionId, owner, fence }: Lease): string {
  return `${fence}#${owner}#${sessionId}`;
}

export function createLeaseViews(): LeaseViews {
  const kept = new Map<string, { view: View | undefined; writes: number }>();
  return {
    peek: (lease) => kept.get(leaseName(lease))?.view,
    take(lease) {
      const entry = kept.get(leaseName(lease));
      if (!entry) return { view: undefined, ticket: 0 };
      const { view } = entry;
      entry.view = undefined;
      entry.writes += 1;
      return { view, ticket: entry.writes };
    },
    keep(lease, view, ticket) {
      const name = leaseName(lease);
      const writes = kept.get(name)?.writes ?? 0;
      if (ticket !== undefined && ticket !== writes) return;
      kept.delete(name);
      if (view.record === null || !isHeld(view.record, lease)) return;
      kept.set(name, { view, writes });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}
