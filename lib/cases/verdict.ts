/** From records to a verdict, and from a verdict to an exit code (C-47). Pure. */
import type { AssertionRecord, Verdict } from "./types.js";

/**
 * The verdict on a case's records (C-47): `failed` with one line for each failed record, else `passed`; what was not
 * executed adds nothing.
 */
export function reduceVerdict(records: readonly AssertionRecord[]): Verdict {
  const failures = records.filter((record) => record.status === "failed").map(lineOf);
  return { status: failures.length > 0 ? "failed" : "passed", failures };
}

/** 1 for a failed verdict, else 0, so that a skipped case fails no build (C-47). */
export function exitCodeForVerdict(verdict: Verdict): 0 | 1 {
  return verdict.status === "failed" ? 1 : 0;
}

function lineOf({ kind, detail, score, threshold }: AssertionRecord): string {
  const said = detail === undefined ? kind : `${kind}: ${detail}`;
  return score !== undefined && threshold !== null ? `${said} (score ${score} < ${threshold})` : said;
}
