/** Sessions past their time, over the stores of sessions and of files (S-81…S-83). */
import { expect, it } from "vitest";
import { acceptUnexpired, DELETION_RETRY_MS, hidingExpired, removeExpired } from "../../lib/session/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, aSettlement, givenChildren, LEASE_MS, lease, T0, won } from "../harness/builders.js";
import { manualClock } from "../harness/clock.js";
import { wrapStore } from "../harness/wrap-store.js";

const EXPIRY = T0 + 1_000;
const NEXT = anAccept({ id: "arr-2", acceptedAt: EXPIRY });

async function anExpiredSession() {
  const store = createMemorySessionStore();
  const files = createMemoryFileStore();
  await store.accept(anAccept());
  const { lease: mine } = won(await store.claim("s1", { owner: "a", now: T0, leaseMs: LEASE_MS }));
  await files.write("s1", "scratchpad/f", new Uint8Array(3));
  const settlement = aSettlement("arr-1", { commit: aCommit({ status: "completed" }, { k: "v" }) });
  await store.settle(mine, settlement, { ...lease, retention: { finishedMs: 1_000 } });
  return { store, files };
}

it("S-82 accepts into a new session where the old one has expired", async () => {
  const stores = await anExpiredSession();

  expect(await acceptUnexpired(stores, NEXT)).toMatchObject({ kind: "accepted", receipt: { seq: 1 } });

  expect(await stores.files.list("s1")).toEqual([]);
  expect(await stores.store.read("s1")).toMatchObject({ queued: 1, thread: [], record: { status: null } });
});

it("S-82 S-86 accepts nothing while somebody else is at the deletion", async () => {
  const stores = await anExpiredSession();
  await stores.store.expire("s1", EXPIRY);

  await expect(acceptUnexpired(stores, NEXT)).rejects.toMatchObject({ retryable: true });
  expect(await removeExpired(stores, "s1", EXPIRY)).toBe(false);
  expect(await stores.files.list("s1")).toHaveLength(1);
});

it.each([1, 2, 3])("S-83 S-84 is gone in the end after a crash before write number %d", async (crashAt) => {
  const { store, files } = await anExpiredSession();
  let writes = 0;
  const crashing = <Result>(_op: unknown, run: () => Promise<Result>): Promise<Result> => {
    writes += 1;
    return writes === crashAt ? Promise.reject(new Error("crash")) : run();
  };
  const dying = { store: wrapStore(store, crashing), files: wrapStore(files, crashing) };
  await expect(removeExpired(dying, "s1", EXPIRY)).rejects.toThrow("crash");

  const [entry] = await store.due(EXPIRY + DELETION_RETRY_MS, { limit: 1 });
  expect(await removeExpired({ store, files }, "s1", entry?.dueAt ?? 0)).toBe(true);

  expect(await store.read("s1")).toBeNull();
  expect(await files.list("s1")).toEqual([]);
  expect(await store.due(T0 + 1e10, { limit: 1 })).toEqual([]);
});

it("S-81 S-83 S-88 takes the children of an expired session along, which nothing else would find", async () => {
  const stores = await anExpiredSession();
  const children = ["s1~1", "s1~1~1"];
  await givenChildren(stores.store, "s1", children, { now: T0, retention: { finishedMs: 1_000 } });
  for (const id of children) await stores.files.write(id, "scratchpad/f", new Uint8Array(3));
  const [entry] = await stores.store.due(EXPIRY, { limit: 10 });
  expect(entry).toMatchObject({ sessionId: "s1" });

  expect(await removeExpired(stores, "s1", EXPIRY)).toBe(true);
  for (const id of ["s1", ...children]) {
    expect(await stores.store.read(id)).toBeNull();
    expect(await stores.files.list(id)).toEqual([]);
  }
});

it("S-82 hides what has expired by the host's clock", async () => {
  const { store } = await anExpiredSession();
  const clock = manualClock(EXPIRY - 1);
  const seen = hidingExpired(store, clock);
  expect([await seen.read("s1"), (await seen.list()).length]).toEqual([await store.read("s1"), 1]);

  clock.advance(1);

  expect([await seen.read("s1"), (await seen.list()).length]).toEqual([null, 0]);
  expect(await store.read("s1")).not.toBeNull();
});
