/** Fuzz of the reader's limits: a valid document with one thing wrong somewhere is refused for that thing (F-93…F-95). */
import * as fc from "fast-check";
import { expect } from "vitest";
import { parseSpec } from "../../lib/spec/index.js";
import { SPECS } from "./corpus.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";

interface Fault {
  /** Lines of the top level. */
  text: string;
  /** What it is refused for; null where it lies within the limit, and the document is no worse for it. */
  code: string | null;
  /** What the finding's path, or its message, names. */
  names?: string;
}

const wrongText = fc.constantFrom("5", "1.5", "true", "null", "~", "");
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom(
    { text: "zz: 1\nzz: 2", code: "file/duplicate-key", names: "zz" },
    { text: "zz: !custom 1", code: "file/yaml-syntax" },
    { text: "zz:\n\tb: 1", code: "file/yaml-syntax" },
    { text: "<<: { title: Merged }", code: "root/unknown-key", names: "<<" },
    { text: "metadata: { z: &z { n: 9007199254740993 } }", code: null },
    { text: "tests: { maxConcurrency: 9007199254740993 }", code: "schema/unsafe-integer", names: "maxConcurrency" },
  ),
  fc.integer({ min: 90, max: 110 }).map((count) => ({
    text: `metadata: { z: &z 1, all: [${Array(count).fill("*z").join(", ")}] }`,
    code: count > 100 ? "file/alias-limit" : null,
  })),
  fc.integer({ min: 90, max: 110 }).map((depth) => ({
    // Two levels are the document's own and that of `metadata`.
    text: `metadata: { z: ${"[".repeat(depth - 2)}${"]".repeat(depth - 2)} }`,
    code: depth > 100 ? "file/too-deep" : null,
  })),
  fc.tuple(fc.constantFrom("title", "instructions"), wrongText).map(([key, value]) => ({
    text: `${key}: ${value}`,
    code: ["null", "~", ""].includes(value) ? "schema/null" : "schema/type",
    names: key,
  })),
  fc
    .tuple(fc.constantFrom("(?=a)", "(?!a)b", "(?<=a)b", "(a)\\1", "(?<n>a)\\k<n>", "(a", "[b", "a{2000}"), fc.nat(9))
    .map(([pattern, n]) => ({
      text: `states: { a: { triggers: { manual: { requires: [{ name: x${n}, type: string, pattern: '${pattern}' }] } } } }`,
      code: "signature/bad-pattern",
      names: `x${n}`,
    })),
);

export function fuzzSpecLimits(run: FuzzRun): Counts {
  const counts = new Counts("spec limits", ["documents with a fault", "refused for it", "within the limit"]);
  const valid = SPECS.filter((text) => parseSpec(text).ok && !text.includes("&"));
  fc.assert(
    fc.property(fc.constantFrom(...valid), fault, fc.nat(100), (text, { text: added, code, names }, at) => {
      counts.add("documents with a fault");
      const key = /^[\w<]+/.exec(added)![0];
      const lines = without(text, key).split("\n");
      const tops = lines.flatMap((line, index) => (/^[\w<]/.test(line) ? [index] : []));
      lines.splice(tops[at % tops.length]!, 0, added);

      const { diagnostics } = parseSpec(lines.join("\n"), { file: "f" });

      const load = diagnostics.filter((diagnostic) => diagnostic.class === "load");
      if (code === null) {
        counts.add("within the limit");
        expect(load).toEqual([]);
        return;
      }
      const found = load.find((diagnostic) => diagnostic.code === code);
      expect(found, JSON.stringify(load)).toMatchObject({ file: "f", line: expect.any(Number) });
      if (names !== undefined) expect(`${found?.field} ${found?.message}`).toContain(names);
      counts.add("refused for it");
    }),
    parametersOf(run),
  );
  return counts;
}

/** The document without one top-level key and what lies below it. */
function without(text: string, key: string): string {
  return text.replace(new RegExp(`^${key}:.*\\n(?:(?:[ -].*|#.*|)\\n)*`, "m"), "");
}
