import { describe, expect, it } from "vitest";
import { patternProblem } from "./index.js";

const about = (detail: unknown) => ({ source: ["shop"], "detail-type": [{ prefix: "order." }], detail });

describe("the shape of event patterns", () => {
  it.each([
    { a: ["x", 1, true, null] },
    { a: { b: [{ exists: false }] } },
    { a: [{ prefix: "x" }, { suffix: { "equals-ignore-case": ".PNG" } }, { "equals-ignore-case": "x" }] },
    { a: [{ wildcard: "a*b\\*\\**" }] },
    { a: [{ "anything-but": "x" }, { "anything-but": [1, 2] }, { "anything-but": { prefix: ["x", "y"] } }] },
    { a: [{ "anything-but": { wildcard: ["*/lib/*"] } }, { "anything-but": { "equals-ignore-case": "x" } }] },
    { a: [{ numeric: ["=", 3] }, { numeric: [">", 0, "<=", 5] }] },
    { a: [{ cidr: "10.0.0.0/24" }, { cidr: "2001:db8::/32" }] },
    { $or: [{ a: ["x"] }, { b: { c: ["y"] } }] },
  ])("takes %j", (detail) => {
    expect(patternProblem(about(detail))).toBeNull();
  });

  it.each<[detail: unknown, path: string, says: string]>([
    ["x", "detail", "must be a list"],
    [{}, "detail", "at least one field"],
    [{ a: [] }, "detail.a", "must be a list"],
    [{ a: [["x"]] }, "detail.a.0", "comparison"],
    [{ a: [{ prefix: 1 }] }, "detail.a.0", '"prefix" that must be text'],
    [{ a: [{ prefix: "a", suffix: "b" }] }, "detail.a.0", "one comparison"],
    [{ a: [{}] }, "detail.a.0", "one comparison"],
    [{ a: [{ constructor: "x" }] }, "detail.a.0", "one comparison"],
    [{ a: [{ wildcard: "a**" }] }, "detail.a.0", "two *"],
    [{ a: [{ exists: "yes" }] }, "detail.a.0", "true or false"],
    [{ a: [{ cidr: "10.0.0.1" }] }, "detail.a.0", "10.0.0.0/24"],
    [{ a: [{ numeric: [">", "1"] }] }, "detail.a.0", "pairs"],
    [{ a: [{ numeric: ["<", 1, ">", 5] }] }, "detail.a.0", "pairs"],
    [{ a: [{ numeric: [">", 5, "<", 1] }] }, "detail.a.0", "pairs"],
    [{ a: [{ "anything-but": [] }] }, "detail.a.0", "anything-but"],
    [{ a: [{ "anything-but": { exists: true } }] }, "detail.a.0", "one of prefix"],
    [{ a: [{ "anything-but": { prefix: [] } }] }, "detail.a.0", "empty"],
    [{ $or: [{ a: ["x"] }] }, "detail.$or", "at least two"],
    [{ $or: [{ a: ["x"] }, { a: [] }] }, "detail.$or.1.a", "must be a list"],
  ])("refuses %j at %s", (detail, path, says) => {
    const problem = patternProblem(about(detail));

    expect(problem?.path.join(".")).toBe(path);
    expect(problem?.reason).toContain(says);
  });
});
