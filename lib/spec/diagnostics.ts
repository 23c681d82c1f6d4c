/** Making findings: only with a known code, whose class and severity follow from it. */
import { DIAGNOSTIC_CODES, type DiagnosticCode } from "./diagnostic-codes.js";
import type { Diagnostic } from "./types.js";

export type DocumentPath = readonly (string | number)[];

export interface DiagnosticDetails {
  path?: DocumentPath;
  hint?: string;
  file?: string;
  line?: number;
  column?: number;
}

/** What a rule reports: the loader adds file and position. */
export interface Finding {
  code: DiagnosticCode;
  path: DocumentPath;
  message: string;
  hint?: string;
}

/** A finding of the text's reader: `offset` is set where there is no key path to locate it by. */
export interface TextFinding extends Finding {
  offset?: number;
}

/** A finding with its class, severity and dotted `field` filled in (W-2); absent details are left out. */
export function makeDiagnostic(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): Diagnostic {
  const { path, hint, file, line, column } = details;
  const diagnosticClass = DIAGNOSTIC_CODES[code];
  return {
    code,
    severity: diagnosticClass === "warn" ? "warning" : "error",
    class: diagnosticClass,
    message,
    ...(hint !== undefined && { hint }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(path !== undefined && path.length > 0 && { field: path.join("."), path: [...path] }),
  };
}

export function hasLoadFinding(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.class === "load");
}

/** The accepted word within two edits of a misspelt one, if any (W-16). */
export function nearest(word: string, accepted: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const candidate of accepted) {
    const distance = editDistance(word, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements; gives up with `limit` when the lengths alone are that far apart. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
