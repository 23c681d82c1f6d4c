import { describe, expect, it } from "vitest";
import { judge, type Report } from "./report.js";

const known = [{ name: "slow", error: /^TestTimeoutError: /, why: "it is slow" }];
const aCase = (fullName: string, status: "passed" | "failed" | "skipped", failure?: string) => ({
  fullName,
  status,
  failureMessages: failure === undefined ? null : [failure],
});
const aReport = (...assertionResults: Report["testResults"][number]["assertionResults"]): Report => ({
  testResults: [{ name: "a.moto.test.ts", assertionResults }],
});
const slow = aCase("slow", "failed", "TestTimeoutError: Test timed out");

describe("what is known of moto", () => {
  it("takes a listed case that fails as listed for a limit, and the others for passed", () => {
    expect(judge(aReport(aCase("a", "passed"), slow), known)).toEqual({ passed: 1, limits: 1, problems: [] });
  });

  it.each([
    ["fails and is not listed", [slow, aCase("a", "failed", "Error: no")], "Error: no"],
    ["is listed and fails otherwise", [aCase("slow", "failed", "Error: other")], "Error: other"],
    ["is listed and passes", [aCase("slow", "passed")], "passes"],
    ["is listed and is not there", [aCase("a", "passed")], "no such case"],
    ["did not run", [slow, aCase("a", "skipped")], "did not run"],
  ])("objects to a case that %s", (_, cases, problem) => {
    expect(judge(aReport(...cases), known).problems).toEqual([expect.stringContaining(problem)]);
  });

  it("misses no listed case where only some files were run", () => {
    expect(judge(aReport(aCase("a", "passed")), known, { isPart: true }).problems).toEqual([]);
  });

  it("objects to a file that could not be run", () => {
    const report = aReport(slow);
    report.testResults.push({ name: "b.moto.test.ts", message: "Cannot find module", assertionResults: [] });

    expect(judge(report, known).problems).toEqual(["b.moto.test.ts did not run: Cannot find module"]);
  });
});
