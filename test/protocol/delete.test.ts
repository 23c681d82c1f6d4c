import { expect, it } from "vitest";
import { deleteSession, SessionBusyError } from "../../lib/session/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, aSettlement, LEASE_MS, lease, T0, won } from "../harness/builders.js";
import { wrapStore } from "../harness/wrap-store.js";

async function aFinishedSession() {
  const store = createMemorySessionStore();
  const files = createMemoryFileStore();
  await store.accept(anAccept());
  const { lease: mine } = won(await store.claim("s1", { owner: "a", now: T0, leaseMs: LEASE_MS }));
  await files.write("s1", "scratchpad/f", new Uint8Array(3));
  const settlement = aSettlement("arr-1", { commit: aCommit({ status: "completed" }, { k: "v" }) });
  return { store, files, settle: () => store.settle(mine, settlement, lease) };
}

it("S-84 F-47 deletes items and files; a second time there is nothing", async () => {
  const { store, files, settle } = await aFinishedSession();
  await settle();

  expect(await deleteSession({ store, files }, "s1", T0)).toBe(true);
  expect(await store.read("s1")).toBeNull();
  expect(await files.list("s1")).toEqual([]);
  expect(await deleteSession({ store, files }, "s1", T0)).toBe(false);
});

it("S-85 F-47 refuses during a turn and removes nothing", async () => {
  const { store, files } = await aFinishedSession();

  await expect(deleteSession({ store, files }, "s1", T0)).rejects.toBeInstanceOf(SessionBusyError);
  expect(await files.list("s1")).toHaveLength(1);
  expect((await store.read("s1"))?.record.deleting).toBe(false);
});

it.each([1, 2, 3])("S-84 goes on after a crash before its write number %d, the record last", async (crashAt) => {
  const { store, files, settle } = await aFinishedSession();
  await settle();
  let writes = 0;
  const crashing = <Result>(_op: unknown, run: () => Promise<Result>): Promise<Result> => {
    writes += 1;
    return writes === crashAt ? Promise.reject(new Error("crash")) : run();
  };

  const dying = { store: wrapStore(store, crashing), files: wrapStore(files, crashing) };
  await expect(deleteSession(dying, "s1", T0)).rejects.toThrow("crash");

  expect(await store.read("s1")).not.toBeNull();
  expect(await deleteSession({ store, files }, "s1", T0)).toBe(true);
  expect(await store.read("s1")).toBeNull();
  expect(await files.list("s1")).toEqual([]);
});

it("R-302 S-84 deletes the files of a session that has nothing else", async () => {
  const store = createMemorySessionStore();
  const files = createMemoryFileStore();
  await files.write("s1", "seeded", new Uint8Array(1));

  expect(await deleteSession({ store, files }, "s1", T0)).toBe(true);
  expect(await files.list("s1")).toEqual([]);
});
