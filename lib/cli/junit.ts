/** Case results as JUnit XML, which CI systems read: `parkway test --junit <file>` (C-74). */
import type { Builder } from "junit-report-builder";
import type { CaseResult } from "../cases/index.js";

/** One suite named after the workflow. A case that died is an `error`, one whose assertions missed a `failure`. */
export async function junitReport(
  workflow: string,
  results: readonly CaseResult[],
  secondsOf: (id: string) => number,
): Promise<string> {
  const report = (await builderOf()).newBuilder();
  const suite = report.testSuite().name(workflow);
  for (const { id, title, verdict, skipReason, error } of results) {
    const entry = suite
      .testCase()
      .className(xmlText(`${workflow}.${id.replaceAll("/", ".")}`))
      .name(xmlText(title ?? id))
      .file(`workflows/${workflow}/tests/${id}.test.yaml`)
      .time(Math.round(secondsOf(id) * 1000) / 1000);
    const failures = xmlText(verdict.failures.join("\n"));
    const first = failures.split("\n")[0] ?? "";
    if (verdict.status === "skipped") entry.skipped().standardOutput(xmlText(skipReason ?? ""));
    else if (error !== undefined) entry.error(first, "error", failures);
    else if (verdict.status === "failed") entry.failure(first, "assertion").stacktrace(failures);
  }
  return report.build();
}

/** The package is CommonJS, and its types take its default export for a member of it. */
async function builderOf(): Promise<Builder> {
  const { default: builder } = await import("junit-report-builder");
  return builder as unknown as Builder;
}

/**
 * Without what XML 1.0 (section 2.2) has no place for: a model may say anything. The end of a CDATA section is split,
 * since the builder looks for the first one only.
 */
function xmlText(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "").replaceAll("]]>", "]] >");
}
