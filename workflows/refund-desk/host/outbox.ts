/** The outbox: a folder in which everything that the bundled workflows do to the outside world can be looked at. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** What has happened outside so far. `key` names an effect: one key is one effect. */
export interface Outbox {
  refunds: { key: string; order_id: string; amount_cents: number }[];
  credits: { key: string; invoice_number: string }[];
  letters: { to: string; subject: string; body: string }[];
  tasks: { title: string; details?: string }[];
}

export function readOutbox(dir: string): Outbox {
  return {
    refunds: rowsOf(dir, "SELECT key, order_id, amount_cents FROM refunds ORDER BY key"),
    credits: rowsOf(dir, "SELECT key, invoice_number FROM credits ORDER BY key"),
    letters: filesIn(join(dir, "letters")),
    tasks: filesIn(join(dir, "tasks")),
  };
}

/** One file per key, written whole or not at all. */
export function putOnce(dir: string, kind: "letters" | "tasks", { key, content }: { key: string; content: unknown }) {
  const folder = join(dir, kind);
  mkdirSync(folder, { recursive: true });
  const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
  const temporary = join(folder, `.${name}.${process.pid}.tmp`);
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(temporary, join(folder, `${name}.json`));
}

/** Writes into the ledger; a key that is there already changes nothing. */
export function recordOnce(dir: string, sql: string, values: SQLInputValue[]): void {
  const db = openLedger(dir);
  try {
    db.prepare(sql).run(...values);
  } finally {
    db.close();
  }
}

function openLedger(dir: string): DatabaseSync {
  mkdirSync(dir, { recursive: true });
  const db = new DatabaseSync(join(dir, "ledger.db"));
  db.exec("PRAGMA busy_timeout = 5000");
  db.exec("CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, order_id TEXT, amount_cents INTEGER)");
  db.exec("CREATE TABLE IF NOT EXISTS credits (key TEXT PRIMARY KEY, invoice_number TEXT)");
  return db;
}

function rowsOf<T>(dir: string, sql: string): T[] {
  if (!existsSync(join(dir, "ledger.db"))) return [];
  const db = openLedger(dir);
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }) as T);
  } finally {
    db.close();
  }
}

function filesIn<T>(dir: string): T[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")) as T);
}
