import { describe, expect, it } from "vitest";
import { parseCodeDescription } from "./index.js";

describe("parseCodeDescription", () => {
  it("W-282 H-124 gives the prose of the opening comment up to the first tag", () => {
    const source =
      "\uFEFF\r\n\r\n/**\r\n * Checks it. \t\r\n *\r\n *   Indented.  \r\n * @returns nothing\r\n * more\r\n */\r\nexport default 1;";
    expect(parseCodeDescription(source)).toEqual({ description: "Checks it.\n\n  Indented." });
  });

  it.each([
    ["/** One line. */", "One line."],
    ["/** a\n** b */", "a\nb"],
    ["/**\n* mail me@x.y\n*/", "mail me@x.y"],
  ])("W-282 H-124 reads %j", (source, description) => {
    expect(parseCodeDescription(source)).toEqual({ description });
  });

  it.each(["", "/**/ x", "/** */", "/* a */", "x; /** a */", "/** open", "/** @only tags */", "// a"])(
    "W-282 H-124 finds nothing in %j",
    (source) => {
      expect(parseCodeDescription(source)).toBeNull();
    },
  );
});
