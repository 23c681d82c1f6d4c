/**
 * Findings about paths that a grant names (W-211, W-214…W-217).
 *
 * Whether a path can ever be used is asked of the kernel: a call with that path is put before `judgeCall`, and the rule
 * that refuses it names the finding. A glob is asked about by the folder before its first wildcard, so it is reported only
 * when everything it can match lies in the refused place.
 */
import {
  BUILTIN_PATHS,
  type CallOrigin,
  canonicalPath,
  DEFAULT_TOOLS,
  judgeCall,
  type PathAccess,
  skillOf,
  type ToolPaths,
} from "../../kernel/index.js";
import type { Machine } from "../../machine/types.js";
import type { DiagnosticCode } from "../../spec/index.js";
import type { ToolEntry } from "../../spec/types.js";
import { type HostTables, type KeyPath, list, type Pass, quote, statesOf } from "./subject.js";
import { isBare, type PlacedEntry, rootEntries } from "./tool-entries.js";

/** One glob of a grant, for the path arguments it speaks about. */
interface GrantPath {
  glob: string;
  path: KeyPath;
  argument: string;
  access: PathAccess;
  /** The path itself, or the folder before the first wildcard. */
  witness: string;
  literal: boolean;
}

/** A place no rule about paths refuses; stands in for the other paths of a call. */
const NEUTRAL = "scratchpad/_";

export function checkGrantPaths(pass: Pass, placed: PlacedEntry): void {
  const { tool, entry, kind } = placed;
  if (kind !== "grant" || typeof entry === "string") return;
  const declared = declaredPaths(pass, tool);
  if (declared === null) return;
  const paths = grantPaths(entry, placed.path, declared);
  if (paths.length === 0) return;
  checkScratchpadGuard(pass, placed, { declared, paths });
  // A state's grant is judged in that state; a root grant is dead only where it is dead in every state.
  const states = placed.state === null ? statesOf(pass.subject).map(({ slug }) => slug) : [placed.state];
  if (tool === "archmax_run" && paths.every((path) => isOutsideSkills(pass, path, states))) {
    pass.report({
      code: "tools/run-outside-skill",
      path: placed.path,
      message: `archmax_run runs scripts of skills only, and ${list(paths.map(({ glob }) => quote(glob)))} lies in no skill; write a path such as skills/<slug>/scripts/*.js.`,
    });
    return;
  }
  reportDead(pass, placed, { paths, states });
}

function reportDead(
  pass: Pass,
  placed: PlacedEntry,
  { paths, states }: { paths: readonly GrantPath[]; states: readonly string[] },
): void {
  const machine = withoutOpenDenials(pass.subject.machine);
  const verdicts = paths.map((path) => {
    const found = states.map((state) => refusal(pass, machine, { path, tool: placed.tool, state }));
    return found.every((refused) => refused !== null) ? found[0]! : null;
  });
  const deadArguments = new Set(
    paths
      .map(({ argument }) => argument)
      .filter((argument) => paths.every((path, i) => path.argument !== argument || verdicts[i] !== null)),
  );
  const byGlob = Map.groupBy(paths.keys(), (index) => paths[index]!.path.join("\0"));
  const denied: string[] = [];
  for (const indices of byGlob.values()) {
    const dead = indices.every((index) => verdicts[index] !== null)
      ? indices[0]
      : indices.find((index) => verdicts[index] !== null && deadArguments.has(paths[index]!.argument));
    if (dead === undefined) continue;
    const { glob, path } = paths[dead]!;
    const code = verdicts[dead]!;
    if (code === "tools/denied-grant") denied.push(glob);
    else pass.report({ code, path, message: sentence(code, glob, placed) });
  }
  // A denial makes the grant useless only when it takes every path of it; one without a guard is found by the name.
  if (placed.state !== null && denied.length === byGlob.size && !isDeniedByName(pass, placed.tool)) {
    pass.report({
      code: "tools/denied-grant",
      path: placed.path,
      message: `forbid_always denies ${list(denied.map(quote))} for ${quote(placed.tool)}, which is all this entry grants; remove one of the two.`,
    });
  }
}

