import { describe, expect, it } from "vitest";
import { patternProblem } from "../config/index.js";
import { matchesPattern } from "./pattern.js";

const event = (detail: unknown) => ({
  source: "shop",
  "detail-type": "order.paid",
  time: "2026-03-20T09:00:00Z",
  detail,
});
const about = (detail: unknown) => ({ source: ["shop"], "detail-type": ["order.paid"], detail });

type Row = [pattern: object, detail: unknown, matches: boolean];

const EXACT: Row[] = [
  [{ state: ["paid"] }, { state: "paid" }, true],
  [{ state: ["paid", "sent"] }, { state: "sent" }, true],
  [{ state: ["paid"] }, { state: "PAID" }, false],
  [{ state: ["paid"] }, { state: "paid " }, false],
  [{ state: ["paid"] }, {}, false],
  [{ count: [3] }, { count: 3 }, true],
  [{ count: [3] }, { count: "3" }, false],
  [{ isNew: [true] }, { isNew: true }, true],
  [{ isNew: [true] }, { isNew: "true" }, false],
  [{ a: ["x"], b: ["y"] }, { a: "x", b: "z" }, false],
  [{ a: { b: { c: ["x"] } } }, { a: { b: { c: "x" } }, more: 1 }, true],
  [{ a: { b: ["x"] } }, { a: "x" }, false],
  [{ a: ["x"] }, { a: { b: "x" } }, false],
  [{ constructor: ["x"] }, {}, false],
  [{ a: ["x"] }, null, false],
];

const NULLS: Row[] = [
  [{ a: [null] }, { a: null }, true],
  [{ a: [null] }, {}, false],
  [{ a: [null] }, { a: "" }, false],
  [{ a: [null] }, { a: "null" }, false],
  [{ a: [""] }, { a: "" }, true],
  [{ a: [""] }, { a: null }, false],
  [{ a: ["x", null] }, { a: null }, true],
];

const ARRAYS: Row[] = [
  [{ tags: ["a"] }, { tags: ["b", "a"] }, true],
  [{ tags: ["a", "c"] }, { tags: ["b", "c"] }, true],
  [{ tags: ["a"] }, { tags: ["b"] }, false],
  [{ tags: ["a"] }, { tags: [] }, false],
  [{ tags: [{ prefix: "a" }] }, { tags: ["b", "ab"] }, true],
  [{ lines: { sku: ["A"], count: [2] } }, { lines: [{ sku: "A", count: 2 }] }, true],
  // Fields of two elements are not one element.
  [
    { lines: { sku: ["A"], count: [2] } },
    {
      lines: [
        { sku: "A", count: 1 },
        { sku: "B", count: 2 },
      ],
    },
    false,
  ],
  [{ lines: { sku: ["A"] } }, { lines: [] }, false],
];

const TEXTS: Row[] = [
  [{ a: [{ prefix: "eu-" }] }, { a: "eu-west-1" }, true],
  [{ a: [{ prefix: "eu-" }] }, { a: "EU-west-1" }, false],
  [{ a: [{ prefix: { "equals-ignore-case": "EU-" } }] }, { a: "eu-west-1" }, true],
  [{ a: [{ prefix: { "equals-ignore-case": "EU-" } }] }, { a: "us-west-1" }, false],
  [{ a: [{ prefix: "1" }] }, { a: 12 }, false],
  [{ a: [{ suffix: ".png" }] }, { a: "x.png" }, true],
  [{ a: [{ suffix: ".png" }] }, { a: "x.PNG" }, false],
  [{ a: [{ suffix: { "equals-ignore-case": ".png" } }] }, { a: "x.PNG" }, true],
  [{ a: [{ "equals-ignore-case": "ALICE" }] }, { a: "alice" }, true],
  [{ a: [{ "equals-ignore-case": "ALICE" }] }, { a: "alicent" }, false],
  [{ a: [{ "equals-ignore-case": "1" }] }, { a: 1 }, false],
];

