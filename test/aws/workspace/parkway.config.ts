/** The bench's deployment: one webhook of each common kind, an event rule, a schedule, and tools whose effects can be counted. */
import { join } from "node:path";
import { defineConfig, toolsFromMap } from "parkway";
import { effectTools } from "../../crash/effect-tools.ts";

/** Each session's effects in a folder of its own. */
function toolsOfSession() {
  const names = Object.keys(effectTools(""));
  const of = (sessionId: string) => effectTools(join(process.env.BENCH_EFFECTS ?? "/nowhere", sessionId));
  return Object.fromEntries(
    names.map((name) => {
      const { handler: _, reconcile, ...rest } = effectTools("")[name]!;
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

export default defineConfig({
  tools: toolsFromMap(toolsOfSession() as Parameters<typeof toolsFromMap>[0]),
  webhooks: {
    "hello-park/gate_camera": {
      verify: { scheme: "hmac-sha256", secrets: ["ssm:/parkway/bench/gate"], prefix: "sha256=" },
      dedupe: "header:X-Delivery",
    },
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
