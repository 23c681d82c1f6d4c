/** The order of findings: the passes of section 26, states in document order within the per-state pass (W-4, W-288). */
import { DIAGNOSTIC_CODES, type DiagnosticCode } from "./diagnostic-codes.js";
import type { Diagnostic } from "./types.js";

const PASSES = [
  "slug",
  "shape",
  "rules",
  "lint",
  "runtime",
  "skills",
  "mounts",
  "states",
  "sub-workflows",
  "cases",
] as const;
type Pass = (typeof PASSES)[number];

const RULES: readonly string[] = [
  "transition/undefined-target",
  "transition/undescribed",
  "on-error/undefined-target",
  "trigger/duplicate-id",
  "trigger/none",
  "locks/two-owners",
  "code/no-script",
  "code/script-on-other-type",
];

/** Blocks whose check and warn findings belong to one pass. */
const PASS_OF_BLOCK: Readonly<Record<string, Pass>> = {
  workflow: "slug",
  skills: "skills",
  mounts: "mounts",
  subworkflow: "sub-workflows",
  case: "cases",
  human: "states",
  grader: "states",
  code: "states",
  automated: "states",
  path: "states",
  tools: "states",
};

const OTHER_STATE_CODES: readonly string[] = ["state/slug", "state/slug-empty", "state/inert-key", "locks/unwritable"];

/** Whether a code is one of the shape pass: with such a finding nothing but the files and the cases is looked at. */
export function isShapeCode(code: string): boolean {
  return passOf(code) === "shape";
}

/** Sorts findings of all passes into the order of W-4; equal ones stay as they are. */
export function orderDiagnostics(diagnostics: readonly Diagnostic[], stateOrder: readonly string[]): Diagnostic[] {
  const position = new Map(stateOrder.map((slug, index) => [slug, index]));
  const rank = ({ code, path }: Diagnostic): number[] => {
    const pass = passOf(code);
    if (pass !== "states") return [PASSES.indexOf(pass), 0, 0];
    const state = path?.[0] === "states" ? (position.get(String(path[1])) ?? -1) : -1;
    return [PASSES.indexOf(pass), state, partOf(code)];
  };
  return diagnostics
    .map((diagnostic) => ({ diagnostic, rank: rank(diagnostic) }))
    .sort((a, b) => a.rank[0]! - b.rank[0]! || a.rank[1]! - b.rank[1]! || a.rank[2]! - b.rank[2]!)
    .map(({ diagnostic }) => diagnostic);
}

function passOf(code: string): Pass {
  if (code.startsWith("runtime/unsupported-")) return "runtime";
  if (RULES.includes(code)) return "rules";
  if (DIAGNOSTIC_CODES[code as DiagnosticCode] === "load") return "shape";
  if (OTHER_STATE_CODES.includes(code)) return "states";
  return PASS_OF_BLOCK[code.split("/")[0]!] ?? "lint";
}

/** Within one state: slug, type table, scripts, paths, tools. */
function partOf(code: string): number {
  if (code.startsWith("state/slug")) return 0;
  if (code === "code/foreign-import" || code === "code/no-default-export" || code.startsWith("code/script-")) return 2;
  if (code.startsWith("path/")) return 3;
  return code.startsWith("tools/") || code.startsWith("automated/") ? 4 : 1;
}
