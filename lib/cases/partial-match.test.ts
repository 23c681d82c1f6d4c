import { describe, expect, it } from "vitest";
import { occursIn, partialMatch } from "./partial-match.js";

describe("partialMatch", () => {
  it.each([
    ["declared keys, others ignored", { a: 1 }, { a: 1, b: 2 }, true],
    ["a declared key that differs", { a: 1 }, { a: 2 }, false],
    ["a declared key that is missing", { a: 1 }, { b: 1 }, false],
    ["an empty mapping", {}, { a: 1 }, true],
    ["nested declared keys, others ignored", { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1, d: 2 }], e: 3 } }, true],
    ["a nested key that is missing", { a: { b: 1 } }, { a: {} }, false],
    ["an inherited name is no key", { constructor: { name: "Object" } }, {}, false],
    ["an inherited name against a regex", { toString: "/native/" }, {}, false],
    ["a mapping against a list", {}, [], false],
    ["a mapping against null", {}, null, false],
    ["a list of the same length", [1, { a: 1 }], [1, { a: 1, b: 2 }], true],
    ["a shorter list", [1], [1, 2], false],
    ["a longer list", [1, 2], [1], false],
    ["a list in another order", [1, 2], [2, 1], false],
    ["a list against a mapping", [], {}, false],
    ["the same text", "a", "a", true],
    ["a part of the text", "a", "ab", false],
    ["text against a number", "5", 5, false],
    ["a number against text", 5, "5", false],
    ["null against null", null, null, true],
    ["null against nothing", { a: null }, {}, false],
    ["true against 1", true, 1, false],
    ["a regex against text", "/^order-\\d+$/i", "Order-204", true],
    ["a regex that does not fit", "/^order-\\d+$/", "Order-204", false],
    ["a regex against a number", "/^42$/", 42, true],
    ["a regex against a boolean", "/^true$/", true, true],
    ["a regex against null", "/^$/", null, true],
    ["a regex against an absent key", { a: "/^$/" }, {}, true],
    ["a regex that wants text, against an absent key", { a: "/./" }, {}, false],
    ["a regex against an object's JSON", '/^\\{"a":\\[1\\]\\}$/', { a: [1] }, true],
    ["a regex within a list", ["/^a/"], ["ab"], true],
    ["a path that is no regex", "/etc/hosts", "/etc/hosts", true],
    ["a path that only looks like one to its last slash", "/etc/hosts", "hosts", false],
  ])("C-16 %s", (_what, expected, actual, fits) => {
    expect(partialMatch(expected, actual)).toBe(fits);
  });

  it.each(["/a/g", "/a/y", "/a/gi"])("C-15 %s says the same each time it is asked", (token) => {
    expect([1, 2, 3].map(() => partialMatch(token, "ab"))).toEqual([true, true, true]);
  });
});

describe("occursIn", () => {
  it.each([
    ["refund", "your refund is on its way", true],
    ["Refund", "your refund", false],
    ["/REFUND|credit/i", "your refund", true],
    ["/^refund$/", "your refund", false],
  ])("C-34 C-15 %s in %s: %s", (token, text, occurs) => {
    expect(occursIn(token, text)).toBe(occurs);
  });
});
