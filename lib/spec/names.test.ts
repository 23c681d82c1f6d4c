import { describe, expect, it } from "vitest";
import { isSlug, isVariableName, titleIssue } from "./index.js";

describe("names", () => {
  it.each(["a", "refund-desk", "1-2", "a1"])("W-54 takes %j as a slug", (slug) => {
    expect(isSlug(slug)).toBe(true);
  });

  it.each(["", "-a", "a-", "a--b", "A", "a_b", "a/b", "a\n"])("W-54 refuses %j as a slug", (slug) => {
    expect(isSlug(slug)).toBe(false);
  });

  it.each(["a", "order_id", "x1"])("W-139 takes %j as a variable name", (name) => {
    expect(isVariableName(name)).toBe(true);
  });

  it.each(["", "_a", "1a", "A", "a.b", "a-b", "a\n"])("W-139 refuses %j as a variable name", (name) => {
    expect(isVariableName(name)).toBe(false);
  });

  it("W-141 takes a title of 200 characters once its ends are trimmed", () => {
    expect(titleIssue(` ${"ü".repeat(200)} `)).toBeNull();
    expect(titleIssue("😀".repeat(200))).toBeNull();
  });

  it.each(["", "  ", "two\nlines", "two\u2028lines", "x".repeat(201), 5, null])(
    "W-141 refuses the title %j",
    (title) => {
      expect(titleIssue(title)).not.toBeNull();
    },
  );
});
