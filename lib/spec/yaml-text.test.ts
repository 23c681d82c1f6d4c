import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";
import { readYamlText } from "./yaml-text.js";

/** Code and position of the findings that keep a text from being read. */
function refusals(text: string) {
  const parsed = parseSpec(text);
  expect(parsed.ok).toBe(false);
  return parsed.diagnostics.map(({ code, line, column }) => [code, line, column]);
}

const nested = (levels: number) => `metadata: ${"[".repeat(levels)}${"]".repeat(levels)}\n`;

describe("reading the text", () => {
  it("W-9 reads YAML 1.2 core: words and dates stay text", () => {
    const { document } = readYamlText("%YAML 1.1\n---\na: yes\nb: off\nc: 2026-03-01\nd: 012\ne: true\n");
    expect(document).toEqual({ a: "yes", b: "off", c: "2026-03-01", d: 12, e: true });
  });

  it("W-9 F-93 leaves no trace of a byte-order mark or CRLF", () => {
    const { document, locate } = readYamlText('\uFEFFa: |\r\n  x\r\n  y\r\nb: "p\r\n  q"\r\n');
    expect(document).toEqual({ a: "x\ny\n", b: "p q" });
    expect(locate(["a"])).toEqual({ line: 1, column: 1 });
    expect(locate(["b"])).toEqual({ line: 4, column: 1 });
  });

  it.each([
    ["a: [1", 1],
    ["states:\n\ta: 1\n", 2],
    ["a: b: c\n", 1],
    ["x: 1\na: !mine {b: 1}\n", 2],
    ["a: !!set {b}\n", 1],
    ["a: *nowhere\n", 1],
  ])("W-10 F-93 refuses %j as syntax, with a line", (text, line) => {
    expect(refusals(text)).toEqual([["file/yaml-syntax", line, expect.any(Number)]]);
  });

  it("W-11 F-93 names a repeated key and its path", () => {
    const parsed = parseSpec("states:\n  a: {triggers: {manual: }}\n  a:\ntitle: x\n'title': y\n");
    expect(parsed.diagnostics.map(({ code, field, line }) => [code, field, line])).toEqual([
      ["file/duplicate-key", "states.a", 3],
      ["file/duplicate-key", "title", 5],
    ]);
  });

  it("W-11 W-14 reports a repeated key inside an anchor once, where it stands", () => {
    expect(readYamlText("a: &a {x: 1, x: 2}\nb: *a\nc: *a\n").findings).toMatchObject([{ path: ["a", "x"] }]);
  });

  it("W-11 takes keys that become the same text as repeated", () => {
    expect(readYamlText("1: a\n'1': b\n").findings).toMatchObject([{ code: "file/duplicate-key" }]);
  });

  it.each(["---\na: 1\n---\nb: 2\n", "---\na: 1\n---\n# Prose\n\nText: [with\n", "a: 1\n---\n", "a: 1\n...\nfoo\n"])(
    "W-12 F-93 refuses a second document in %j",
    (text) => {
      expect(refusals(text)).toEqual([["file/multiple-documents", expect.any(Number), 1]]);
    },
  );

  it("W-12 accepts a single leading ---", () => {
    expect(readYamlText("---\na: 1\n")).toMatchObject({ findings: [], document: { a: 1 } });
  });

  it.each(["", "# only a comment\n", "text", "- a\n", "5", "~"])("W-13 refuses %j: no mapping at the top", (text) => {
    expect(refusals(text)).toEqual([["file/not-a-mapping", 1, 1]]);
  });

  it("W-14 F-93 expands 100 aliases and no more", () => {
    const text = (count: number) => `a: &a 1\nb: [${Array(count).fill("*a").join(", ")}]\n`;
    expect(readYamlText(text(100)).document).toMatchObject({ b: Array(100).fill(1) });
    expect(refusals(text(101))).toEqual([["file/alias-limit", 2, expect.any(Number)]]);
  });

  it("W-14 counts aliases inside what an alias expands to", () => {
    const bomb = "a: &a [1, 1]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c, *c]\n";
    expect(refusals(bomb)).toEqual([["file/alias-limit", 4, expect.any(Number)]]);
  });

  it("W-14 refuses an alias inside its own anchor", () => {
    expect(refusals("a: &a [*a]\n")).toEqual([["file/alias-limit", 1, 8]]);
  });

  it("W-14 F-93 gives << no merge meaning", () => {
    expect(refusals("x: &x {title: T}\n<<: *x\nstates: {a: {triggers: {manual: }}}\n")).toEqual([
      ["root/unknown-key", 1, 1],
      ["root/unknown-key", 2, 1],
    ]);
    expect(refusals("states: {a: {triggers: {manual: }}, <<: {b: {}}}\n")).toEqual([["state/unknown-key", 1, 37]]);
    expect(refusals("states: {a: {triggers: {manual: {<<: {}}}}}\n")).toEqual([["state/unknown-key", 1, 34]]);
    expect(refusals("states: {a: {triggers: {manual: , <<: {x: }}}}\n")).toEqual([["state/unknown-key", 1, 35]]);
  });

  it("W-15 F-93 refuses more than 1 MiB of UTF-8", () => {
    const text = (bytes: number) => `title: ${"é".repeat((bytes - 8) / 2)}\n`;
    expect(readYamlText(text(2 ** 20)).findings).toEqual([]);
    expect(refusals(text(2 ** 20 + 2))).toEqual([["file/too-large", 1, 1]]);
  });

  it("W-15 F-93 refuses more than 100 levels, the top mapping being the first", () => {
    expect(readYamlText(nested(99)).findings).toEqual([]);
    expect(refusals(nested(100))).toEqual([["file/too-deep", 1, 110]]);
  });

  it.each([
    "a: ".concat("[".repeat(500_000)),
    "- ".repeat(500_000),
    "? ".repeat(500_000),
    `a: ${"{a: ".repeat(200_000)}`,
  ])("W-15 F-93 decides depth before parsing, however deep (case %#)", (text) => {
    expect(refusals(text)).toEqual([["file/too-deep", 1, expect.any(Number)]]);
  });

  it("W-20 F-94 refuses an integer beyond 2^53 outside metadata", () => {
    const integer = "9007199254740993";
    expect(
      refusals(
        `settings: {timeoutMs: ${integer}}\nmetadata: {x: ${integer}}\nstates: {a: {triggers: {manual: }, metadata: [${integer}]}}\n`,
      ),
    ).toEqual([
      ["schema/unsafe-integer", 1, 12],
      ["metadata/not-a-mapping", 3, 36],
    ]);
    expect(readYamlText("a: 9007199254740992\nb: -9007199254740992\n").findings).toEqual([]);
    expect(readYamlText("a: 0x20000000000001\nb: 1e300\n").findings).toHaveLength(2);
    const rounded = "a: 9.007199254740993e15\nb: 9007199254740993.0\nc: -9.007199254740994E+15\n";
    expect(readYamlText(rounded).findings.map(({ code, path }) => [code, path])).toEqual([
      ["schema/unsafe-integer", ["a"]],
      ["schema/unsafe-integer", ["b"]],
      ["schema/unsafe-integer", ["c"]],
    ]);
    expect(readYamlText("a: 9.007199254740992e15\nb: -9007199254740992.0\nc: 9007199254740991.5\n").findings).toEqual(
      [],
    );
  });

  it("W-2 locates keys, list items, and for what is absent the nearest parent", () => {
    const { locate } = readYamlText("a:\n  b:\n    - x\n    - y: 1\n");
    expect(locate(["a", "b", 1])).toEqual({ line: 4, column: 7 });
    expect(locate(["a", "b", 1, "y"])).toEqual({ line: 4, column: 7 });
    expect(locate(["a", "c", "d"])).toEqual({ line: 1, column: 1 });
  });
});
