import { describe, expect, it } from "vitest";
import {
  normalizeSignature,
  parseSpec,
  signatureForTrigger,
  signatureJsonSchema,
  signatureValueIssues,
} from "./index.js";
import type { SignatureType } from "./types.js";

const NOW = Date.parse("2026-03-05T23:30:00Z");

function issue(entry: Record<string, unknown>, value: unknown) {
  const entries = normalizeSignature([{ name: "x", ...entry }]);
  expect(entries).toHaveLength(1);
  return signatureValueIssues(entries, { x: value }, { now: NOW })[0];
}

describe("normalizeSignature", () => {
  it("W-117 W-129 H-118 makes one shape of both spellings, in order", () => {
    expect(
      normalizeSignature(["b", { name: "a" }, { name: "c", type: "string", description: " text ", maxLength: 3 }]),
    ).toEqual([{ name: "b" }, { name: "a" }, { name: "c", type: "string", description: "text", maxLength: 3 }]);
  });

  it.each([
    ["10MB", 10_000_000],
    ["1.5 KB", 1_500],
    ["2MiB", 2_097_152],
    ["7B", 7],
    ["1GiB", 1_073_741_824],
    [12, 12],
  ])("W-124 H-118 normalises the size %j to %d bytes", (maxSize, bytes) => {
    expect(normalizeSignature([{ name: "f", type: "file", maxSize }])).toEqual([
      { name: "f", type: "file", maxSize: bytes },
    ]);
  });

  it("W-127 H-118 keeps today and now, and skips what it cannot read", () => {
    const list = [{ name: "d", type: "date", minimum: "today" }, 5, { name: "A" }, { name: "b", type: "foo" }, null];
    expect(normalizeSignature(list)).toEqual([{ name: "d", type: "date", minimum: "today" }]);
    expect(normalizeSignature("a")).toEqual([]);
  });
});

describe("signatureForTrigger", () => {
  it("H-118 W-129 gives the signature of a declared trigger by own properties", () => {
    const parsed = parseSpec(
      "states: {a: {triggers: {manual: {description: ' D ', requires: [x], returns: [{name: y, type: integer}]}, bare: }}}",
    );
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
    expect(signatureForTrigger(parsed.spec, "manual")).toEqual({
      description: "D",
      requires: [{ name: "x" }],
      returns: [{ name: "y", type: "integer" }],
    });
    expect(signatureForTrigger(parsed.spec, "bare")).toEqual({ requires: [], returns: [] });
    expect(signatureForTrigger(parsed.spec, "constructor")).toBeUndefined();
  });
});

describe("signatureJsonSchema", () => {
  const schemaOf = (entry: Record<string, unknown>) =>
    signatureJsonSchema(normalizeSignature([{ name: "x", ...entry }])).properties.x;

  it("W-130 H-119 requires every name, in order, and leaves other properties open", () => {
    expect(signatureJsonSchema(normalizeSignature(["b", { name: "a", type: "string", description: "D" }]))).toEqual({
      type: "object",
      properties: { b: {}, a: { type: "string", description: "D" } },
      required: ["b", "a"],
    });
  });

  it.each([
    [{}, {}],
    ...["string", "integer", "number", "boolean", "object", "array"].map((type) => [{ type }, { type }]),
    ...["date", "date-time", "file"].map((type) => [{ type }, { type: "string", format: type }]),
    [
      { type: "string", format: "phone" },
      { type: "string", pattern: "^\\+[1-9]\\d{1,14}$" },
    ],
    [
      { type: "string", format: "url" },
      { type: "string", format: "uri", pattern: "^https?://" },
    ],
    [
      { type: "string", format: "email" },
      { type: "string", format: "email" },
    ],
    [
      { type: "string", pattern: "a", minLength: 1, maxLength: 2, enum: ["a"] },
      { type: "string", pattern: "a", minLength: 1, maxLength: 2, enum: ["a"] },
    ],
    [
      { type: "integer", minimum: 1, maximum: 2 },
      { type: "integer", minimum: 1, maximum: 2 },
    ],
    [
      { type: "array", minItems: 1, maxItems: 2 },
      { type: "array", minItems: 1, maxItems: 2 },
    ],
    [
      { type: "string", content: "html" },
      { type: "string", contentMediaType: "text/html" },
    ],
    [
      { type: "date", minimum: "today" },
      { type: "string", format: "date" },
    ],
    [
      { type: "file", accept: [".pdf"], maxSize: 5 },
      { type: "string", format: "file" },
    ],
    [
      { type: "string", format: "url", pattern: "x" },
      { type: "string", format: "uri", allOf: [{ pattern: "^https?://" }, { pattern: "x" }] },
    ],
  ] as [Record<string, unknown>, unknown][])("W-121 W-123 W-126 W-130 H-119 maps %j to %j", (entry, schema) => {
    expect(schemaOf(entry)).toEqual(schema);
  });
});

