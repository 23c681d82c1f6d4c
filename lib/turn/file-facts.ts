/** What is true of the files that `file` entries name: they exist, are readable and fit (W-128, R-34, R-52). */

import type { SessionState } from "../session/state.js";
import { returnsOwed, valuesOf } from "../session/variables.js";
import { signatureValueIssues } from "../spec/index.js";
import type { SignatureEntry } from "../spec/types.js";
import type { Workspace } from "../workspace/types.js";
import type { Turn } from "./types.js";

/** One sentence for each `file` entry whose file is absent, unreadable or too large; values of the wrong shape are judged elsewhere. */
export async function fileIssues(
  workspace: Workspace,
  entries: readonly SignatureEntry[],
  values: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const issues: string[] = [];
  for (const entry of entries) {
    const path = Object.hasOwn(values, entry.name) ? values[entry.name] : undefined;
    if (entry.type !== "file" || typeof path !== "string") continue;
    if (signatureValueIssues([entry], { [entry.name]: path }).length > 0) continue;
    const [found] = await workspace.downloadFiles([`/${path.replace(/^\/+/, "")}`]);
    if (!found?.content) issues.push(`${entry.name} names the file ${path}, which does not exist or cannot be read.`);
    else if (entry.maxSize !== undefined && found.content.length > entry.maxSize) {
      issues.push(
        `${entry.name} names the file ${path} of ${found.content.length} bytes; at most ${entry.maxSize} are taken.`,
      );
    }
  }
  return issues;
}

/** What is wrong with the files of the returns owed, or null. */
export async function returnedFileIssue(turn: Turn, state: SessionState): Promise<string | null> {
  const entries = returnsOwed(turn.machine, state);
  if (!entries.some((entry) => entry.type === "file")) return null;
  const issues = await fileIssues(turn.workspace, entries, valuesOf(state.variables));
  return issues.length > 0 ? issues.join(" ") : null;
}
