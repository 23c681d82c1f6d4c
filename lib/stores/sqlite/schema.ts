/**
 * The tables. What a decision reads or writes whole is JSON in one column; beside it stand only the columns that are
 * searched or ordered by. A commit's cost is the pages it dirties: hence tables without row ids, and updates in place,
 * which leave alone the indexes over what did not change.
 *
 *   sessions      one row a session: its record
 *   inbox         accepted and unsettled arrivals, by session and number
 *   thread        the session's items, by session and key
 *   receipts      by arrival; `settled_until` is null while the arrival has not settled
 *   events        lifecycle events not yet published, in the order they were written
 *   dead_letters  by id
 */
export const MIGRATIONS = [
  `
  CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    status TEXT,
    workflow TEXT NOT NULL,
    resume_at INTEGER,
    due_at INTEGER,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX sessions_due ON sessions (due_at, session_id) WHERE due_at IS NOT NULL;
  CREATE INDEX sessions_resume ON sessions (resume_at) WHERE resume_at IS NOT NULL;
  CREATE INDEX sessions_latest ON sessions (updated_at DESC, session_id) WHERE status IS NOT NULL;

  CREATE TABLE inbox (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    arrival TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) WITHOUT ROWID;

  CREATE TABLE thread (
    session_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
  ) WITHOUT ROWID;

  CREATE TABLE receipts (
    arrival_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    receipt TEXT NOT NULL,
    settled_until INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX receipts_session ON receipts (session_id);
  CREATE INDEX receipts_expiry ON receipts (settled_until) WHERE settled_until IS NOT NULL;

  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event TEXT NOT NULL
  );
  CREATE INDEX events_session ON events (session_id, position);

  CREATE TABLE dead_letters (
    id TEXT PRIMARY KEY,
    letter TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE INDEX dead_letters_expiry ON dead_letters (expires_at);
  `,
] as const;
