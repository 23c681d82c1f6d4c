import { describe, expect, it } from "vitest";
import { applyTopLevelOnly, BUILTIN_PLATFORM_PROMPT } from "../index.js";

const TEXT = `Intro
1. one
<!-- top-level-only -->
2. two
   more of two
   1. nested
3. three
<!-- /top-level-only -->
4. four
   goes on

   1. nested keeps its number
5. five

Between.

6. another list`;

describe("applyTopLevelOnly", () => {
  it("W-257 leaves the passage to a top-level session, without the marker lines", () => {
    expect(applyTopLevelOnly(TEXT, { child: false })).toBe(
      TEXT.replace("<!-- top-level-only -->\n", "").replace("<!-- /top-level-only -->\n", ""),
    );
  });

  it("W-257 takes the passage out for a child and renumbers the later items of the same list", () => {
    expect(applyTopLevelOnly(TEXT, { child: true })).toBe(`Intro
1. one
2. four
   goes on

   1. nested keeps its number
3. five

Between.

6. another list`);
  });

  it("W-257 adds up several passages of one list", () => {
    const open = "<!-- top-level-only -->";
    const close = "<!-- /top-level-only -->";
    const text = [open, "1. a", close, "2. b", open, "3. c", close, "4. d"].join("\n");

    expect(applyTopLevelOnly(text, { child: true })).toBe("1. b\n2. d");
  });

  it("W-257 sends no marker line that stands inside a passage, or closes none", () => {
    const [open, close] = ["<!-- top-level-only -->", "<!-- /top-level-only -->"];
    const text = [close, "a", open, "b", open, "c", close, "d"].join("\n");

    expect(applyTopLevelOnly(text, { child: false })).toBe("a\nb\nc\nd");
    expect(applyTopLevelOnly(text, { child: true })).toBe("a\nd");
  });

  it("W-257 removes nothing after an unclosed marker, and sends no marker line", () => {
    for (const child of [true, false]) {
      expect(applyTopLevelOnly("a\n  <!-- top-level-only -->\n1. b\n2. c", { child })).toBe("a\n1. b\n2. c");
    }
  });
});

describe("the built-in platform prompt", () => {
  it("W-297 W-142 asks a top-level session for its title and a child not", () => {
    const topLevel = applyTopLevelOnly(BUILTIN_PLATFORM_PROMPT, { child: false });
    const child = applyTopLevelOnly(BUILTIN_PLATFORM_PROMPT, { child: true });

    expect(topLevel).toMatch(/record a one-line `title` for it with `archmax_set_variables`/);
    expect(child).not.toContain("title");
    expect([...child.matchAll(/^(\d)\./gm)].map(([, number]) => number)).toEqual(["1", "2", "3", "4"]);
  });
});
