/** Reading what a decision needs, and carrying out what it decided; always inside a transaction of the caller. */
import type { Arrival, DeadLetter, Receipt } from "../../session/arrival.js";
import type { ThreadItem } from "../../session/ports.js";
import { recordAfter, type Writes } from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { parentSessionIdOf } from "../../spec/index.js";
import type { Database, Row } from "../sqlite-database.js";

export function recordOf(db: Database, sessionId: string): SessionRecord | null {
  const row = db.get("SELECT record FROM sessions WHERE session_id = ?", sessionId);
  return row ? json<SessionRecord>(row.record) : null;
}

/** Ids of the session's children; those of children lie among them and are passed over. */
export function childrenOf(db: Database, sessionId: string): string[] {
  // The character after the last digit.
  const [first, end] = [`${sessionId}~`, `${sessionId}~:`];
  const rows = db.all(
    "SELECT session_id FROM sessions WHERE session_id > ? AND session_id < ? ORDER BY session_id",
    first,
    end,
  );
  return rows.map((row) => String(row.session_id)).filter((id) => parentSessionIdOf(id) === sessionId);
}

/** In order of acceptance. */
export function inboxOf(db: Database, sessionId: string): Arrival[] {
  const rows = db.all("SELECT arrival FROM inbox WHERE session_id = ? ORDER BY seq", sessionId);
  return rows.map((row) => json<Arrival>(row.arrival));
}

export function inboxCountOf(db: Database, sessionId: string): number {
  return Number(db.get("SELECT count(*) AS count FROM inbox WHERE session_id = ?", sessionId)?.count);
}

export function threadOf(db: Database, sessionId: string): ThreadItem[] {
  const rows = db.all("SELECT key, value FROM thread WHERE session_id = ? ORDER BY key", sessionId);
  return rows.map((row) => ({ key: String(row.key), value: String(row.value) }));
}

export function receiptOf(db: Database, arrivalId: string): Receipt | null {
  const row = db.get("SELECT receipt FROM receipts WHERE arrival_id = ?", arrivalId);
  return row ? json<Receipt>(row.receipt) : null;
}

/** Carries a decision's writes out, on the record that the decision was made on. */
export function carryOut(db: Database, sessionId: string, before: SessionRecord | null, writes: Writes): void {
  const record = recordAfter(before, writes);
  if (writes.record && record) putRecord(db, record, before);
  for (const arrival of writes.inboxPuts ?? []) {
    db.run("INSERT OR REPLACE INTO inbox VALUES (?, ?, ?)", sessionId, arrival.seq, JSON.stringify(arrival));
  }
  for (const seq of writes.inboxRemoves ?? []) {
    db.run("DELETE FROM inbox WHERE session_id = ? AND seq = ?", sessionId, seq);
  }
  for (const key of writes.removes ?? []) {
    db.run("DELETE FROM thread WHERE session_id = ? AND key = ?", sessionId, key);
  }
  for (const { key, value } of writes.puts ?? []) {
    db.run(
      "INSERT INTO thread VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      sessionId,
      key,
      value,
    );
  }
  if (writes.receiptPut) putReceipt(db, writes.receiptPut);
  for (const { arrivalId, set } of writes.receiptChanges ?? []) {
    const receipt = receiptOf(db, arrivalId);
    if (receipt) putReceipt(db, { ...receipt, ...set });
  }
  for (const event of writes.events ?? []) {
    db.run(
      "INSERT INTO events (session_id, event_id, event) VALUES (?, ?, ?)",
      sessionId,
      event.id,
      JSON.stringify(event),
    );
  }
  if (writes.deadLetter) putLetter(db, writes.deadLetter);
  if (writes.redriven) {
    const letter = letterOf(db, writes.redriven.letterId);
    if (letter) putLetter(db, { ...letter, redrivenAs: writes.redriven.arrivalId });
  }
}

export function letterOf(db: Database, id: string): DeadLetter | null {
  const row = db.get("SELECT letter FROM dead_letters WHERE id = ?", id);
  return row ? json<DeadLetter>(row.letter) : null;
}

export function putLetter(db: Database, letter: DeadLetter): void {
  const { id, at, expiresAt } = letter;
  db.run("INSERT OR REPLACE INTO dead_letters VALUES (?, ?, ?, ?)", id, JSON.stringify(letter), at, expiresAt);
}

export function putReceipt(db: Database, receipt: Receipt): void {
  const isSettled = receipt.status !== "queued" && receipt.status !== "running";
  db.run(
    `INSERT INTO receipts VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET receipt = excluded.receipt, settled_until = excluded.settled_until`,
    receipt.arrivalId,
    receipt.sessionId,
    JSON.stringify(receipt),
    isSettled ? receipt.expiresAt : null,
  );
}

export function removeSession(db: Database, sessionId: string): void {
  for (const table of ["inbox", "thread", "events", "sessions"]) {
    db.run(`DELETE FROM ${table} WHERE session_id = ?`, sessionId);
  }
}

export function json<Value>(text: unknown): Value {
  return JSON.parse(String(text)) as Value;
}

export function recordsFrom(rows: readonly Row[]): SessionRecord[] {
  return rows.map((row) => json<SessionRecord>(row.record));
}

/** The indexes over the columns beside the record are written anew by any statement that sets them, changed or not. */
function putRecord(db: Database, record: SessionRecord, before: SessionRecord | null): void {
  const { sessionId } = record;
  const columns = columnsOf(record);
  const text = JSON.stringify(record);
  if (before === null) {
    db.run("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", sessionId, text, ...Object.values(columns));
    return;
  }
  const known: Record<string, unknown> = columnsOf(before);
  const changed = Object.entries(columns).filter(([name, value]) => value !== known[name]);
  const set = ["record", ...changed.map(([name]) => name)].map((name) => `${name} = ?`).join(", ");
  db.run(`UPDATE sessions SET ${set} WHERE session_id = ?`, text, ...changed.map(([, value]) => value), sessionId);
}

/** In the order of the table. */
function columnsOf({ status, workflow, park, dueAt, updatedAt, deleting }: SessionRecord) {
  return {
    // A session that is being deleted is in no list, like one that has not run (S-14).
    status: deleting ? null : status,
    workflow,
    resume_at: park?.channel === "input" ? (park.resumeAt ?? null) : null,
    due_at: dueAt,
    updated_at: updatedAt,
  };
}
