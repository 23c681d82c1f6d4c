/** How much of the contract the tests cite, by chapter. */
import type { Citations } from "./citations.js";
import { byId, type Contract } from "./contract.js";

export interface ChapterReport {
  chapter: string;
  total: number;
  cited: number;
  /** Ids with a written reason in exceptions.md and no citation. */
  excepted: string[];
  uncited: string[];
}

export interface Report {
  chapters: ChapterReport[];
  /** Cited ids that no chapter defines: a slip of the pen. */
  unknown: string[];
  /** Excepted ids that a test cites after all: the exception is out of date. */
  outdated: string[];
}

export function reportOf(contract: Contract, citations: Citations): Report {
  const chapters = [...new Set(contract.ids.map((id) => id[0]!))].map((chapter) => {
    const ids = contract.ids.filter((id) => id[0] === chapter);
    const open = ids.filter((id) => !citations.has(id));
    return {
      chapter,
      total: ids.length,
      cited: ids.length - open.length,
      excepted: open.filter((id) => contract.exceptions.has(id)),
      uncited: open.filter((id) => !contract.exceptions.has(id)),
    };
  });
  const known = new Set(contract.ids);
  const defined = new Set(contract.ids.map((id) => id[0]));
  return {
    chapters,
    unknown: [...citations.keys()].filter((id) => defined.has(id[0]) && !known.has(id)).sort(byId),
    outdated: [...contract.exceptions.keys()].filter((id) => citations.has(id)).sort(byId),
  };
}

export function textOf(report: Report, extent: "summary" | "full"): string {
  const lines = report.chapters.flatMap((chapter) => {
    const { cited, total, excepted, uncited } = chapter;
    const line = `${chapter.chapter}  ${cited} of ${total} cited, ${excepted.length} excepted, ${uncited.length} uncited`;
    return extent === "full" && uncited.length > 0 ? [line, `   ${ranges(uncited).join(" ")}`] : [line];
  });
  if (report.unknown.length > 0) lines.push(`cited, but not in the contract: ${report.unknown.join(" ")}`);
  if (report.outdated.length > 0) lines.push(`excepted, but cited: ${report.outdated.join(" ")}`);
  return lines.join("\n");
}

/** `W-1 W-2 W-3 W-7` as `W-1…W-3 W-7`. */
export function ranges(ids: readonly string[]): string[] {
  const runs: { first: string; last: string; count: number }[] = [];
  for (const id of ids) {
    const run = runs.at(-1);
    const follows = run && run.last[0] === id[0] && Number(run.last.slice(2)) + 1 === Number(id.slice(2));
    if (follows) Object.assign(run, { last: id, count: run.count + 1 });
    else runs.push({ first: id, last: id, count: 1 });
  }
  return runs.map(({ first, last, count }) =>
    count === 1 ? first : count === 2 ? `${first} ${last}` : `${first}…${last}`,
  );
}
