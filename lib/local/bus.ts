/** The bus on one machine: events matched against the deployment's rules, which fire triggers (F-75, S-97). */
import type { EventRuleConfig } from "../config/index.js";
import type { LifecycleEvent } from "../session/lifecycle.js";
import type { EventBus } from "../session/ports.js";
import { busEntry } from "../stores/eventbridge/index.js";
import { matchesPattern } from "./pattern.js";

/** An event as EventBridge delivers it to a rule's target. */
export interface BusEvent {
  version: "0";
  id: string;
  source: string;
  "detail-type": string;
  account: string;
  /** ISO 8601, whole seconds. */
  time: string;
  region: string;
  resources: readonly string[];
  detail: unknown;
}

export interface LocalBus extends EventBus {
  /** An event from elsewhere. It stands for one of either bus: on one machine there is no other. */
  put(event: BusEvent): Promise<{ fired: string[] }>;
}

export interface LocalBusOptions {
  rules: Readonly<Record<string, EventRuleConfig>>;
  /** @throws what passes; an event of ours is then published again, which fires no rule twice */
  fire(match: { name: string; rule: EventRuleConfig; event: BusEvent }): Promise<void>;
}

export function createLocalBus({ rules, fire }: LocalBusOptions): LocalBus {
  async function deliver(event: BusEvent, fits: (rule: EventRuleConfig) => boolean): Promise<string[]> {
    const matches = Object.entries(rules).filter(([, rule]) => fits(rule) && matchesPattern(rule.pattern, event));
    for (const [name, rule] of matches) await fire({ name, rule, event });
    return matches.map(([name]) => name);
  }

  return {
    async publish(events) {
      for (const event of events) await deliver(busEventOf(event), ({ bus = "own" }) => bus === "own");
    },
    put: async (event) => ({ fired: await deliver(event, () => true) }),
  };
}

/** What a lifecycle event is once it has been on EventBridge, except for its id: ours lets no repetition fire twice. */
function busEventOf(event: LifecycleEvent): BusEvent {
  const { entry } = busEntry(event, "local");
  return {
    version: "0",
    id: event.id,
    source: entry.Source,
    "detail-type": entry.DetailType,
    account: LOCAL_ACCOUNT,
    time: wholeSeconds(entry.Time.getTime()),
    region: LOCAL_REGION,
    resources: [],
    detail: JSON.parse(entry.Detail),
  };
}

export const LOCAL_ACCOUNT = "000000000000";
export const LOCAL_REGION = "local";

export function wholeSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, "Z");
}
