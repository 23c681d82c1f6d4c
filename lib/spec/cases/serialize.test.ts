import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseDocument, parseCaseDocument, readRegexString, serializeCaseDocument } from "./index.js";

const FILE = "workflows/w/tests/a.test.yaml";
const roundTrip = (document: CaseDocument) =>
  parseCaseDocument(FILE, serializeCaseDocument(document), "workflows/w/tests");

describe("serializing cases", () => {
  it("C-55 writes the keys in the order of the format", () => {
    const text = serializeCaseDocument({
      steps: [],
      clock: "2026-03-20",
      mocks: [{ result: 1, tool: "a" }],
      id: "a",
      description: "d",
      title: "t",
    });
    expect(text.match(/^\w+/gm)).toEqual(["title", "description", "mocks", "clock", "steps"]);
  });

  it("C-55 keeps the spelling of regex tokens and of text that looks like something else", () => {
    const document: CaseDocument = {
      id: "a",
      title: "yes",
      description: "2026-03-20",
      variables: { a: "5", b: "null", c: "0x1f", d: "line\nbreak  \n", e: " # no comment", f: "'", g: "- x" },
      steps: [{ send: "hi: there" }, { reply: { includes: ["/\\d+\\.js$/gi", "~"] } }],
    };
    expect(roundTrip(document)).toEqual(document);
  });

  it("C-55 parses what it serialized, for any JSON content", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/).filter((text) => text !== "trigger");
    // JSON without negative zero and without the numbers that no document may hold (F-94).
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => {
      const safe = (_key: string, inner: unknown) =>
        typeof inner === "number" && Math.abs(inner) > 2 ** 53 ? 1 : inner;
      return JSON.parse(JSON.stringify(value), safe) as unknown;
    });
    fc.assert(
      fc.property(fc.dictionary(name, json, { maxKeys: 4 }), json, (variables, result) => {
        const document: CaseDocument = {
          id: "a",
          title: "t",
          description: "d",
          variables,
          mocks: [{ tool: "x", result }],
          steps: [{ send: "s" }],
        };
        expect(roundTrip(document)).toEqual(document);
      }),
      { numRuns: 100 },
    );
  });

  it("C-55 round-trips every bundled case", () => {
    const files = globSync("test/fixtures/examples/*/workflows/*/tests/*.test.yaml");
    expect(files.length).toBe(13);
    for (const file of files) {
      const document = parseCaseDocument(file, readFileSync(file, "utf8"), dirname(file));
      expect(parseCaseDocument(file, serializeCaseDocument(document), dirname(file))).toEqual(document);
    }
  });
});

describe("regex strings", () => {
  it("C-15 tells regular expressions, plain text and malformed expressions apart", () => {
    expect(readRegexString("scratchpad/a")).toBeNull();
    expect(readRegexString("/open")).toBeNull();
    expect(readRegexString("/a/b1")).toBeNull();
    expect(readRegexString("/a\\/b/i")).toMatchObject({ regex: /a\/b/i });
    expect(readRegexString("/usr/bin")).toHaveProperty("error");
    expect(readRegexString("/(/")).toHaveProperty("error");
    expect(readRegexString("//")).toHaveProperty("error");
  });

  it("C-15 forgets earlier matches whatever the flags", () => {
    for (const flags of ["g", "y", "gi"]) {
      const read = readRegexString(`/ab/${flags}`);
      if (read === null || "error" in read) throw new Error("no regex");
      expect([read.regex.test("ab"), read.regex.test("ab"), read.regex.test("ab")]).toEqual([true, true, true]);
    }
  });
});