function isDeniedByName({ subject }: Pass, tool: string): boolean {
  return rootEntries(subject).some(
    ({ kind, entry, tool: named }) => kind === "denial" && isBare(entry) && (named === tool || named === "*"),
  );
}

/** The finding that the kernel's refusal of such a call amounts to, or null when the grant can work. */
function refusal(
  { host }: Pass,
  machine: Machine,
  { path, tool, state }: { path: GrantPath; tool: string; state: string },
): DiagnosticCode | null {
  // The kernel tells scripts that workflows/ is closed; for a model the place is not there at all.
  if (refusingRule(host, machine, { path, tool, state, origin: "script" }) === "zone.governance-plane") {
    return "tools/path-authoring";
  }
  const writing = path.access === "write" || path.access === "remove";
  let rule = refusingRule(host, machine, { path, tool, state, origin: "agent" });
  if (rule === "zone.read-only" && !path.literal) {
    // That the whole folder cannot be written is no finding, that the state does not reach it is.
    const reading = { ...path, argument: "file_path" };
    rule = refusingRule(host, machine, { path: reading, tool: "read_file", state, origin: "agent" });
  }
  switch (rule) {
    case "zone.runtime-internal":
    case "zone.runtime-managed":
      return writing ? "tools/path-runtime-area" : null;
    case "zone.read-only":
    case "mount.read-only":
      return path.literal ? "tools/path-read-only" : null;
    case "skill.forbidden":
    case "skill.not-allowed":
      return "tools/path-in-disabled-skill";
    case "mount.forbidden":
    case "mount.not-allowed":
      return "tools/path-in-disabled-mount";
    case "tool.forbidden":
      return path.literal ? "tools/denied-grant" : null;
    default:
      return null;
  }
}

/** The id of the rule that refuses a call with the path in its argument, or null when the call is allowed. */
function refusingRule(
  { governance }: HostTables,
  machine: Machine,
  { path, tool, state, origin }: { path: GrantPath; tool: string; state: string; origin: CallOrigin },
): string | null {
  const names = Object.keys(declaredPathsOf(tool, governance.toolPaths) ?? {});
  const args = Object.fromEntries(names.map((name) => [name, name === path.argument ? path.witness : NEUTRAL]));
  const verdict = judgeCall(machine, governance, { state, tool, args, origin, replyOnly: false, variables: {} });
  return verdict.decision === "allow" ? null : verdict.ruleId;
}

function sentence(code: DiagnosticCode, glob: string, { tool, state }: PlacedEntry): string {
  const where = state === null ? "no state" : `state ${quote(state)} does not`;
  const enables = state === null ? `${where} enables` : `${where} enable`;
  switch (code) {
    case "tools/path-authoring":
      return `${quote(glob)} lies under workflows/, which no agent and no script can reach; name files of the session or of a skill.`;
    case "tools/path-runtime-area":
      return `${quote(glob)} lies in an area only the runtime writes; grant ${quote(tool)} elsewhere, such as scratchpad/.`;
    case "tools/path-read-only":
      return `${quote(glob)} lies in a mount the host serves read-only, so ${quote(tool)} is refused there; name a place that can be written.`;
    case "tools/path-in-disabled-skill":
      return `${quote(glob)} lies in a skill that ${enables}; add the skill to skills.allow or remove the path.`;
    default:
      return `${quote(glob)} lies in a mount that ${enables}; add the mount to mounts.allow or remove the path.`;
  }
}

