import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isStoreFailure } from "../../session/errors.js";
import type { AcceptRequest } from "../../session/ports.js";
import { type Database, openDatabase } from "../sqlite-database.js";
import { MIGRATIONS } from "./schema.js";
import { createSqliteSessionStore } from "./session-store.js";

const request: AcceptRequest = {
  arrival: {
    id: "arr-1",
    sessionId: "s1",
    source: "api",
    workflow: "w",
    input: { kind: "turn", message: "m" },
    acceptedAt: 1_000,
  },
  fingerprint: "f",
  checkFingerprint: true,
  receiptExpiresAt: 2_000,
};

function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("session store in a SQLite file", () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "parkway-"));
    file = join(dir, "parkway.db");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("S-1 flushes every commit to the disk, so that what was accepted survives a power loss", () => {
    const db = openDatabase(file, MIGRATIONS);

    expect(db.get("PRAGMA synchronous")).toMatchObject({ synchronous: 2 });
    expect(db.get("PRAGMA journal_mode")).toMatchObject({ journal_mode: "wal" });
    db.close();
  });

  it.each([
    ["is no database", (path: string) => place(path, "x".repeat(5_000)), /not a database/],
    ["is a folder", (path: string) => mkdirSync(path, { recursive: true }), /unable to open/],
    ["is below a file", (path: string) => place(dirname(path), "x"), /ENOTDIR|EEXIST/],
  ])("S-94 H-129 tells that a file cannot be used which %s, and leaves it alone", async (_, spoil, reason) => {
    file = join(dir, "kept", "parkway.db");
    spoil(file);
    const store = createSqliteSessionStore({ file });

    const error = await store.read("s1", 1_000).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "store-unusable", retryable: false, file });
    expect((error as Error).message).toMatch(reason);
    await expect(store.accept(request)).rejects.toMatchObject({ code: "store-unusable" });
    expect(isStoreFailure(error)).toBe(true);
    await store.close();
  });

  it("S-80 refuses by name a file that a newer version made, and leaves it alone", async () => {
    const db = openDatabase(file, MIGRATIONS);
    db.run("PRAGMA user_version=99");
    db.close();
    const store = createSqliteSessionStore({ file });

    await expect(store.accept(request)).rejects.toThrow("has format 99");
    await store.close();
    const again = openDatabase(
      file,
      Array.from({ length: 99 }, () => ""),
    );
    expect(again.all("SELECT * FROM receipts")).toEqual([]);
    again.close();
  });

  it("S-1 leaves nothing half written when a transaction fails midway", () => {
    const db = openDatabase(file, MIGRATIONS);
    const failing = () =>
      db.write(() => {
        db.run("INSERT INTO inbox VALUES ('s1', 1, '{}')");
        throw new Error("crash");
      });

    expect(failing).toThrow("crash");
    expect(db.all("SELECT * FROM inbox")).toEqual([]);
    db.close();
  });

  it("F-55 frees the place of expired receipts, and keeps those of arrivals that wait", async () => {
    const store = createSqliteSessionStore({ file });
    await store.accept(request);
    await store.accept({ ...request, arrival: { ...request.arrival, id: "arr-2" } });
    await store.cancel("s1", 1_500, { arrivalId: "arr-2" });
    await store.accept({ ...request, arrival: { ...request.arrival, id: "arr-3", acceptedAt: 2_000 } });
    await store.close();

    const db = openDatabase(file, MIGRATIONS);
    const ids = db.all("SELECT arrival_id FROM receipts ORDER BY arrival_id").map((row) => row.arrival_id);
    expect(ids).toEqual(["arr-1", "arr-3"]);
    db.close();
  });

  it("S-77 writes one page for a step that moves the record alone: indexes over what did not change stay as they are", async () => {
    const store = createSqliteSessionStore({ file });
    const time = { now: 1_000, leaseMs: 60_000 };
    await store.accept(request);
    const claim = await store.claim("s1", { owner: "a", ...time });
    if (claim.kind !== "claimed") throw new Error("The lease is free.");
    const step = (checkpoint: number) => ({
      puts: [],
      removes: [],
      record: { status: "running" as const, checkpoint },
    });
    await store.commit(claim.lease, step(1), time);
    const other = openDatabase(file, MIGRATIONS);
    other.get("PRAGMA wal_checkpoint(TRUNCATE)");
    await store.commit(claim.lease, step(2), time);

    expect(other.get("PRAGMA wal_checkpoint")).toMatchObject({ log: 1 });
    expect((await store.list({ status: "running" })).map(({ checkpoint }) => checkpoint)).toEqual([2]);
    other.close();
    await store.close();
  });

  describe("writes of one moment", () => {
    const put = (db: Database, seq: number) => db.run("INSERT INTO inbox VALUES ('s1', ?, '{}')", seq);
    const stored = (db: Database) => db.all("SELECT seq FROM inbox ORDER BY seq").map(({ seq }) => seq);
    const crash = (error: Error) => {
      throw error;
    };

    it("S-1 share a transaction, each whole or not there at all", async () => {
      const db = openDatabase(file, MIGRATIONS);
      db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      const made = await Promise.allSettled([
        db.writeTogether(() => put(db, 1)),
        db.writeTogether(() => put(db, 2) && crash(new Error("refused"))),
        db.writeTogether(() => put(db, 3)),
      ]);

      expect(made.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(made[1]).toMatchObject({ reason: { message: "refused" } });
      expect(stored(db)).toEqual([1, 3]);
      // One page, written once.
      expect(db.get("PRAGMA wal_checkpoint")).toMatchObject({ log: 1 });
      db.close();
    });

    it("S-1 are all refused where their transaction fails", async () => {
      const db = openDatabase(file, MIGRATIONS);
      const made = await Promise.allSettled([
        db.writeTogether(() => put(db, 1)),
        db.writeTogether(() => {
          db.run("ROLLBACK");
          crash(new Error("disk full"));
        }),
        db.writeTogether(() => put(db, 3)),
      ]);

      expect(made.map((one) => one.status === "rejected" && one.reason.message)).toEqual(Array(3).fill("disk full"));
      expect(stored(db)).toEqual([]);
      expect(await db.writeTogether(() => put(db, 4))).toBe(1);
      db.close();
    });

    it("S-1 are made before the store closes", async () => {
      const store = createSqliteSessionStore({ file });
      const accepting = store.accept(request);
      await store.close();

      expect(await accepting).toMatchObject({ kind: "accepted" });
    });
  });
});
