import { expect, it } from "vitest";
import { inputFor, type TargetInput } from "./input.js";

const EVENT = { id: "e-1", detail: { order: { id: 'N"7', lines: [{ sku: "x" }] }, total: 3, note: null } };
const NAMES = { ruleName: "orders", ruleArn: "arn:rule/orders", ingestionTime: "2026-03-20T09:00:00Z" };

it.each<[string, TargetInput, unknown]>([
  ["the event", {}, EVENT],
  ["a constant", { Input: '{"a":1}' }, { a: 1 }],
  ["a part", { InputPath: "$.detail.order" }, EVENT.detail.order],
  ["an item", { InputPath: "$.detail.order.lines[0].sku" }, "x"],
  [
    "the whole event within a template",
    transformer({ f1: "$" }, '{"rule":"orders","event":<f1>}'),
    { rule: "orders", event: EVENT },
  ],
  ["a text as a value", transformer({ id: "$.detail.order.id" }, '{"id":<id>}'), { id: 'N"7' }],
  ["a text within a text", transformer({ id: "$.detail.order.id" }, '{"text":"Order <id>."}'), { text: 'Order N"7.' }],
  ["a number", transformer({ n: "$.detail.total" }, '{"n":<n>,"t":"<n>"}'), { n: 3, t: "3" }],
  ["what is missing, as an empty text", transformer({ x: "$.detail.gone" }, '{"x":<x>}'), { x: "" }],
  ["what the service knows", transformer({}, '{"rule":<aws.events.rule-name>}'), { rule: "orders" }],
])("gives a target %s", (_name, target, expected) => {
  expect(inputFor(target, EVENT, NAMES)).toEqual(expected);
});

function transformer(InputPathsMap: Record<string, string>, InputTemplate: string): TargetInput {
  return { InputTransformer: { InputPathsMap, InputTemplate } };
}