/** W-214. */
function checkScratchpadGuard(
  { report }: Pass,
  { tool, entry, path }: PlacedEntry,
  { declared, paths }: { declared: ToolPaths; paths: readonly GrantPath[] },
): void {
  const writes = Object.values(declared).some((access) => access === "write" || access === "remove");
  if (!DEFAULT_TOOLS.includes(tool) || !writes || typeof entry === "string") return;
  const guarded = new Set(paths.map(({ argument }) => argument));
  const others = Object.keys(entry.args ?? {}).filter((name) => !guarded.has(name));
  if (others.length > 0) return;
  if (!paths.every(({ witness }) => /^scratchpad(\/|$)/.test(canonicalPath(witness).path))) return;
  report({
    code: "tools/scratchpad-guard",
    path,
    message: `scratchpad/ is open to ${quote(tool)} wherever it is granted, whatever the guard says; leave the guard out, or name places outside scratchpad/.`,
  });
}

/** W-215: nothing the glob can match is inside a bundle. */
function isOutsideSkills({ subject, host }: Pass, path: GrantPath, states: readonly string[]): boolean {
  if (path.literal || skillOf(canonicalPath(path.witness).path, host.governance) !== null) {
    const refused = (state: string) =>
      refusingRule(host, subject.machine, { path, tool: "archmax_run", state, origin: "agent" });
    return states.every((state) => refused(state) === "script.skill-only");
  }
  const text = fixedText(path.glob);
  const folders = (host.governance.skillSources ?? ["skills"]).map((source) => `${canonicalPath(source).path}/`);
  return !folders.some((folder) => folder === "/" || folder.startsWith(text) || text.startsWith(folder));
}

function declaredPaths({ host }: Pass, tool: string): ToolPaths | null {
  return declaredPathsOf(tool, host.governance.toolPaths);
}

function declaredPathsOf(tool: string, hostPaths: Readonly<Record<string, ToolPaths>>): ToolPaths | null {
  if (Object.hasOwn(BUILTIN_PATHS, tool)) return BUILTIN_PATHS[tool] ?? null;
  return Object.hasOwn(hostPaths, tool) ? (hostPaths[tool] ?? null) : null;
}

/** `paths` speaks about every declared argument, an entry of `args` about the one it names (W-185, W-188). */
function grantPaths(entry: Exclude<ToolEntry, string>, at: KeyPath, declared: ToolPaths): GrantPath[] {
  const names = Object.keys(declared);
  const found: GrantPath[] = [];
  const add = (globs: string | string[], path: KeyPath, argument: string) => {
    const several = Array.isArray(globs);
    for (const [index, glob] of (several ? globs : [globs]).entries()) {
      const text = fixedText(glob);
      const literal = text === unslashed(glob);
      found.push({
        glob,
        path: several ? [...path, index] : path,
        argument,
        access: declared[argument] ?? "read",
        witness: literal ? unslashed(glob) : text.slice(0, text.lastIndexOf("/") + 1),
        literal,
      });
    }
  };
  if (entry.paths !== undefined) for (const name of names) add(entry.paths, [...at, "paths"], name);
  for (const [name, globs] of Object.entries(entry.args ?? {})) {
    const other = names.length === 1 && (name === "path" || name === "file_path") ? names[0] : undefined;
    const argument = names.includes(name) ? name : other;
    if (argument !== undefined) add(globs, [...at, "args", name], argument);
  }
  return found;
}

/** The text before the first wildcard or reference, without a leading slash. */
function fixedText(glob: string): string {
  const first = /[*?[{\\]|\$\{\{/.exec(unslashed(glob));
  return first === null ? unslashed(glob) : unslashed(glob).slice(0, first.index);
}

function unslashed(glob: string): string {
  return glob.replace(/^\/+/, "");
}

/** A denial bound to a variable counts as matching while the variable is unset; whether it will match is not known here. */
function withoutOpenDenials(machine: Machine): Machine {
  const closed = (entries: readonly ToolEntry[] = []) =>
    entries.filter((entry) => !JSON.stringify(entry).includes("${{"));
  const { tools } = machine.spec;
  if (tools?.forbid_always === undefined) return machine;
  return { ...machine, spec: { ...machine.spec, tools: { ...tools, forbid_always: closed(tools.forbid_always) } } };
}
