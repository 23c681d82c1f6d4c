import { expect, it } from "vitest";
import { ChildLeftOverError, LeaseLostError } from "../errors.js";
import { newRecord, type SessionRecord } from "../record.js";
import { decideClaimChild } from "./claim-child.js";
import { decideCommit } from "./commit.js";

const LEASE = { sessionId: "s1", owner: "a", fence: 3 };
const ROOT: SessionRecord = {
  ...newRecord("s1", "orders", 5),
  fence: 3,
  lease: { owner: "a", expiresAt: 100 },
};
const REQUEST = { sessionId: "s1~1", workflow: "billing", now: 10, hops: 2 };
const child = (of: Partial<SessionRecord> = {}) => ({
  ...newRecord("s1~1", "billing", 6),
  claimedBy: "z",
  rootCreatedAt: 5,
  fence: 2,
  ...of,
});

it("S-28 R-179 makes the record under the caller's fence, with the hops of its arrival", () => {
  const { result, writes } = decideClaimChild(ROOT, null, LEASE, REQUEST);

  expect(result.lease).toEqual({ sessionId: "s1~1", owner: "a", fence: 3 });
  expect(writes.record).toEqual({
    ...newRecord("s1~1", "billing", 10),
    fence: 3,
    claimedBy: "a",
    rootCreatedAt: 5,
    hops: 2,
  });
});

it("S-28 S-23 takes a child from a lower fence, and none from a higher", () => {
  const taken = { fence: 3, claimedBy: "a", hops: 2 };
  expect(decideClaimChild(ROOT, child(), LEASE, REQUEST).writes).toEqual({ record: taken });
  expect(decideClaimChild(ROOT, child(taken), LEASE, REQUEST).writes).toEqual({});
  expect(() => decideClaimChild(ROOT, child({ fence: 4 }), LEASE, REQUEST)).toThrow(LeaseLostError);
});

it("S-28 R-179 knows a root's child through every caller, and another session's by its root's birth", () => {
  const caller = child({ claimedBy: "a", fence: 3 });
  const held = { ...LEASE, sessionId: "s1~1" };
  const grandchild = { ...REQUEST, sessionId: "s1~1~1" };

  expect(decideClaimChild(caller, null, held, grandchild).result.record.rootCreatedAt).toBe(5);
  expect(() => decideClaimChild(ROOT, child({ rootCreatedAt: 4 }), LEASE, REQUEST)).toThrow(ChildLeftOverError);
});

it("S-28 writes with a child's step neither lease nor due mark nor attempts", () => {
  const held = { ...LEASE, sessionId: "s1~1" };
  const commit = { puts: [], removes: [], record: { position: "two" } };
  const before = child({ claimedBy: "a", fence: 3, status: "running", updatedAt: 10 });

  expect(decideCommit(before, held, commit, { now: 10, leaseMs: 60 })).toEqual({
    result: { cancelled: false },
    writes: { puts: [], removes: [], record: { position: "two" } },
  });
});
