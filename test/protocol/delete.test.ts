import { expect, it } from "vitest";
import {
  claimChild,
  DELETION_RETRY_MS,
  deleteSession,
  removeExpired,
  SessionBusyError,
} from "../../lib/session/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, aSettlement, givenChildren, LEASE_MS, lease, T0, won } from "../harness/builders.js";
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

const FAMILY = ["s1~1", "s1~1~1", "s1~2"];

async function aFamily() {
  const { store, files, settle } = await aFinishedSession();
  await settle();
  await givenChildren(store, "s1", FAMILY, { now: T0 });
  for (const id of FAMILY) await files.write(id, "scratchpad/f", new Uint8Array(3));
  const left = async () => {
    const ids = ["s1", ...FAMILY];
    const there = await Promise.all(ids.map((id) => store.read(id)));
    const withFiles = await Promise.all(ids.map((id) => files.list(id)));
    return ids.filter((_, at) => there[at] !== null || withFiles[at]?.length !== 0);
  };
  return { store, files, left };
}

it("S-88 R-301 leaves the children where they are not to go along, and takes what was left later", async () => {
  const { store, files, left } = await aFamily();

  expect(await deleteSession({ store, files }, "s1", T0)).toBe(true);
  expect(await left()).toEqual(FAMILY);
  expect(await deleteSession({ store, files }, "s1", T0)).toBe(false);
  expect(await deleteSession({ store, files }, "s1", T0, { children: true })).toBe(true);
  expect(await left()).toEqual([]);
  expect(await deleteSession({ store, files }, "s1", T0, { children: true })).toBe(false);
});

it("S-88 takes a child's children along with it, and leaves the rest of the family", async () => {
  const { store, files, left } = await aFamily();

  expect(await deleteSession({ store, files }, "s1~1", T0, { children: true })).toBe(true);
  expect(await left()).toEqual(["s1", "s1~2"]);
});

it("S-84 S-88 takes all along in the end, wherever it was stopped, by a repetition or by whoever finds it due", async () => {
  let points = 0;
  for (let crashAt = 1; points === 0; crashAt += 1) {
    for (const repeated of [true, false]) {
      const { store, files, left } = await aFamily();
      let calls = 0;
      const crashing = <Result>(_op: unknown, run: () => Promise<Result>): Promise<Result> => {
        calls += 1;
        return calls >= crashAt ? Promise.reject(new Error("crash")) : run();
      };
      const dying = { store: wrapStore(store, crashing), files: wrapStore(files, crashing) };
      const outcome = await deleteSession(dying, "s1", T0, { children: true }).catch((error: Error) => error.message);
      if (outcome === true) {
        points = crashAt - 1;
        expect(await left()).toEqual([]);
        continue;
      }
      expect(outcome).toBe("crash");
      // Without the mark nothing has happened; with it the root is what brings somebody.
      expect(await left()).toContain("s1");
      if (repeated) await deleteSession({ store, files }, "s1", T0);
      const due = await store.due(T0 + DELETION_RETRY_MS, { limit: 10 });
      for (const { sessionId, dueAt } of due) await removeExpired({ store, files }, sessionId, dueAt);
      expect(await left()).toEqual(crashAt > 1 ? [] : repeated ? FAMILY : ["s1", ...FAMILY]);
      expect(await store.due(T0 + 1e10, { limit: 10 })).toEqual([]);
    }
  }
  expect(points).toBeGreaterThan(12);
});

it("S-84 S-88 lets two take all along at a time", async () => {
  const { store, files, left } = await aFamily();
  const both = [1, 2].map(() => deleteSession({ store, files }, "s1", T0, { children: true }));

  expect(await Promise.all(both)).toContain(true);
  expect(await left()).toEqual([]);
});

it("R-179 S-28 makes a new session's child anew, with nothing of what an earlier one left under its id", async () => {
  const { store, files, left } = await aFamily();
  const stores = { store, files };
  await deleteSession(stores, "s1", T0);
  await store.accept(anAccept({ id: "arr-9", acceptedAt: T0 + 1 }));
  const { lease: mine } = won(await store.claim("s1", { owner: "a", now: T0 + 1, leaseMs: LEASE_MS }));
  const child = { sessionId: "s1~1", workflow: "billing", now: T0 + 1 };

  const { lease: held, record, thread } = await claimChild(stores, mine, child);
  expect([record.workflow, record.status, thread]).toEqual(["billing", null, []]);
  expect(await files.list("s1~1")).toEqual([]);
  expect(await left()).toEqual(["s1", "s1~1", "s1~2"]);
  await store.commit(held, aCommit({ status: "completed" }), { now: T0 + 1, ...lease });
  expect(await claimChild(stores, mine, child)).toMatchObject({ record: { status: "completed" } });
});
