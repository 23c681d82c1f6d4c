/**
 * Lists which requirements of docs/contract are cited by a test: `npm run contract -- [--chapter W] [--json] [--summary]
 * [--strict]`. With `--strict` an uncited requirement that docs/contract/exceptions.md does not list is an error.
 */
import { parseArgs } from "node:util";
import { readCitations } from "./citations.js";
import { readContract } from "./contract.js";
import { reportOf, textOf } from "./report.js";

const { values } = parseArgs({
  options: {
    chapter: { type: "string" },
    json: { type: "boolean" },
    summary: { type: "boolean" },
    strict: { type: "boolean" },
  },
});

const report = reportOf(readContract("docs/contract"), readCitations(["lib", "functions", "test"]));
const chapters = report.chapters.filter((chapter) => !values.chapter || chapter.chapter === values.chapter);
const shown = { ...report, chapters };
console.log(values.json ? JSON.stringify(shown, null, 2) : textOf(shown, values.summary ? "summary" : "full"));
const gaps = chapters.some((chapter) => chapter.uncited.length > 0) || report.unknown.length > 0;
process.exitCode = values.strict && gaps ? 1 : 0;
