import { describe, expect, it } from "vitest";
import { MAX_SOURCE_CHARS, prepareEvaluation, prepareScript } from "./prepare.js";

const prepared = async (source: string) => {
  const result = await prepareScript(source, "scripts/a.js");
  return result.ok ? result.source : `${result.kind}: ${result.reason}`;
};

describe("prepareScript", () => {
  it("R-151 removes type-carrier imports and keeps every line where it was", async () => {
    const source = [
      "/** Title. */",
      'import {\r\n  CodeStateInput,\n} from "@archmax-ai/harness/sandbox";',
      'import "parkway/sandbox"',
      "export default () => {};",
    ].join("\n");

    const lines = (await prepared(source)).split("\n");

    expect(lines).toHaveLength(source.split("\n").length);
    expect(lines.at(-1)).toBe("export default () => {};");
    expect(lines.join("")).not.toMatch(/import|harness|parkway/);
  });

  it("R-151 keeps the statement before a removed import apart from the one after it", async () => {
    expect(await prepared('const a = b\nimport {} from "parkway/sandbox"\n(c)')).toMatch(/^const a = b\n; +\n\(c\)$/);
  });

  it.each([
    ['import { defineCodeState } from "parkway/sandbox";', "const defineCodeState=(main)=>main;"],
    ['import { defineCodeState as d, X } from "@archmax-ai/harness/x";', "const d=(main)=>main;"],
    ['import { "defineCodeState" as d } from "parkway/sandbox";', "const d=(main)=>main;"],
    ['import * as h from "parkway/sandbox";', "const h={defineCodeState:(main)=>main};"],
    ['import type_ from "parkway/sandbox";', ""],
  ])("R-310 W-284 binds what %s names", async (source, binding) => {
    expect((await prepared(source)).replace(/; +$/, "")).toBe(binding);
  });

  it.each([
    ['\nimport fs from "node:fs";', "node:fs"],
    ['\nimport "parkway";', "parkway"],
    ['\nimport x from "@archmax-ai/harness";', "@archmax-ai/harness"],
    ['\nexport { x } from "./x.js";', "./x.js"],
    ['\nexport * from "./y.js";', "./y.js"],
    ['\nexport default async () => { await import("z"); };', "z"],
    ["\nexport default async (x) => { await import(x); };", "(computed)"],
    ['\nconst q = require("q");', "q"],
  ])("W-284 R-151 refuses %j and names the specifier and the line", async (source, specifier) => {
    const reason = await prepared(source);
    expect(reason).toContain(`import: A script cannot import anything but types: "${specifier}"`);
    expect(reason).toContain("scripts/a.js:2");
  });

  it("W-284 lets a script call a function of its own that is named require", async () => {
    const source = "function require(x) { return x; }\nrequire(1);";
    expect(await prepared(source)).toBe(source);
  });

  it("R-256 tells the line of what does not parse", async () => {
    expect(await prepared("\n\nexport default ( => 1;")).toBe("syntax: SyntaxError: Unexpected token (scripts/a.js:3)");
  });

  it("R-256 refuses a script too long or too deeply nested to be parsed", async () => {
    expect(await prepared(" ".repeat(MAX_SOURCE_CHARS + 1))).toContain("characters");
    expect(await prepared("[".repeat(200_000))).toBe("syntax: scripts/a.js is nested too deeply to be parsed.");
  });

  it("reads a script that begins with a hashbang or a byte-order mark", async () => {
    expect(await prepared("#!/usr/bin/env node\n1;")).toBe("///usr/bin/env node\n1;");
    expect(await prepared("\ufeff1;")).toContain("1;");
  });
});

describe("prepareEvaluation", () => {
  const evaluation = async (source: string) => {
    const result = await prepareEvaluation(source, "scripts/a.js");
    return result.ok ? result.source : `${result.kind}: ${result.reason}`;
  };

  it.each([
    ["const a = 1, { b } = c;", "var a = 1, { b } = c;"],
    ["let a, b = 1, c\nd()", "var a=void 0, b = 1, c=void 0\nd()"],
    ["class A extends B {}\n(c)", "var A=class A extends B {};\n(c)"],
    ["class A{}class B{}", "var A=class A{};var B=class B{};"],
    ["function f() { const a = 1; }\nvar b;", "function f() { const a = 1; }\nvar b;"],
    ["for (const a of b) { let c; class D {} }", "for (const a of b) { let c; class D {} }"],
    ["#!/bin/x\nlet a = await b;", "///bin/x\nvar a = await b;"],
    ['import { defineCodeState as d } from "parkway/sandbox";\nconst a = 1;', /^var d=\(main\)=>main;; +\nvar a = 1;$/],
  ])("R-311 R-254 leaves nothing that a later evaluation cannot declare again: %j", async (source, rewritten) => {
    expect(await evaluation(source)).toEqual(
      rewritten instanceof RegExp ? expect.stringMatching(rewritten) : rewritten,
    );
  });
});