const WILDCARDS: Row[] = [
  [{ a: [{ wildcard: "dir/*.png" }] }, { a: "dir/sub/x.png" }, true],
  [{ a: [{ wildcard: "dir/*.png" }] }, { a: "dir/.png" }, true],
  [{ a: [{ wildcard: "dir/*.png" }] }, { a: "other/x.png" }, false],
  [{ a: [{ wildcard: "dir/*.png" }] }, { a: "dir/x.png.txt" }, false],
  [{ a: [{ wildcard: "*" }] }, { a: "" }, true],
  [{ a: [{ wildcard: "a*b*c" }] }, { a: "a-b-b-c" }, true],
  [{ a: [{ wildcard: "a*b*c" }] }, { a: "a-c-b" }, false],
  [{ a: [{ wildcard: "ab*ba" }] }, { a: "aba" }, false],
  [{ a: [{ wildcard: "a*bc*c" }] }, { a: "a-bc" }, false],
  [{ a: [{ wildcard: "plain" }] }, { a: "plain" }, true],
  [{ a: [{ wildcard: "plain" }] }, { a: "plainer" }, false],
  [{ a: [{ wildcard: "5\\*5" }] }, { a: "5*5" }, true],
  [{ a: [{ wildcard: "5\\*5" }] }, { a: "5x5" }, false],
  [{ a: [{ wildcard: "c:\\\\*" }] }, { a: "c:\\temp" }, true],
  [{ a: [{ wildcard: "a.c*" }] }, { a: "abc" }, false],
];

const BUT: Row[] = [
  [{ a: [{ "anything-but": "x" }] }, { a: "y" }, true],
  [{ a: [{ "anything-but": "x" }] }, { a: "x" }, false],
  [{ a: [{ "anything-but": "x" }] }, {}, false],
  [{ a: [{ "anything-but": "x" }] }, { a: null }, true],
  [{ a: [{ "anything-but": ["x", "y"] }] }, { a: "y" }, false],
  [{ a: [{ "anything-but": [1, 2] }] }, { a: 3 }, true],
  [{ a: [{ "anything-but": 1 }] }, { a: "1" }, true],
  // One value that is something else is enough.
  [{ a: [{ "anything-but": "x" }] }, { a: ["x", "y"] }, true],
  [{ a: [{ "anything-but": "x" }] }, { a: ["x"] }, false],
  [{ a: [{ "anything-but": { prefix: "in" } }] }, { a: "out" }, true],
  [{ a: [{ "anything-but": { prefix: "in" } }] }, { a: "init" }, false],
  [{ a: [{ "anything-but": { prefix: ["in", "up"] } }] }, { a: "update" }, false],
  [{ a: [{ "anything-but": { prefix: "in" } }] }, { a: 5 }, true],
  [{ a: [{ "anything-but": { suffix: ".txt" } }] }, { a: "a.txt" }, false],
  [{ a: [{ "anything-but": { "equals-ignore-case": ["AB", "CD"] } }] }, { a: "cd" }, false],
  [{ a: [{ "anything-but": { "equals-ignore-case": "AB" } }] }, { a: "abc" }, true],
  [{ a: [{ "anything-but": { wildcard: "*/lib/*" } }] }, { a: "x/lib/y" }, false],
  [{ a: [{ "anything-but": { wildcard: ["*/lib/*", "*.md"] } }] }, { a: "x/src/y" }, true],
];

const NUMBERS: Row[] = [
  [{ n: [{ numeric: ["=", 5] }] }, { n: 5 }, true],
  [{ n: [{ numeric: [">", 5] }] }, { n: 5 }, false],
  [{ n: [{ numeric: [">=", 5] }] }, { n: 5 }, true],
  [{ n: [{ numeric: ["<", 5] }] }, { n: 4.9 }, true],
  [{ n: [{ numeric: ["<=", 5] }] }, { n: 5.1 }, false],
  [{ n: [{ numeric: [">", 0, "<=", 5] }] }, { n: 5 }, true],
  [{ n: [{ numeric: [">", 0, "<=", 5] }] }, { n: 0 }, false],
  [{ n: [{ numeric: [">", 0, "<=", 5] }] }, { n: 6 }, false],
  [{ n: [{ numeric: [">", 0] }] }, { n: "1" }, false],
  [{ n: [{ numeric: ["<", 0] }, 3] }, { n: 3 }, true],
];

