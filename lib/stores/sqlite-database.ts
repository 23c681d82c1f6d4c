/** Node's own SQLite, opened the way the stores need it: durable, shared by several processes, quiet. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { StoreUnavailableError, StoreUnusableError } from "../session/errors.js";
import { createWriteGroup } from "./sqlite-grouping.js";

/** How long a call waits for another process's transaction; those take milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Switching a new file to WAL does not wait for others by itself, so it is tried again. */
const OPEN_ATTEMPTS = 200;
const OPEN_PAUSE_MS = 20;

export type Row = Record<string, unknown>;

export interface Database {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** Rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Runs `work` in one transaction, taken for writing from the start, so that it never fails half-way for being late. */
  write<Result>(work: () => Result): Result;
  /** As `write`, in one transaction with what others ask for at the same moment. */
  writeTogether<Result>(work: () => Result): Promise<Result>;
  /** Runs `work` on one consistent view. */
  read<Result>(work: () => Result): Result;
  close(): void;
}

/**
 * Opens the file, making it and its folder when they are not there, and brings its schema up to date.
 *
 * WAL lets readers and one writer work side by side; `synchronous=FULL` makes every commit survive a power loss, which is
 * what accepting an arrival promises (S-1).
 *
 * @param migrations - SQL scripts; the file's `user_version` says how many of them it has had
 * @throws {StoreUnusableError} when the file cannot be used, here and from every method
 * @throws {StoreUnavailableError} when another process does not let go of it, here and from every method
 */
export function openDatabase(file: string, migrations: readonly string[]): Database {
  return told(file, () => {
    if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true });
    const { DatabaseSync: Sqlite } = loadSqlite();
    const db = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      patiently(() => db.exec("PRAGMA journal_mode=WAL"));
      db.exec("PRAGMA synchronous=FULL");
      const database = wrap(db, file);
      migrate(database, db, { file, migrations });
      return database;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function wrap(db: DatabaseSync, file: string): Database {
  const statements = new Map<string, StatementSync>();
  function prepared(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }
  function inTransaction<Result>(begin: string, work: () => Result): Result {
    told(file, () => db.exec(begin));
    try {
      const result = work();
      told(file, () => db.exec("COMMIT"));
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
  const write = <Result>(work: () => Result) => inTransaction("BEGIN IMMEDIATE", work);
  const group = createWriteGroup(db, write);
  return {
    all: (sql, ...values) => told(file, () => prepared(sql).all(...values) as Row[]),
    get: (sql, ...values) => told(file, () => prepared(sql).get(...values) as Row | undefined),
    run: (sql, ...values) => told(file, () => Number(prepared(sql).run(...values).changes)),
    write,
    writeTogether: group.write,
    read: (work) => inTransaction("BEGIN", work),
    close() {
      group.flush();
      statements.clear();
      if (db.isOpen) db.close();
    },
  };
}

function migrate(database: Database, db: DatabaseSync, schema: { file: string; migrations: readonly string[] }): void {
  const { file, migrations } = schema;
  const versionNow = () => Number(database.get("PRAGMA user_version")?.user_version ?? 0);
  if (versionNow() === migrations.length) return;
  database.write(() => {
    const version = versionNow();
    if (version > migrations.length) {
      throw new StoreUnusableError(
        file,
        `it has format ${version}, and this version of Parkway knows up to ${migrations.length}; use the version that wrote it, or a newer one`,
      );
    }
    for (const script of migrations.slice(version)) db.exec(script);
    db.exec(`PRAGMA user_version=${migrations.length}`);
  });
}

/** Loaded when first needed, without the notice that older versions of Node print for it. */
function loadSqlite(): typeof import("node:sqlite") {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Primary result codes of SQLite. */
const TAKEN = new Set([5, 6]);
/** Not permitted, read-only, failed I/O, damaged, full, not to be opened, no database. */
const UNUSABLE = new Set([3, 8, 10, 11, 13, 14, 26]);

/** What the file or its folder refuses, told as the store's error; a mistake in a statement stays what it is. */
function told<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { errcode, syscall } = error as { errcode?: unknown; syscall?: unknown };
    const primary = typeof errcode === "number" ? errcode & 0xff : -1;
    if (TAKEN.has(primary)) throw new StoreUnavailableError(`use ${file}`, error.message, { cause: error });
    if (!UNUSABLE.has(primary) && syscall === undefined) throw error;
    throw new StoreUnusableError(file, error.message, { cause: error });
  }
}

function patiently(work: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      work();
      return;
    } catch (error) {
      const isLocked = error instanceof Error && error.message.includes("locked");
      if (!isLocked || attempt >= OPEN_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS);
    }
  }
}
