/** A proposed call made ready for the rules: its paths found, and put in canonical form (W-187…W-190, R-214…R-216). */
import { type Machine, type MachineState, stateOf } from "../machine/index.js";
import { otherSpelling, pathsOf } from "./names.js";
import { canonicalPath } from "./paths.js";
import type { GovernanceTables, PathAccess, ProposedCall } from "./types.js";

/** One path of a call. A list argument gives one of these for each element. */
export interface CallPath {
  argument: string;
  access: PathAccess;
  /** As it was written. */
  written: string;
  /** Canonical. */
  path: string;
  escapes: boolean;
}

export interface JudgedCall {
  machine: Machine;
  tables: GovernanceTables;
  call: ProposedCall;
  /** Null when the spec in force has no such state; then no list of a state applies. */
  state: MachineState | null;
  /** With canonical paths under the declared names. */
  args: Record<string, unknown>;
  paths: readonly CallPath[];
  /** What is wrong with a path argument, as the end of a sentence. */
  problem: string | null;
}

export function prepareCall(machine: Machine, tables: GovernanceTables, call: ProposedCall): JudgedCall {
  const args = declaredSpelling(call);
  const paths: CallPath[] = [];
  let problem: string | null = null;
  for (const [argument, access] of Object.entries(pathsOf(call.tool, tables.toolPaths) ?? {})) {
    if (!Object.hasOwn(args, argument) || args[argument] === undefined) continue;
    const value = args[argument];
    const written: unknown[] = Array.isArray(value) ? value : [value];
    const canonical: string[] = [];
    for (const text of written) {
      const found = typeof text === "string" ? canonicalPath(text) : null;
      problem ??= pathProblem(argument, text);
      if (found === null || typeof text !== "string") continue;
      canonical.push(found.path);
      paths.push({ argument, access, written: text, path: found.path, escapes: found.escapes });
    }
    args[argument] = Array.isArray(value) ? canonical : (canonical[0] ?? value);
  }
  return { machine, tables, call, state: stateOf(machine, call.state), args, paths, problem };
}

/** A copy of the arguments in which the other spelling of a path stands under the declared name (W-188). */
function declaredSpelling({ tool, args }: ProposedCall): Record<string, unknown> {
  const copy = { ...args };
  const spelling = otherSpelling(tool);
  if (spelling === null) return copy;
  const { declared, other } = spelling;
  if (copy[declared] !== undefined && Object.hasOwn(copy, declared)) return copy;
  if (!Object.hasOwn(copy, other)) return copy;
  copy[declared] = copy[other];
  delete copy[other];
  return copy;
}

function pathProblem(argument: string, value: unknown): string | null {
  if (typeof value !== "string") {
    const found =
      value === null ? "null" : typeof value === "object" ? "a mapping or a nested list" : `a ${typeof value}`;
    return `the argument "${argument}" must be a path or a list of paths, and it holds ${found}`;
  }
  return canonicalPath(value).control
    ? `the argument "${argument}" holds a control character (${JSON.stringify(value)})`
    : null;
}
