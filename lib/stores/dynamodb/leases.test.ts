import { describe, expect, it } from "vitest";
import type { SessionRecord } from "../../session/record.js";
import { createLeaseViews } from "./leases.js";

const LEASE = { sessionId: "s1", owner: "a", fence: 3 };

function aView(rev: number, of: Partial<SessionRecord> = {}) {
  const record = { sessionId: "s1", fence: 3, lease: { owner: "a", expiresAt: 0 }, ...of } as SessionRecord;
  return { record, rev, inbox: [] };
}

describe("what an owner knows", () => {
  it("is given out to one write, and kept again by its end", () => {
    const views = createLeaseViews();
    views.keep(LEASE, aView(1));
    const first = views.take(LEASE);
    const during = views.take({ ...LEASE, fence: 4 }).view;
    views.keep(LEASE, aView(2), first.ticket);

    expect(first.view?.rev).toBe(1);
    expect(during).toBeUndefined();
    expect(views.take(LEASE).view?.rev).toBe(2);
  });

  it("is forgotten when two writes ran at the same time, or one did not end", () => {
    const views = createLeaseViews();
    views.keep(LEASE, aView(1));
    const first = views.take(LEASE);
    const second = views.take(LEASE);
    views.keep(LEASE, aView(2), first.ticket);

    expect(second.view).toBeUndefined();
    expect(views.take(LEASE).view).toBeUndefined();
  });

  it("is forgotten with the lease, and the oldest when there are too many", () => {
    const views = createLeaseViews();
    views.keep(LEASE, aView(1));
    views.keep(LEASE, aView(2, { lease: null }), 0);
    for (let fence = 10; fence <= 110; fence += 1) views.keep({ ...LEASE, fence }, aView(1, { fence }));

    expect(views.take(LEASE).view).toBeUndefined();
    expect(views.take({ ...LEASE, fence: 10 }).view).toBeUndefined();
    expect(views.take({ ...LEASE, fence: 11 }).view?.rev).toBe(1);
  });
});
