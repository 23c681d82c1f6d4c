import { describe, expect, it } from "vitest";
import { citedIn } from "./citations.js";
import { exceptionsOf, idsOf } from "./contract.js";
import { ranges, reportOf } from "./report.js";

describe("the report on cited requirements", () => {
  it("finds a requirement where its id opens a paragraph or a list entry in bold, and nowhere else", () => {
    const chapter = "**W-1** A file.\n\n- **F-2** An entry, see W-9.\n**S-59.** A dot.\ntext **W-3** inside\n";

    expect(idsOf(chapter)).toEqual(["W-1", "F-2", "S-59"]);
  });

  it("takes the ids that open a name, several at once, from calls and from tables", () => {
    const source = `
      it("R-62 R-63 parks", () => {});
      it.each([["W-14: aliases", 1]])("%s", () => {});
      it.each([["W-20 W-21", 1]])("%s judges %s", () => {});
      it("mentions W-2 in passing", () => {});
      it.skip("W-3 waits", () => {});
    `.replaceAll("\n      ", "\n");

    expect(citedIn(source)).toEqual(["R-62", "R-63", "W-14", "W-20", "W-21"]);
  });

  it("reads exceptions singly and as ranges", () => {
    const exceptions = exceptionsOf("| id | reason |\n| --- | --- |\n| W-1 | later |\n| N-1…N-3 | no HTTP yet |\n");

    expect([...exceptions]).toEqual([
      ["W-1", "later"],
      ["N-1", "no HTTP yet"],
      ["N-2", "no HTTP yet"],
      ["N-3", "no HTTP yet"],
    ]);
  });

  it("tells cited, excepted, uncited, unknown and outdated apart", () => {
    const contract = {
      ids: ["W-1", "W-2", "W-3"],
      exceptions: new Map([
        ["W-1", "x"],
        ["W-2", "y"],
      ]),
    };
    const citations = new Map([
      ["W-1", new Set(["a"])],
      ["W-9", new Set(["a"])],
      ["A-1", new Set(["a"])],
    ]);

    const report = reportOf(contract, citations);

    expect(report).toEqual({
      chapters: [{ chapter: "W", total: 3, cited: 1, excepted: ["W-2"], uncited: ["W-3"] }],
      unknown: ["W-9"],
      outdated: ["W-1"],
    });
    expect(ranges(["W-1", "W-2", "W-3", "W-7", "W-8"])).toEqual(["W-1…W-3", "W-7 W-8"]);
  });
});
