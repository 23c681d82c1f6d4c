/** The bench's deployment: one webhook of each common kind, an event rule, a schedule, and tools whose effects can be counted. */
import { join } from "node:path";
import { defineConfig, toolsFromMap } from "parkway";
import { invoiceChaserTools } from "../../../workflows/invoice-chaser/host/tools.ts";
import { refundDeskTools } from "../../../workflows/refund-desk/host/tools.ts";
import { effectTools } from "../../crash/effect-tools.ts";

function toolsIn(outboxDir: string) {
  const { open_task } = refundDeskTools({ ordersFile: "", outboxDir });
  const bundled = { open_task, ...invoiceChaserTools({ outboxDir }) };
  return { ...effectTools(outboxDir), ...(bundled as unknown as ReturnType<typeof effectTools>) };
}

/** Each session's effects in a folder of its own. */
function toolsOfSession() {
  const tools = toolsIn("");
  const of = (sessionId: string) => toolsIn(join(process.env.BENCH_EFFECTS ?? "/nowhere", sessionId));
  return Object.fromEntries(
    Object.keys(tools).map((name) => {
      const { handler: _, reconcile, ...rest } = tools[name]!;
      return [
        name,
        {
          ...rest,
          handler: (input: never, context: { sessionId: string }) =>
            of(context.sessionId)[name]!.handler(input, context as never),
          ...(reconcile && {
            reconcile: (input: never, context: { sessionId: string }) =>
              of(context.sessionId)[name]!.reconcile!(input, context as never),
          }),
        },
      ];
    }),
  );
}

/** A generic HMAC webhook. */
const signed = { scheme: "hmac-sha256", secrets: ["ssm:/parkway/bench/gate"], prefix: "sha256=" } as const;

export default defineConfig({
  tools: toolsFromMap(toolsOfSession() as Parameters<typeof toolsFromMap>[0]),
  webhooks: {
    "hello-park/gate_camera": { verify: signed, dedupe: "header:X-Delivery" },
    "invoice-chaser/invoice_overdue": { verify: signed, dedupe: "header:X-Delivery" },
    "invoice-chaser/payment_received": { verify: signed, dedupe: "header:X-Delivery" },
    "errands/issue": {
      verify: { scheme: "github", secrets: ["secret:parkway-bench-github#current"] },
      map: { errand_id: "issue.id", text: "issue.body" },
    },
  },
  events: {
    "order-placed": {
      workflow: "errands",
      trigger: "order",
      pattern: {
        source: ["shop.orders"],
        "detail-type": ["Order Placed"],
        detail: { total: [{ numeric: [">", 10] }] },
      },
      bus: "default",
      variables: { errand_id: "detail.id", text: "detail.text" },
    },
  },
  schedules: {
    nightly: {
      workflow: "errands",
      trigger: "nightly",
      schedule: "cron(0 3 * * ? *)",
      timeZone: "Europe/Berlin",
      variables: { errand_id: "night" },
    },
  },
});
