/** A sample of every fuzz, the same each time; `npm run test:long` runs them on new inputs, and for longer. */
import { afterAll, describe, it } from "vitest";
import { fuzzFiles } from "./files.js";
import { fuzzReferences } from "./references.js";
import { ordinaryRun } from "./run.js";
import { fuzzSandbox } from "./sandbox.js";
import { fuzzSpecLimits } from "./spec-limits.js";
import { fuzzCases, fuzzSpecs } from "./spec-text.js";
import { fuzzVerdicts } from "./verdicts.js";
import { createWatchdog } from "./watchdog.js";

const watchdog = createWatchdog();
afterAll(() => watchdog.close());

describe("a sample of the fuzz", () => {
  it("W-2 W-21 W-22 F-93 F-94 reads any text of a workflow and says what is wrong with it", async () => {
    const run = ordinaryRun(150);
    (await fuzzSpecs(run, watchdog)).print(run);
  });

  it("C-8 reads any text of a case and says what is wrong with it", () => {
    const run = ordinaryRun(150);
    fuzzCases(run, watchdog).print(run);
  });

  it("F-93 F-94 F-95 refuses a document with one thing wrong for that thing", () => {
    const run = ordinaryRun(80);
    fuzzSpecLimits(run).print(run);
  });

  it("W-180 W-209 R-202 R-205 R-206 R-223 reaches the verdict that the rules as written reach", () => {
    const run = ordinaryRun(500);
    fuzzVerdicts(run).print(run);
  });

  it("W-250 W-253 F-96 F-97 F-98 R-223 R-224 R-228 R-230 reaches no file that is not the session's or granted to it", async () => {
    const run = ordinaryRun(150);
    (await fuzzFiles(run)).print(run);
  });

  it("W-154 W-155 W-156 W-158 W-160 R-91 R-92 R-94 R-95 puts in values as they are, and nothing else", () => {
    const run = ordinaryRun(500);
    fuzzReferences(run).print(run);
  });

  it("F-88 F-89 F-90 F-92 R-252 R-256 R-258 R-260 keeps any script within its tools and limits", async () => {
    const run = ordinaryRun(12);
    (await fuzzSandbox(run, false)).print(run);
  });
});
