/**
 * The joinery's outside world on one machine: letters as files in the outbox, credits in its ledger. Tasks are opened
 * with the refund desk's `open_task`: one workspace has one set of tools.
 */
import { putOnce, recordOnce } from "../../refund-desk/host/outbox.ts";

const text = { type: "string" };
const object = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Descriptors for `toolsFromMap`; effects land under `outboxDir`. */
export function invoiceChaserTools({ outboxDir }: { outboxDir: string }) {
  return {
    send_mail: {
      description: "Sends one letter by mail.",
      inputSchema: object({ to: text, subject: text, body: text }),
      idempotent: true,
      handler: async (letter: { to: string; subject: string; body: string }, context: { idempotencyKey: string }) => {
        putOnce(outboxDir, "letters", { key: context.idempotencyKey, content: letter });
        return { ok: true };
      },
    },
    issue_credit: {
      description: "Credits an invoice in full. The key names the credit: one key credits once.",
      inputSchema: object({ invoice_number: text, key: text }),
      idempotent: true,
      handler: async ({ invoice_number, key }: { invoice_number: string; key: string }) => {
        const sql = "INSERT OR IGNORE INTO credits (key, invoice_number) VALUES (?, ?)";
        recordOnce(outboxDir, sql, [key, invoice_number]);
        return { ok: true };
      },
    },
  };
}
