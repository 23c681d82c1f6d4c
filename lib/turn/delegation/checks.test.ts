import { describe, expect, it } from "vitest";
import { resolveArguments } from "./checks.js";

const VARIABLES = { count: 3, order: { lines: [{ no: "A" }] }, nothing: null };

describe("resolveArguments", () => {
  it("R-174 W-161 passes what one whole reference leads to with its own type, of whatever kind", () => {
    const args = { a: "${{count}}", b: "${{ order }}", c: "${{order.lines.-1.no}}", d: "${{nothing}}", e: 5 };

    expect(resolveArguments(args, VARIABLES)).toEqual({
      ok: true,
      args: { a: 3, b: VARIABLES.order, c: "A", d: null, e: 5 },
    });
  });

  it("R-174 R-92 W-161 makes text of a reference with anything around it, and of one deeper inside", () => {
    const args = { a: "no. ${{count}}", b: { c: ["${{count}}"] }, d: "$${{count}}", e: " ${{count}}" };

    expect(resolveArguments(args, VARIABLES)).toEqual({
      ok: true,
      args: { a: "no. 3", b: { c: ["3"] }, d: "${{count}}", e: " 3" },
    });
  });

  it.each([
    [{ a: "${{gone}}" }, "${{gone}}"],
    [{ a: "${{order.none}}" }, "${{order.none}}"],
    [{ a: "text ${{order}}" }, "${{order}}"],
    [{ a: "${{Not a name}}" }, "${{Not a name}}"],
  ])("R-174 W-161 says which reference of %j cannot be resolved", (args, reference) => {
    expect(resolveArguments(args, VARIABLES)).toMatchObject({ ok: false, reference });
  });
});
