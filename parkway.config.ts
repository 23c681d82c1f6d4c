/** What this workspace adds to its workflows: the refund desk's tools, over files in the repository. */
import { join } from "node:path";
import { defineConfig, toolsFromMap } from "parkway";
import { refundDeskTools } from "./workflows/refund-desk/host/tools.ts";

const root = import.meta.dirname;

export default defineConfig({
  tools: toolsFromMap(
    refundDeskTools({
      ordersFile: join(root, "workflows", "refund-desk", "host", "orders.json"),
      outboxDir: process.env.PARKWAY_OUTBOX ?? join(root, "outbox"),
    }),
  ),
});
