import { describe, expect, it } from "vitest";
import { parseDottedPath, parseValuePath, resolveDottedPath, resolveValuePath, sessionIdFromValue } from "./index.js";

const VARIABLES = { ticket: { id: "T1", list: [{ n: 1 }, { n: 2 }] }, empty: "", big: 1e21 };

describe("dotted paths", () => {
  it.each([
    ["ticket.id", "T1"],
    ["ticket.list.0.n", 1],
    ["ticket.list.-1.n", 2],
    ["ticket.list.-2.n", 1],
  ])("W-104 R-23 follows %s", (path, value) => {
    expect(parseDottedPath(path).ok).toBe(true);
    expect(resolveDottedPath(path, VARIABLES)).toBe(value);
  });

  it.each(["", " ", "a..b", ".a", "a.", `\${{a}}`, `a.\${{b}}`, "A.b", "-1.a"])(
    "W-104 R-23 refuses the path %j",
    (path) => {
      expect(parseDottedPath(path)).toEqual({ ok: false, reason: expect.any(String) });
    },
  );

  it.each([
    "ticket.constructor",
    "ticket.list.length",
    "ticket.list.-3",
    "ticket.list.01",
    "ticket.list.-0",
    "ticket.id.length",
    "other",
    "to_string",
  ])("R-23 finds nothing at %s", (path) => {
    expect(resolveDottedPath(path, VARIABLES)).toBeUndefined();
  });

  it.each([
    ["orderId", "O1"],
    ["detail-type", "order.paid"],
    ["Lines.0.Sku", "s"],
  ])("N-28 follows %s into a value from elsewhere, whose names are not variables'", (path, found) => {
    const value = { orderId: "O1", "detail-type": "order.paid", Lines: [{ Sku: "s" }] };

    expect(parseValuePath(path).ok).toBe(true);
    expect(resolveValuePath(path, value)).toBe(found);
    expect(resolveValuePath(path, null)).toBeUndefined();
  });

  it.each(["", "a..b", `a.\${{b}}`])("N-28 refuses the path %j into a value", (path) => {
    expect(parseValuePath(path)).toEqual({ ok: false, reason: expect.any(String) });
    expect(resolveValuePath(path, { a: { b: 1 } })).toBeUndefined();
  });

  it("W-105 R-24 takes trimmed text and finite numbers in decimal as session ids", () => {
    expect(sessionIdFromValue(" T1 ")).toBe("T1");
    expect(sessionIdFromValue(42)).toBe("42");
    expect(sessionIdFromValue(-1.5)).toBe("-1.5");
    expect(sessionIdFromValue(1e21)).toBe("1000000000000000000000");
    expect(sessionIdFromValue(-1.25e-7)).toBe("-0.000000125");
  });

  it.each([[""], [" "], [Number.NaN], [Number.POSITIVE_INFINITY], [true], [null], [undefined], [{}], [["T1"]]])(
    "W-105 R-24 leaves %j unresolved",
    (value) => {
      expect(sessionIdFromValue(value)).toBeUndefined();
    },
  );
});
