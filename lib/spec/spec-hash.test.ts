import { describe, expect, it } from "vitest";
import { canonicalSpecJson, parseSpec, specHash } from "./index.js";

const BASE =
  "title: T\ninstructions: I\nstates:\n  a:\n    triggers: {manual: }\n    transitions: [{to: b, description: d}]\n  b:\n";

function hashOf(text: string): string {
  const parsed = parseSpec(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  expect(parsed.specHash).toBe(specHash(JSON.parse(parsed.specJson)));
  return parsed.specHash;
}

describe("the spec hash", () => {
  it("W-49 W-50 matches the test vector", () => {
    const text = "{title: T, states: {done: {triggers: {manual: }, metadata: {x: 1}}}}";
    const parsed = parseSpec(text);
    expect(parsed.ok && parsed.specJson).toBe('{"states":{"done":{"triggers":{"manual":{}}}},"title":"T"}');
    expect(hashOf(text)).toBe("d08c7548ddeab876a8e06e981574ad63");
  });

  it("W-49 sorts keys by UTF-16 code unit and keeps lists", () => {
    expect(canonicalSpecJson({ "\u{1F600}": 1, "\uFFFD": 2, b: [2, 1], a: { z: 1, B: 2 } })).toBe(
      '{"a":{"B":2,"z":1},"b":[2,1],"\u{1F600}":1,"\uFFFD":2}',
    );
  });

  it.each([
    `# comment\n${BASE}`,
    BASE.replace("title: T\n", "").concat("title: 'T'\n"),
    `${BASE}metadata: {anything: [1]}\n`,
    BASE.replace("  b:\n", "  b: {metadata: {x: 1}}\n"),
    BASE.replace("title: T", "title: &t T").replace("{manual: }", "{manual: {}}"),
    BASE.replaceAll("\n", "\r\n"),
  ])("W-48 W-51 W-60 does not change with comments, quoting, key order, anchors or metadata (case %#)", (text) => {
    expect(hashOf(text)).toBe(hashOf(BASE));
  });

  it.each([
    BASE.replace("description: d", "description: e"),
    `${BASE}tests: {caseTimeoutMs: 5}\n`,
    BASE.replace("[{to: b, description: d}]", "[{to: b, description: d}, {to: a, description: d}]"),
    BASE.replace("triggers: {manual: }", "triggers: {manual: {metadata: 1}}"),
  ])("W-51 changes with any other edit (case %#)", (text) => {
    expect(hashOf(text)).not.toBe(hashOf(BASE));
  });

  it("W-51 changes when a list is reordered", () => {
    const [one, two] = ["[a, b]", "[b, a]"].map((requires) =>
      BASE.replace("triggers:", `requires: ${requires}\n    triggers:`),
    );
    expect(hashOf(one!)).not.toBe(hashOf(two!));
  });
});
