import { describe, expect, it } from "vitest";
import { stripComments } from "../index.js";

describe("stripComments", () => {
  it.each([
    ["a comment inside a line", "one <!-- two --> three", "one  three"],
    ["a comment over several lines", "one\n<!-- two\n\ntwo -->\nthree", "one\n\nthree"],
    ["several comments, dashes inside", "a<!-- - -- -->b<!--x-->c", "abc"],
    ["trailing blanks and blank runs that it leaves", "one   \n\n\n\n<!-- x -->\n\n\ntwo\t", "one\n\ntwo"],
  ])("W-254 removes %s", (_what, text, expected) => {
    expect(stripComments(text)).toBe(expected);
  });

  it("W-254 leaves text without a comment unchanged apart from its ends, an unclosed comment included", () => {
    expect(stripComments("\n\n one  \n\n\n\ntwo \n")).toBe("one  \n\n\n\ntwo");
    expect(stripComments("one <!-- two")).toBe("one <!-- two");
  });

  it("W-255 makes nothing of blank and comment-only text", () => {
    expect(stripComments("  \n\n")).toBe("");
    expect(stripComments("<!-- only -->\n\n<!-- this\n -->\n")).toBe("");
  });
});
