import { describe, expect, it } from "vitest";
import { type EventPattern, InvalidPatternError, matchesPattern } from "./pattern.js";

const EVENT = {
  source: "shop.orders",
  "detail-type": "Order Placed",
  account: "111122223333",
  resources: ["arn:aws:a", "arn:aws:b"],
  detail: {
    id: "N-7",
    total: 42.5,
    paid: true,
    note: null,
    empty: "",
    ip: "10.1.2.3",
    six: "2001:db8::1",
    file: "in/2026/report.CSV",
    star: "a*b",
    customer: { name: "Ada", tags: ["vip", "eu"] },
    lines: [
      { sku: "x", count: 1 },
      { sku: "y", count: 5 },
    ],
    none: [],
  },
};

const detail = (fields: Record<string, unknown>): EventPattern => ({ detail: fields });

describe("event patterns", () => {
  it.each<[string, EventPattern]>([
    ["one exact value", { source: ["shop.orders"] }],
    ["any of a list", { "detail-type": ["Order Paid", "Order Placed"] }],
    ["several fields", { source: ["shop.orders"], detail: { paid: [true], total: [42.5] } }],
    ["null", detail({ note: [null] })],
    ["an empty text", detail({ empty: [""] })],
    ["one of an array's values", { resources: ["arn:aws:b"] }],
    ["a nested array", detail({ customer: { tags: ["eu", "us"] } })],
    ["an array of objects, by one of them", detail({ lines: { sku: ["y"] } })],
    ["prefix", { source: [{ prefix: "shop." }] }],
    ["prefix in any case", detail({ file: [{ prefix: { "equals-ignore-case": "IN/" } }] })],
    ["suffix", detail({ file: [{ suffix: ".CSV" }] })],
    ["suffix in any case", detail({ file: [{ suffix: { "equals-ignore-case": ".csv" } }] })],
    ["equals-ignore-case", { "detail-type": [{ "equals-ignore-case": "order placed" }] }],
    ["wildcard", detail({ file: [{ wildcard: "in/*/report.*" }] })],
    ["wildcard that needs nothing", detail({ id: [{ wildcard: "N-7*" }] })],
    ["escaped wildcard", detail({ star: [{ wildcard: "a\\*b" }] })],
    ["anything-but", detail({ id: [{ "anything-but": "N-8" }] })],
    ["anything-but of a list", detail({ total: [{ "anything-but": [1, 2] }] })],
    ["anything-but a prefix", detail({ id: [{ "anything-but": { prefix: "M" } }] })],
    ["anything-but a suffix", detail({ file: [{ "anything-but": { suffix: ".csv" } }] })],
    ["anything-but in any case", detail({ id: [{ "anything-but": { "equals-ignore-case": ["m-7", "o"] } }] })],
    ["anything-but a wildcard", detail({ file: [{ "anything-but": { wildcard: "*/lib/*" } }] })],
    ["numeric equal", detail({ total: [{ numeric: ["=", 42.5] }] })],
    ["numeric range", detail({ total: [{ numeric: [">", 0, "<=", 42.5] }] })],
    ["exists", detail({ id: [{ exists: true }] })],
    ["exists with null", detail({ note: [{ exists: true }] })],
    ["does not exist", detail({ gone: [{ exists: false }] })],
    ["an object is no leaf, so it does not exist", detail({ customer: [{ exists: false }] })],
    ["an empty array has no leaf", detail({ none: [{ exists: false }] })],
    ["does not exist below what is missing", detail({ gone: { far: [{ exists: false }] } })],
    ["cidr", detail({ ip: [{ cidr: "10.1.0.0/16" }] })],
    ["cidr of version 6", detail({ six: [{ cidr: "2001:db8::/32" }] })],
    ["$or by its second", { $or: [{ source: ["x"] }, { detail: { paid: [true] } }] }],
    ["$or below", detail({ $or: [{ total: [{ numeric: ["<", 1] }] }, { id: ["N-7"] }] })],
    ["one rule of several", detail({ id: [{ prefix: "M" }, { suffix: "7" }] })],
  ])("takes an event by %s", (_name, pattern) => {
    expect(matchesPattern(pattern, EVENT)).toBe(true);
  });

  it.each<[string, EventPattern]>([
    ["another value", { source: ["shop"] }],
    ["another case", { "detail-type": ["order placed"] }],
    ["a number as a text", detail({ total: ["42.5"] })],
    ["a boolean as a text", detail({ paid: ["true"] })],
    ["null where the field is missing", detail({ gone: [null] })],
    ["one field of two", { source: ["shop.orders"], account: ["0"] }],
    ["no value of an array", { resources: ["arn:aws:c"] }],
    ["no object of an array", detail({ lines: { sku: ["z"] } })],
    ["a field of a text", detail({ id: { far: ["x"] } })],
    ["prefix", { source: [{ prefix: "Shop" }] }],
    ["prefix of a number", detail({ total: [{ prefix: "42" }] })],
    ["suffix", detail({ file: [{ suffix: ".csv" }] })],
    ["wildcard", detail({ file: [{ wildcard: "in/*.csv" }] })],
    ["escaped wildcard", detail({ file: [{ wildcard: "in\\*" }] })],
    ["wildcard with a point", detail({ id: [{ wildcard: "N.7" }] })],
    ["anything-but", detail({ id: [{ "anything-but": ["N-7"] }] })],
    ["anything-but of a missing field", detail({ gone: [{ "anything-but": "x" }] })],
    ["anything-but a prefix", detail({ id: [{ "anything-but": { prefix: ["N", "M"] } }] })],
    ["numeric", detail({ total: [{ numeric: [">", 42.5] }] })],
    ["numeric of a text", detail({ id: [{ numeric: [">", 0] }] })],
    ["exists", detail({ gone: [{ exists: true }] })],
    ["exists of an object", detail({ customer: [{ exists: true }] })],
    ["does not exist", detail({ id: [{ exists: false }] })],
    ["cidr", detail({ ip: [{ cidr: "10.2.0.0/16" }] })],
    ["cidr of no address", detail({ id: [{ cidr: "0.0.0.0/0" }] })],
    ["$or", { $or: [{ source: ["x"] }, { account: ["0"] }] }],
    ["$or with another field", { account: ["0"], $or: [{ source: ["shop.orders"] }, { account: ["1"] }] }],
  ])("leaves an event by %s", (_name, pattern) => {
    expect(matchesPattern(pattern, EVENT)).toBe(false);
  });

  it.each<[string, unknown]>([
    ["nothing", {}],
    ["a value without a list", { source: "shop.orders" }],
    ["an empty list", { source: [] }],
    ["an empty object", { detail: {} }],
    ["an unknown operator", { source: [{ contains: "x" }] }],
    ["two operators in one rule", { source: [{ prefix: "a", suffix: "b" }] }],
    ["a prefix that is a number", { source: [{ prefix: 1 }] }],
    ["exists with a text", { source: [{ exists: "true" }] }],
    ["an unknown comparison", { source: [{ numeric: ["!=", 1] }] }],
    ["half a comparison", { source: [{ numeric: [">"] }] }],
    ["two wildcards in a row", { source: [{ wildcard: "a**" }] }],
    ["no block", { source: [{ cidr: "10.0.0.1" }] }],
    ["$or with one", { $or: [{ source: ["x"] }] }],
  ])("refuses %s", (_name, pattern) => {
    expect(() => matchesPattern(pattern as EventPattern, EVENT)).toThrow(InvalidPatternError);
  });
});
