import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compileGlob,
  resolveGuard,
  resolveReference,
  resolveReferenceValue,
  substituteReferences,
  wholeReference,
} from "./index.js";

const VARIABLES = {
  name: "Ada",
  count: 3,
  yes: true,
  nothing: null,
  order: { id: "O-1", lines: [{ sku: "a" }, { sku: "b" }] },
  tricky: `\${{name}}`,
};

const text = (value: string) => substituteReferences({ value }, VARIABLES);

describe("references in arguments", () => {
  it.each([
    [`\${{name}}`, "Ada"],
    [`\${{  name  }}`, "Ada"],
    [`\${{order.id}}/\${{count}}`, "O-1/3"],
    [`\${{order.lines.0.sku}}`, "a"],
    [`\${{order.lines.-1.sku}}`, "b"],
    [`is \${{yes}}`, "is true"],
    ["no reference, ${ } {{ }}", "no reference, ${ } {{ }}"],
    [`open \${{name`, `open \${{name`],
  ])("W-154 W-155 W-160 R-91 R-92 reads %s as %s", (from, to) => {
    expect(text(from)).toEqual({ ok: true, args: { value: to } });
  });

  it("W-154 R-91 yields the text of an escaped reference", () => {
    expect(text(`$\${{name}} and \${{name}}`)).toEqual({ ok: true, args: { value: `\${{name}} and Ada` } });
    expect(text(`\${{name}}$\${{x y}}`)).toEqual({ ok: true, args: { value: `Ada\${{x y}}` } });
  });

  it("W-154 does not substitute in what it has substituted", () => {
    expect(text(`\${{tricky}}`)).toEqual({ ok: true, args: { value: `\${{name}}` } });
  });

  it("R-92 reaches nested strings and leaves keys and other values alone", () => {
    const args = { "${{name}}": 1, list: [`\${{name}}`, 5, null, { deep: `\${{count}}` }] };

    expect(substituteReferences(args, VARIABLES)).toEqual({
      ok: true,
      args: { "${{name}}": 1, list: ["Ada", 5, null, { deep: "3" }] },
    });
    expect(args.list[0]).toBe(`\${{name}}`);
  });

  it.each([
    `\${{missing}}`,
    `\${{order}}`,
    `\${{order.lines}}`,
    `\${{order.lines.2.sku}}`,
    `\${{order.lines.01.sku}}`,
    `\${{order.lines.-0.sku}}`,
    `\${{order.lines.length}}`,
    `\${{order.constructor}}`,
    `\${{constructor}}`,
    `\${{name.length}}`,
    `\${{nothing}}`,
    `\${{}}`,
    `\${{From-Email}}`,
    `\${{order..id}}`,
  ])("W-155 W-156 W-160 R-94 refuses the whole call over %s", (reference) => {
    expect(substituteReferences({ ok: `\${{name}}`, bad: `x ${reference}` }, VARIABLES)).toEqual({
      ok: false,
      reference,
      reason: expect.any(String),
    });
  });

  it("W-156 resolves scalars with their own type", () => {
    expect(resolveReference("count", VARIABLES)).toEqual({ ok: true, value: 3 });
    expect(resolveReference(`\${{yes}}`, VARIABLES)).toEqual({ ok: true, value: true });
  });

  it.each(["order.constructor", "order.__proto__", "order.lines.length", "order.lines.at", "constructor"])(
    "W-155 never resolves the inherited %s, whatever kind of value may be passed",
    (reference) => {
      expect(resolveReferenceValue(reference, VARIABLES)).toMatchObject({ ok: false });
    },
  );

  it("W-161 knows an argument that is exactly one reference, and its value of any kind", () => {
    expect(wholeReference(`\${{ order.lines }}`)).toBe("order.lines");
    expect(wholeReference(`\${{a}}\${{b}}`)).toBeUndefined();
    expect(wholeReference(` \${{a}}`)).toBeUndefined();
    expect(wholeReference(`$\${{a}}`)).toBeUndefined();
    expect(resolveReferenceValue("order.lines", VARIABLES)).toEqual({ ok: true, value: VARIABLES.order.lines });
    expect(resolveReferenceValue("nothing", VARIABLES)).toEqual({ ok: true, value: null });
    expect(resolveReferenceValue("missing", VARIABLES).ok).toBe(false);
  });
});

describe("references in guards", () => {
  it("W-158 R-95 replaces only the reference's span", () => {
    expect(resolveGuard(`mail/\${{name}}/**`, VARIABLES)).toEqual({ ok: true, glob: "mail/Ada/**" });
  });

  it("W-158 R-95 lets every value match itself and nothing else", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."*?[]{}()!+@,^-\\$/.ab".split("")) }),
        fc.string({ unit: fc.constantFrom(..."*?[]{}()!+@,^-\\$/.ab".split("")) }),
        (value, other) => {
          const guard = resolveGuard(`\${{v}}`, { v: value });
          const matches = compileGlob(guard.ok ? guard.glob : "");
          expect(matches(value)).toBe(true);
          expect(matches(other)).toBe(other === value);
        },
      ),
    );
  });

  it("W-154 W-158 matches the text of an escaped reference literally", () => {
    const guard = resolveGuard(`$\${{a,b}}`, {});
    expect(guard.ok && compileGlob(guard.glob)(`\${{a,b}}`)).toBe(true);
  });

  it("W-159 names the reference that does not resolve", () => {
    expect(resolveGuard(`a/\${{missing}}/\${{name}}`, VARIABLES)).toEqual({ ok: false, reference: `\${{missing}}` });
    expect(resolveGuard(`\${{order}}`, VARIABLES).ok).toBe(false);
  });
});
