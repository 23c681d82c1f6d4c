/**
 * The refund desk's outside world on one machine: orders in a JSON file, a ledger of refunds in SQLite, letters and
 * tasks as files in the outbox, so that every effect can be looked at and counted.
 *
 * Each effect is kept under its key, so that an attempt repeated after a crash changes nothing.
 */
import { readFileSync } from "node:fs";
import { putOnce, recordOnce } from "./outbox.ts";

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
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
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
        const order = orders.find(({ id }) => id === order_id);
        if (order === undefined) throw new Error(`There is no order ${order_id}.`);
        return order;
      },
    },
    issue_refund: {
      description: "Pays an amount back for an order. The key names the refund: one key pays once.",
      inputSchema: object({ order_id: text, amount_cents: { type: "integer", minimum: 1 }, key: text }),
      idempotent: true,
      handler: async ({ order_id, amount_cents, key }: { order_id: string; amount_cents: number; key: string }) => {
        const sql = "INSERT OR IGNORE INTO refunds (key, order_id, amount_cents) VALUES (?, ?, ?)";
        recordOnce(outboxDir, sql, [key, order_id, amount_cents]);
        return { ok: true };
      },
    },
    send_email: {
      description: "Sends one email.",
      inputSchema: object({ to: text, subject: text, body: text }),
      idempotent: true,
      handler: async (letter: { to: string; subject: string; body: string }, context: Context) => {
        putOnce(outboxDir, "letters", { key: context.idempotencyKey, content: letter });
        return { ok: true };
      },
    },
    open_task: {
      description: "Opens a task for a person. A key names the task: one key opens one.",
      inputSchema: object({ title: text, details: text, key: text }, ["title"]),
      idempotent: true,
      handler: async ({ key, ...task }: { title: string; details?: string; key?: string }, context: Context) => {
        putOnce(outboxDir, "tasks", { key: key ?? context.idempotencyKey, content: task });
        return { ok: true };
      },
    },
  };
}
