import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compileGlob } from "./index.js";

describe("compileGlob", () => {
  it.each([
    ["*", "a.b", "a/b"],
    ["a/*", "a/b", "a/b/c"],
    ["*.md", ".md", "a/b.md"],
    ["logs/**", "logs", "logsx"],
    ["logs/**", "logs/a/b", "x/logs/a"],
    ["**/x", "x", "xx"],
    ["**/x", "a/b/x", "a/bx"],
    ["a/**/b", "a/b", "ab"],
    ["a/**/b", "a/x/y/b", "a/x/y/bb"],
    ["a**b", "axb", "a/b"],
    ["**", "a/b\nc", undefined],
    ["**", "", undefined],
    ["?", "ä", "/"],
    ["a?c", "abc", "ac"],
    ["[a-c]x", "bx", "dx"],
    ["[^a-c]x", "dx", "bx"],
    ["[^a]", "b", "/"],
    ["[!a]", "a", "b"],
    ["{a,b/c}.txt", "b/c.txt", "c.txt"],
    ["{a,{b,c}}", "c", "{b,c}"],
    ["{a,**}/z", "z", "b"],
    ["\\*", "*", "a"],
    ["\\[a\\]", "[a]", "a"],
    ["A", "A", "a"],
  ])("W-193 F-99 %j matches %j and not %j", (glob, yes, no) => {
    expect(compileGlob(glob)(yes)).toBe(true);
    if (no !== undefined) expect(compileGlob(glob)(no)).toBe(false);
  });

  it.each(["!a", "!(a|b)", "+(a)", "@(a)", "+49 (0)30 1", "a|b", "a.b", "^a$", "{a}", "{}", "[a", "a{b", "a}", '"a"'])(
    "W-193 F-99 takes %j literally",
    (glob) => {
      expect(compileGlob(glob)(glob)).toBe(true);
      for (const other of ["a", "b", "aa", "axb", "+", ""]) expect(compileGlob(glob)(other)).toBe(false);
    },
  );

  it.each([
    ["secrets/**", "secrets/.env"],
    ["**", ".env"],
    ["*", ".env"],
    ["**/a", ".x/a"],
    ["?env", ".env"],
  ])("W-194 %j matches the dot-prefixed %j", (glob, value) => {
    expect(compileGlob(glob)(value)).toBe(true);
  });

  it("W-195 F-99 matches only the empty value with the empty glob", () => {
    expect(compileGlob("")("")).toBe(true);
    expect(compileGlob("")("a")).toBe(false);
    expect(compileGlob("")("/")).toBe(false);
  });

  it("W-193 F-99 reads classes and alternatives as picomatch does", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "?", "[ab]", "[^a]", "[a-b]", "{a,b}", "{a,*b}", "\\*");
    const segment = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.array(segment, { minLength: 1 }),
        (pieces, segments) => {
          const glob = pieces.join("");
          const value = segments.join("/");
          fc.pre(!glob.includes("**") && glob !== value);
          const oracle = picomatch(glob, { dot: true, noextglob: true, nonegate: true, strictSlashes: true });
          expect(compileGlob(glob)(value)).toBe(oracle(value));
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });

  it.each([
    ["*a".repeat(50), "a".repeat(20_000)],
    [`${"**/".repeat(50)}x`, "a/".repeat(10_000)],
    [`${"{a,*a}*".repeat(30)}c`, "a".repeat(10_000)],
    [`${"[".repeat(20_000)}\\]*`, "x"],
    [`${"{".repeat(5_000)}a,b${"}".repeat(5_000)}`, "x"],
  ])("F-99 answers for a hostile glob in linear time (case %#)", (glob, value) => {
    const started = process.cpuUsage();

    expect(compileGlob(glob)(`${value}!`)).toBe(false);

    // Of the processor's time, which a busy machine leaves alone. Backtracking would take longer than the age of this file.
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });
});
