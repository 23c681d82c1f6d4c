/**
 * What the file store keeps for itself, in `<dir>/.parkway/files.db`: which sessions have files here, and the lock that
 * all processes take to change one. The lock is SQLite's, that is the operating system's: it dies with its holder.
 */
import { type Database, openDatabase } from "../sqlite-database.js";

const MIGRATIONS = ["CREATE TABLE areas (session_id TEXT PRIMARY KEY) WITHOUT ROWID;"] as const;

export interface Areas {
  /** Runs `work` while no other process changes files. `work` is synchronous, so nobody waits longer than it takes. */
  exclusively<Result>(work: () => Result): Result;
  /** Whether a session of this id has ever written a file here. */
  has(sessionId: string): boolean;
  add(sessionId: string): void;
  remove(sessionId: string): void;
}

export function openAreas(file: string): Areas {
  const db: Database = openDatabase(file, MIGRATIONS);
  return {
    exclusively: (work) => db.write(work),
    has: (sessionId) => db.get("SELECT 1 AS found FROM areas WHERE session_id = ?", sessionId) !== undefined,
    add: (sessionId) => {
      db.run("INSERT OR IGNORE INTO areas VALUES (?)", sessionId);
    },
    remove: (sessionId) => {
      db.run("DELETE FROM areas WHERE session_id = ?", sessionId);
    },
  };
}
