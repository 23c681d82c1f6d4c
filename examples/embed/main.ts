/** A refund desk inside a program of one's own: tools of LangChain, a person's decision, one effect. */
import { appendFile } from "node:fs/promises";
import { tool } from "@langchain/core/tools";
import { createAgent } from "parkway";
import { z } from "zod";

const lookupOrder = tool(({ order_id }) => JSON.stringify({ id: order_id, price_cents: 42_000 }), {
  name: "lookup_order",
  description: "Finds an order by its number.",
  schema: z.object({ order_id: z.string() }),
});
const refundOrder = tool(({ order_id, amount_cents }) => appendFile("refunds.log", `${order_id} ${amount_cents}\n`), {
  name: "refund_order",
  description: "Pays an order back.",
  schema: z.object({ order_id: z.string(), amount_cents: z.int() }),
});

const agent = await createAgent({ workflow: "refund", tools: [lookupOrder, refundOrder], onEvent: () => {} });

const asked = await agent.workflow.send("case-1", { message: "Please refund order NL-310." });
console.log(asked.kind, asked.pending?.state, asked.reply);

const settled = await agent.workflow.decide("case-1", { target: "pay", decidedBy: "the desk lead" });
console.log(settled.kind, settled.state, settled.variables.outcome?.value);

await agent.close();
