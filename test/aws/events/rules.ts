/** Rules over buses: which events go to which targets, in what form, and what becomes of those that no target takes. */
import type { BenchClock } from "../bench-clock.js";
import { inputFor, type TargetInput } from "./input.js";
import { type EventPattern, matchesPattern } from "./pattern.js";

export interface RuleTarget extends TargetInput {
  arn: string;
  /** EventBridge's own attempts; 185 over 24 hours unless given. */
  maxAttempts?: number;
  maxAgeMs?: number;
  onDead?: (input: unknown) => void;
}

export interface Rule {
  name: string;
  bus: string;
  pattern?: EventPattern;
  targets: RuleTarget[];
}

/** An event as a rule sees it. */
export interface Envelope {
  version: "0";
  id: string;
  "detail-type": string;
  source: string;
  account: string;
  time: string;
  region: string;
  resources: string[];
  detail: unknown;
}

/** User guide, "Event retry policy and using dead-letter queues". */
const MAX_RETRIES = 185;
const MAX_AGE_MS = 24 * 60 * 60_000;
const AGAIN_AFTER_MS = 1_000;

export interface Rules {
  put(rule: Rule): void;
  get(name: string): Rule;
  /** Gives the event to the targets of every rule that matches it. @returns names of those rules */
  take(bus: string, event: Envelope): string[];
  /** Gives a scheduled rule's event to its targets. */
  fire(name: string, event: Envelope): void;
}

/** @param options.invoke - hands an input to a target; throws where the target does not take it */
export function createRules(options: {
  clock: BenchClock;
  invoke(arn: string, input: unknown, rule: string): void;
  arnOfRule(rule: Rule): string;
}): Rules {
  const rules = new Map<string, Rule>();

  function give(rule: Rule, target: RuleTarget, event: Envelope): void {
    const names = { ruleName: rule.name, ruleArn: options.arnOfRule(rule), ingestionTime: event.time };
    const input = inputFor(target, event, names);
    const { maxAttempts = MAX_RETRIES, maxAgeMs = MAX_AGE_MS } = target;
    const since = options.clock.now();
    attempt(1);

    function attempt(count: number): void {
      try {
        options.invoke(target.arn, input, rule.name);
      } catch {
        const again = options.clock.now() + AGAIN_AFTER_MS;
        if (count > maxAttempts || again > since + maxAgeMs) target.onDead?.(input);
        else options.clock.at(again, () => attempt(count + 1));
      }
    }
  }

  function get(name: string): Rule {
    const rule = rules.get(name);
    if (!rule) throw new Error(`No rule ${name}; there are ${[...rules.keys()].join(", ")}.`);
    return rule;
  }

  function fire(name: string, event: Envelope): void {
    const rule = get(name);
    for (const target of rule.targets) give(rule, target, event);
  }

  return {
    put: (rule) => void rules.set(rule.name, rule),
    get,
    fire,
    take(bus, event) {
      const meant = [...rules.values()].filter((rule) => rule.bus === bus && rule.pattern !== undefined);
      const matching = meant.filter(({ pattern }) => matchesPattern(pattern ?? {}, event)).map(({ name }) => name);
      for (const name of matching) fire(name, event);
      return matching;
    },
  };
}
