/** What happens to a deployment in the bench's scenarios, as the outside sees it. */

import { join } from "node:path";
import { readEffects } from "../../crash/effect-tools.js";
import type { Envelope } from "../events/rules.js";

export type Step =
  | { kind: "webhook"; hook: "gate" | "github"; body: (session: string) => object }
  | { kind: "api"; path: (session: string) => string; body: (session: string) => object }
  | {
      kind: "event";
      event: (session: string) => Pick<Envelope, "source" | "detail-type" | "detail">;
    }
  /** Time passes, and the sweep of that minute runs. */
  | { kind: "wait"; ms: number };

export interface Scenario {
  name: string;
  /** Unique for each run. */
  sessionId: (run: number) => string;
  steps: Step[];
  /** The state that the session ends in. */
  ends: string;
  effects?(dir: string, session: string): unknown;
}

const MINUTES = 60_000;

export const SCENARIOS: Scenario[] = [
  {
    name: "a webhook, a park, a decision",
    sessionId: (run) => `visit-${run}`,
    ends: "open-barrier",
    steps: [
      {
        kind: "webhook",
        hook: "gate",
        body: (visit) => ({ visit_id: visit, plate: "ab-12 cd", visitor: "Ada" }),
      },
      {
        kind: "api",
        path: (session) => `/v1/sessions/${session}/decision`,
        body: () => ({ target: "open-barrier", comment: "In the book." }),
      },
    ],
  },
  {
    name: "a call, a timed park, a wake-up",
    sessionId: (run) => `pause-${run}`,
    ends: "resumed",
    steps: [
      {
        kind: "api",
        path: () => "/v1/workflows/hello-wait/sessions",
        body: (sessionId) => ({ sessionId, message: "Cool the barrier down.", variables: { minutes: 60 } }),
      },
      { kind: "wait", ms: 60 * MINUTES },
    ],
  },
  {
    name: "an event, three calls at once",
    sessionId: (run) => `errand-${run}`,
    ends: "done",
    steps: [
      {
        kind: "event",
        event: (id) => ({ source: "shop.orders", "detail-type": "Order Placed", detail: { id, total: 42 } }),
      },
    ],
    effects: (dir, session) => readEffects(join(dir, session)),
  },
];
