import fc from "fast-check";
import { expect, it } from "vitest";
import { patternProblem } from "../../lib/config/index.js";
import { matchesPattern } from "../../lib/local/index.js";
import { matchesPattern as matchesOnBench } from "../aws/events/pattern.js";

const text = fc.constantFrom("", "a", "A", "ab", "ba", "aba", "b.a", "a*b", "10.0.0.1");
const number = fc.constantFrom(-1, 0, 1, 1.5, 2);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const texts = fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 2 }));
const wildcards = fc.constantFrom("*", "a*", "*a", "a*a", "a\\*b", "b.*", "ab");
const comparison = fc.oneof(
  fc.record({ prefix: fc.oneof(text, fc.record({ "equals-ignore-case": text })) }),
  fc.record({ suffix: fc.oneof(text, fc.record({ "equals-ignore-case": text })) }),
  fc.record({ "equals-ignore-case": text }),
  fc.record({ wildcard: wildcards }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ cidr: fc.constantFrom("10.0.0.0/24", "10.0.0.2/32") }),
  fc.record({ numeric: fc.tuple(fc.constantFrom("=", ">", ">=", "<", "<="), number) }),
  fc.record({ numeric: fc.constantFrom([">", 0, "<=", 1.5], [">=", -1, "<", 1]) }),
  fc.record({
    "anything-but": fc.oneof(
      text,
      number,
      fc.array(text, { minLength: 1, maxLength: 2 }),
      fc.record({ prefix: texts }),
      fc.record({ suffix: texts }),
      fc.record({ "equals-ignore-case": texts }),
      fc.record({ wildcard: wildcards }),
    ),
  }),
);
const field = fc.constantFrom("x", "y", "z");
const { pattern } = fc.letrec<{ pattern: Record<string, unknown> }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    fc.dictionary(field, fc.array(fc.oneof(scalar, comparison), { minLength: 1, maxLength: 3 }), {
      minKeys: 1,
      maxKeys: 2,
    }),
    fc.dictionary(field, tie("pattern"), { minKeys: 1, maxKeys: 2 }),
    fc.record({ $or: fc.array(tie("pattern"), { minLength: 2, maxLength: 2 }) }),
  ),
}));
/** Without arrays of objects, where the bench's matcher is looser. */
const { detail } = fc.letrec<{ detail: Record<string, unknown> }>((tie) => ({
  detail: fc.dictionary(field, fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), tie("detail")), {
    maxKeys: 3,
  }),
}));

it("two matchers, written apart, say the same of any pattern", () => {
  fc.assert(
    fc.property(pattern, detail, (wanted, found) => {
      const whole = { source: ["shop"], "detail-type": ["x"], detail: wanted };
      const event = { source: "shop", "detail-type": "x", detail: found };
      expect(patternProblem(whole)).toBeNull();
      expect(matchesPattern(whole, event)).toBe(matchesOnBench(whole, event));
    }),
    { numRuns: 3_000 },
  );
});
