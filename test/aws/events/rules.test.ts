import { expect, it } from "vitest";
import { benchClock } from "../bench-clock.js";
import { createRules, type Envelope } from "./rules.js";

const EVENT: Envelope = {
  version: "0",
  id: "e-1",
  "detail-type": "Order Placed",
  source: "shop",
  account: "111122223333",
  time: "2026-03-20T09:00:00Z",
  region: "eu-central-1",
  resources: [],
  detail: { id: "N-7" },
};

function aBus(failures = 0) {
  const given: { arn: string; input: unknown; rule: string }[] = [];
  const dead: unknown[] = [];
  const clock = benchClock();
  let left = failures;
  const rules = createRules({
    clock,
    arnOfRule: ({ name }) => `arn:rule/${name}`,
    invoke(arn, input, rule) {
      if (left-- > 0) throw new Error("Refused.");
      given.push({ arn, input, rule });
    },
  });
  return { rules, given, dead, clock };
}

it("gives an event to the targets of the rules of its bus that match", () => {
  const { rules, given } = aBus();
  const transformed = { InputPathsMap: { f1: "$" }, InputTemplate: '{"event":<f1>}' };
  rules.put({
    name: "orders",
    bus: "own",
    pattern: { source: ["shop"] },
    targets: [{ arn: "f", InputTransformer: transformed }],
  });
  rules.put({ name: "others", bus: "own", pattern: { source: ["bank"] }, targets: [{ arn: "g" }] });
  rules.put({ name: "elsewhere", bus: "default", pattern: { source: ["shop"] }, targets: [{ arn: "h" }] });

  expect(rules.take("own", EVENT)).toEqual(["orders"]);
  expect(given).toEqual([{ arn: "f", input: { event: EVENT }, rule: "orders" }]);
});

it("tries a target that refuses again, as often as the rule says, and keeps the input then", () => {
  const { rules, given, dead, clock } = aBus(3);
  const onDead = (input: unknown) => dead.push(input);
  rules.put({
    name: "r",
    bus: "own",
    pattern: { source: ["shop"] },
    targets: [{ arn: "f", Input: "1", maxAttempts: 1, onDead }],
  });
  rules.take("own", EVENT);
  clock.advance(1_001);
  expect([given, dead]).toEqual([[], [1]]);

  rules.take("own", EVENT);
  clock.advance(1_001);
  expect(given).toEqual([{ arn: "f", input: 1, rule: "r" }]);
});

it("leaves an event to nobody once it is too old", () => {
  const { rules, dead, clock } = aBus(99);
  const target = { arn: "f", Input: "1", maxAgeMs: 60_000, onDead: (input: unknown) => dead.push(input) };
  rules.put({ name: "r", bus: "own", pattern: { source: ["shop"] }, targets: [target] });
  rules.take("own", EVENT);
  clock.advance(60_000);

  expect(dead).toEqual([1]);
});