describe("signatureValueIssues", () => {
  it("W-131 H-120 reports at most one issue an entry, in declaration order", () => {
    const entries = normalizeSignature([
      "gone",
      { name: "n", type: "integer" },
      { name: "s", type: "string", pattern: "a", maxLength: 1 },
      { name: "fine", type: "boolean" },
    ]);
    expect(signatureValueIssues(entries, { n: "4", s: "bb", fine: true })).toMatchObject([
      { kind: "missing", name: "gone" },
      { kind: "invalid", name: "n", type: "integer", found: "string" },
      { kind: "invalid", name: "s", type: "string", rule: "pattern" },
    ]);
    expect(signatureValueIssues(entries, { n: "4", s: "bb", fine: true })[1]).not.toHaveProperty("rule");
  });

  it("W-5 W-122 W-131 counts null as set for an untyped entry only, and undefined never", () => {
    expect(issue({}, null)).toBeUndefined();
    expect(issue({}, undefined)).toMatchObject({ kind: "missing" });
    expect(signatureValueIssues([{ name: "constructor" }], {})).toMatchObject([{ kind: "missing" }]);
    for (const type of ["string", "integer", "object", "array", "file"])
      expect(issue({ type }, null)).toMatchObject({ found: "null" });
  });

  it.each([
    ["string", "", 5],
    ["integer", 4.0, "4"],
    ["integer", -1, 1.5],
    ["number", 1.5, Number.NaN],
    ["number", 0, Number.POSITIVE_INFINITY],
    ["boolean", false, 0],
    ["date", "2024-02-29", "2026-02-30"],
    ["date", "0001-01-01", "2026-2-3"],
    ["date-time", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00"],
    ["date-time", "2016-12-31T23:59:60.5+01:30", "2026-03-01 10:00:00Z"],
    ["date-time", "2026-03-01T10:00:00-00:00", "2026-03-01T24:00:00Z"],
    ["object", {}, []],
    ["array", [], {}],
    ["file", "scratchpad/a.pdf", "../a"],
    ["file", "a/../b", "checkpoints/x"],
    ["file", "a%2F..", "x/../artifacts/y"],
    ["file", "my file", " "],
    ["file", "x", "/x"],
    ["file", "x", "a\u0000"],
  ] as [SignatureType, unknown, unknown][])("W-121 W-122 W-128 H-120 type %s takes %j and not %j", (type, yes, no) => {
    expect(issue({ type }, yes)).toBeUndefined();
    expect(issue({ type }, no)).toMatchObject({ kind: "invalid", type });
  });

  it.each([
    [{ type: "string", format: "email" }, "a@b.de", ["a@b", "a b@c.de", "@b.de", "a@@b.de", "a@b..de"]],
    [{ type: "string", format: "url" }, "https://x.y/z?q", ["ftp://x.y", "//x", "https://", "http:x", "https://x y"]],
    [{ type: "string", format: "phone" }, "+491234", ["+0123", "491234", "+1", "+1234567890123456", "+49 123"]],
    [{ type: "string", pattern: "b" }, "abc", ["ac"]],
    [{ type: "string", minLength: 2 }, "😀😀", ["😀"]],
    [{ type: "string", maxLength: 1 }, "😀", ["ab"]],
    [{ type: "string", enum: ["a", "b"] }, "b", ["c", "A"]],
    [{ type: "integer", minimum: 1 }, 1, [0]],
    [{ type: "number", maximum: 1.5 }, 1.5, [1.6]],
    [{ type: "date", minimum: "today" }, "2026-03-05", ["2026-03-04"]],
    [{ type: "date", maximum: "2026-01-31" }, "2026-01-31", ["2026-02-01"]],
    [{ type: "date-time", minimum: "now" }, "2026-03-06T00:30:00+01:00", ["2026-03-05T23:29:59.999Z"]],
    [
      { type: "date-time", maximum: "2026-01-01T00:00:00Z" },
      "2026-01-01T01:00:00+01:00",
      ["2026-01-01T00:00:00.0000001Z"],
    ],
    [{ type: "array", minItems: 1 }, [1], [[]]],
    [{ type: "array", maxItems: 1 }, [1], [[1, 2]]],
    [{ type: "file", accept: [".pdf", ".Md"] }, "a/B.PDF", ["a.txt", "pdf"]],
  ] as [Record<string, unknown>, unknown, unknown[]][])(
    "W-123 W-126 W-127 H-120 rule %j takes %j and not %j",
    (entry, yes, refused) => {
      const rule = Object.keys(entry)[1];
      expect(issue(entry, yes)).toBeUndefined();
      for (const value of refused) expect(issue(entry, value)).toMatchObject({ kind: "invalid", rule });
    },
  );

  it.each([
    [{ type: "number", maximum: 1 }, 1.5, "maximum: 1; got 1.5."],
    [{ type: "date", minimum: "today" }, "2026-03-04", 'minimum: "today"; got "2026-03-04".'],
    [{ type: "array", maxItems: 1 }, [1, 2], "maxItems: 1; got a list of 2."],
    [{ type: "file", accept: [".pdf"] }, "a/b.txt", 'accept: [".pdf"]; got "a/b.txt".'],
    [{ type: "string", maxLength: 3 }, "😀 secret", "maxLength: 3; got a text of 8 characters."],
  ])("W-132 H-120 says of %j what arrived, of a text its length alone", (entry, value, said) => {
    expect(issue(entry, value)?.message).toBe(`"x" (${entry.type}) breaks its rule ${said}`);
  });

  it("W-123 H-120 leaves the label content and the size of a file to others", () => {
    expect(issue({ type: "string", content: "json" }, "no json")).toBeUndefined();
    expect(issue({ type: "file", maxSize: 1 }, "x")).toBeUndefined();
  });

  it("W-125 H-120 runs a pattern in linear time", () => {
    expect(issue({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toMatchObject({ rule: "pattern" });
  });
});