const PRESENCE: Row[] = [
  [{ a: [{ exists: true }] }, { a: "x" }, true],
  [{ a: [{ exists: true }] }, { a: null }, true],
  [{ a: [{ exists: true }] }, {}, false],
  [{ a: [{ exists: false }] }, {}, true],
  [{ a: [{ exists: false }] }, { a: null }, false],
  [{ a: { b: [{ exists: false }] } }, {}, true],
  [{ a: { b: [{ exists: false }] } }, { a: { b: 1 } }, false],
  // Only a field that holds a value counts.
  [{ a: [{ exists: true }] }, { a: { b: 1 } }, false],
  [{ a: [{ exists: true }] }, { a: [] }, false],
  [{ a: [{ exists: false }, "x"] }, { a: "x" }, true],
  // A field is absent where no element of the array has it.
  [{ lines: { sku: [{ exists: false }] } }, { lines: [{ sku: "A" }, { count: 1 }] }, false],
  [{ lines: { sku: [{ exists: false }], count: [1] } }, { lines: [{ count: 2 }, { count: 1 }] }, true],
  [{ lines: { sku: [{ exists: false }] } }, { lines: [] }, true],
  [{ lines: { sku: [{ exists: true }] } }, { lines: [{ count: 1 }, { sku: "A" }] }, true],
];

const ADDRESSES: Row[] = [
  [{ ip: [{ cidr: "10.0.0.0/24" }] }, { ip: "10.0.0.255" }, true],
  [{ ip: [{ cidr: "10.0.0.0/24" }] }, { ip: "10.0.1.0" }, false],
  [{ ip: [{ cidr: "2001:db8::/32" }] }, { ip: "2001:db8:1::1" }, true],
  [{ ip: [{ cidr: "2001:db8::/32" }] }, { ip: "10.0.0.1" }, false],
  [{ ip: [{ cidr: "10.0.0.0/24" }] }, { ip: "home" }, false],
];

const OR: Row[] = [
  [{ $or: [{ a: ["x"] }, { b: ["y"] }] }, { b: "y" }, true],
  [{ $or: [{ a: ["x"] }, { b: ["y"] }] }, { a: "y", b: "x" }, false],
  [{ c: ["z"], $or: [{ a: ["x"] }, { b: ["y"] }] }, { a: "x" }, false],
  [{ c: ["z"], $or: [{ a: ["x"] }, { b: ["y"] }] }, { a: "x", c: "z" }, true],
  [{ d: { $or: [{ a: [{ numeric: [">", 1] }] }, { b: [{ exists: false }] }] } }, { d: { a: 0, b: 1 } }, false],
  [{ $or: [{ a: ["x"] }, { $or: [{ b: ["y"] }, { c: ["z"] }] }] }, { c: "z" }, true],
];

describe("event patterns", () => {
  it.each([
    ...EXACT,
    ...NULLS,
    ...ARRAYS,
    ...TEXTS,
    ...WILDCARDS,
    ...BUT,
    ...NUMBERS,
    ...PRESENCE,
    ...ADDRESSES,
    ...OR,
  ])("%j on %j: %s", (pattern, detail, matches) => {
    expect(patternProblem(about(pattern))).toBeNull();
    expect(matchesPattern(about(pattern), event(detail))).toBe(matches);
  });

  it("F-75 a rule fires for the source and type that it names only", () => {
    const pattern = { source: ["shop"], "detail-type": ["order.paid"] };

    expect(matchesPattern(pattern, event({}))).toBe(true);
    expect(matchesPattern(pattern, { ...event({}), source: "shop2" })).toBe(false);
    expect(matchesPattern(pattern, { ...event({}), "detail-type": "order.sent" })).toBe(false);
    expect(matchesPattern(pattern, { source: "shop" })).toBe(false);
  });
});
