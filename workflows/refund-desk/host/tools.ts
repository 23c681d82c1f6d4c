/**
 * The refund desk's outside world on one machine: orders in a JSON file, a ledger of refunds in SQLite, letters and
 * tasks as files in an outbox folder, so that every effect can be looked at and counted.
 *
 * Each effect is kept under the call's idempotency key, so that an attempt repeated after a crash changes nothing.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

interface Order {
  id: string;
  email: string;
  category: string;
  delivered_on: string | null;
  price_cents: number;
  opened: boolean;
}

interface Context {
  idempotencyKey: string;
}

const text = { type: "string" };
const object = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Descriptors for `toolsFromMap`. `ordersFile` is read at each call; effects land under `outboxDir`. */
export function refundDeskTools(options: { ordersFile: string; outboxDir: string }) {
  const { ordersFile, outboxDir } = options;
  return {
    lookup_order: {
      description: "Reads one order by its number: customer, category, delivery day, price in cents, opened or not.",
      inputSchema: object({ order_id: text }),
      readOnly: true,
      handler: async ({ order_id }: { order_id: string }) => {
        const orders = JSON.parse(readFileSync(ordersFile, "utf8")) as Order[];
        return orders.find((order) => order.id === order_id) ?? { error: `There is no order ${order_id}.` };
      },
    },
    issue_refund: {
      description: "Pays an amount back for an order. The key names the refund: one key pays once.",
      inputSchema: object({ order_id: text, amount_cents: { type: "integer", minimum: 1 }, key: text }),
      idempotent: true,
      handler: async ({ order_id, amount_cents, key }: { order_id: string; amount_cents: number; key: string }) => {
        recordRefund(outboxDir, { order_id, amount_cents, key });
        return { ok: true };
      },
    },
    send_email: {
      description: "Sends one email.",
      inputSchema: object({ to: text, subject: text, body: text }),
      idempotent: true,
      handler: async (letter: { to: string; subject: string; body: string }, context: Context) => {
        putOnce(join(outboxDir, "letters"), context.idempotencyKey, letter);
        return { ok: true };
      },
    },
    open_task: {
      description: "Opens a task for the desk lead.",
      inputSchema: object({ title: text, details: text }),
      idempotent: true,
      handler: async (task: { title: string; details: string }, context: Context) => {
        putOnce(join(outboxDir, "tasks"), context.idempotencyKey, task);
        return { ok: true };
      },
    },
  };
}

/** What has happened outside so far. */
export function readOutbox(outboxDir: string): { refunds: unknown[]; letters: unknown[]; tasks: unknown[] } {
  return {
    refunds: refundsOf(outboxDir),
    letters: filesIn(join(outboxDir, "letters")),
    tasks: filesIn(join(outboxDir, "tasks")),
  };
}

function openLedger(outboxDir: string): DatabaseSync {
  mkdirSync(outboxDir, { recursive: true });
  const db = new DatabaseSync(join(outboxDir, "ledger.db"));
  db.exec("PRAGMA busy_timeout = 5000");
  db.exec("CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, order_id TEXT, amount_cents INTEGER)");
  return db;
}

function recordRefund(outboxDir: string, refund: { key: string; order_id: string; amount_cents: number }): void {
  const db = openLedger(outboxDir);
  try {
    const insert = db.prepare("INSERT OR IGNORE INTO refunds (key, order_id, amount_cents) VALUES (?, ?, ?)");
    insert.run(refund.key, refund.order_id, refund.amount_cents);
  } finally {
    db.close();
  }
}

function refundsOf(outboxDir: string): unknown[] {
  if (!existsSync(join(outboxDir, "ledger.db"))) return [];
  const db = openLedger(outboxDir);
  try {
    return db
      .prepare("SELECT key, order_id, amount_cents FROM refunds ORDER BY key")
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** One file per key, written whole or not at all. */
function putOnce(dir: string, key: string, content: unknown): void {
  mkdirSync(dir, { recursive: true });
  const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
  const temporary = join(dir, `.${name}.${process.pid}.tmp`);
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(temporary, join(dir, `${name}.json`));
}

function filesIn(dir: string): unknown[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")));
}
