/** What this workspace adds to its workflows: the tools of the refund desk and the invoice chaser, over files on this machine. */
import { join } from "node:path";
import { defineConfig, toolsFromMap } from "parkway";
import { invoiceChaserTools } from "./workflows/invoice-chaser/host/tools.ts";
import { refundDeskTools } from "./workflows/refund-desk/host/tools.ts";

const root = import.meta.dirname;
const outboxDir = process.env.PARKWAY_OUTBOX ?? join(root, "outbox");
const ordersFile = join(root, "workflows", "refund-desk", "host", "orders.json");

export default defineConfig({
  tools: toolsFromMap({
    ...refundDeskTools({ ordersFile, outboxDir }),
    ...invoiceChaserTools({ outboxDir }),
  }),
});
