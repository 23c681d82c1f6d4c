import { describe, expect, it } from "vitest";
import { junitReport } from "./junit.js";

const HOSTILE = 'a\u0000\u001b[31m \ud800 <b> & "q" ]]> one ]]> two \ufffe';

describe("a report for CI", () => {
  it("C-74 is well-formed XML whatever a model has said", async () => {
    const failed = { status: "failed" as const, failures: [HOSTILE, HOSTILE] };
    const xml = await junitReport(
      "desk",
      [
        { id: "died", title: HOSTILE, verdict: failed, records: [], error: HOSTILE },
        { id: "missed", verdict: failed, records: [] },
        { id: "skipped", verdict: { status: "skipped", failures: [] }, records: [], skipReason: HOSTILE },
      ],
      () => 0.1,
    );

    expect(xml).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
    const markup = xml.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, "");
    // What is left is tags alone, each with attributes in quotes, and they nest.
    const open: string[] = [];
    const rest = markup.replace(
      /<(\/?)([a-z-]+)((?: [a-zA-Z]+="[^"<]*")*)(\/?)>|<\?xml [^?]*\?>/g,
      (_tag, closes, name, _given, empty) => {
        if (closes) expect(open.pop()).toBe(name);
        else if (name && !empty) open.push(name);
        return "";
      },
    );
    expect([rest.trim(), open]).toEqual(["", []]);
  });
});
