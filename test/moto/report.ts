/** The runner's report, judged with what is known of moto. */
import { relative } from "node:path";
import { type KnownLimit, MENDED, UNKNOWN_TYPES } from "./known.js";

/** The part of the runner's JSON report that is read. */
export interface Report {
  testResults: {
    name: string;
    /** Why the file could not be run at all. */
    message?: string;
    assertionResults: {
      fullName: string;
      status: "passed" | "failed" | "pending" | "skipped" | "todo" | "disabled";
      failureMessages: string[] | null;
    }[];
  }[];
}

export interface Verdict {
  passed: number;
  /** Known limits that showed exactly as they are known. */
  limits: number;
  /** A sentence for everything else: failures, cases that did not run, limits that are none any more. */
  problems: string[];
}

/** @param options.isPart - only some files were run, so that a listed case may be in another one */
export function judge(
  report: Report,
  known: readonly KnownLimit[],
  { isPart = false }: { isPart?: boolean } = {},
): Verdict {
  const verdict: Verdict = { passed: 0, limits: 0, problems: [] };
  const seen = new Set<string>();
  for (const { name, message, assertionResults } of report.testResults) {
    if (assertionResults.length === 0) verdict.problems.push(`${name} did not run: ${message ?? "it has no case"}`);
    for (const { fullName, status, failureMessages } of assertionResults) {
      const limit = known.find((candidate) => candidate.name === fullName);
      if (limit) seen.add(fullName);
      const failure = failureMessages?.[0] ?? "";
      if (status === "passed" && !limit) verdict.passed += 1;
      else if (status === "passed") verdict.problems.push(`${fullName}: is listed as a limit of moto, and passes`);
      else if (status === "failed" && limit?.error.test(failure)) verdict.limits += 1;
      else if (status === "failed") verdict.problems.push(`${fullName}:\n${failure}`);
      else verdict.problems.push(`${fullName}: did not run`);
    }
  }
  for (const { name } of known) {
    if (!isPart && !seen.has(name))
      verdict.problems.push(`${name}: is listed as a limit of moto, and there is no such case`);
  }
  return verdict;
}

export function summary(report: Report, verdict: Verdict, known: readonly KnownLimit[]): string {
  const files = report.testResults.map(({ name, assertionResults }) => {
    const passed = assertionResults.filter(({ status }) => status === "passed").length;
    return `  ${relative(process.cwd(), name)}: ${passed} of ${assertionResults.length} passed`;
  });
  const limits = known.flatMap(({ name, error, why }) => [`  ${name}`, `    ${error.source}`, `    ${why}`]);
  return [
    ...files,
    `Cases that moto cannot do (${known.length}):`,
    ...limits,
    `Resources that its CloudFormation does not know, and which are only named (${UNKNOWN_TYPES.length}):`,
    `  ${UNKNOWN_TYPES.join(", ")}`,
    `Mended (${MENDED.length}):`,
    ...MENDED.map((what) => `  ${what}`),
    ...verdict.problems.map((problem) => `\nNot as expected: ${problem}`),
    `${verdict.passed} passed, ${verdict.limits} known limits of moto, ${verdict.problems.length} not as expected`,
  ].join("\n");
}
