/**
 * The rules of chapters R 12 and W 18…20 read a second time: plain, slow, and without a line of `lib/kernel`. What it
 * answers for a call is what the kernel has to answer.
 */
import type { StateSpec, ToolEntry, WorkflowSpec } from "../../lib/spec/types.js";
import { type Glob, modelGlob, modelMatches, ofValue } from "./glob-model.js";

export interface ModelMount {
  name: string;
  kind: "directory" | "file";
  readOnly: boolean;
  governed: boolean;
  searchable: boolean;
}

export interface ModelWorld {
  workflow: WorkflowSpec;
  /** `forbid_always` of the callers' workflows, the outermost first. */
  ancestors: readonly WorkflowSpec[];
  mounts: readonly ModelMount[];
  skills: readonly string[];
  essential: readonly string[];
  /** Access by argument, of host tools. */
  hostPaths: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The host's rules refuse calls of this tool. */
  hostRefuses: string | null;
}

export interface ModelCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  state: string;
  origin: string;
  replyOnly: boolean;
  variables: Readonly<Record<string, unknown>>;
}

interface JudgedPath {
  access: string;
  path: string;
  escapes: boolean;
}

/** W-187. */
const PATHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  read_file: { file_path: "read" },
  write_file: { file_path: "write" },
  edit_file: { file_path: "write" },
  remove_file: { file_path: "remove" },
  archmax_run: { file_path: "execute" },
  ls: { path: "list" },
  glob: { path: "search" },
  grep: { path: "search" },
  copy_file: { source: "read", destination: "write" },
  move_file: { source: "remove", destination: "write" },
};
/** W-197. */
const DEFAULTS = `ls read_file write_file edit_file copy_file move_file remove_file glob grep write_todos archmax_eval
  archmax_run`.split(/\s+/);
/** W-201, W-77, W-78, W-204. */
const AGENT_CONTROLS = words("advance reset wait raise get_variables set_variables");
const AUTOMATED_CONTROLS = words("get_history get_variables set_variables raise advance");
const NOT_AUTOMATED = [...words("eval run wait reset"), "write_todos"];
const NOBODY = ["task", "eval", "archmax_note"];

function words(text: string): string[] {
  return text.split(" ").map((word) => `archmax_${word}`);
}

/** `allow tool.allowed`, `block zone.escapes`, …: W-209 and R-205 from top to bottom. */
export function modelVerdict(world: ModelWorld, call: ModelCall): string {
  const { tool } = call;
  const state = world.workflow.states[call.state]!;
  const automated = state.type === "grader" || state.type === "code";
  const args = inDeclaredSpelling(call);
  const declared = declaredPaths(world, tool);

  const paths: JudgedPath[] = [];
  for (const [name, access] of Object.entries(declared ?? {})) {
    const value = args[name];
    if (value === undefined) continue;
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== "string" || /\p{Cc}/u.test(text)) return "block tool.path-argument";
      paths.push({ access, ...modelPath(text) });
    }
  }
  const isWrite = ({ access }: JudgedPath) => access === "write" || access === "remove";
  const area = ({ path }: JudgedPath) => (mountAt(world, path)?.readOnly ? "authored" : path.split("/")[0]!);

  if (paths.some(({ escapes }) => escapes)) return "block zone.escapes";
  if (call.origin === "script" && paths.some(({ path }) => path.split("/")[0] === "workflows")) {
    return "block zone.governance-plane";
  }
  if (tool === "archmax_run" && paths.some(({ path }) => bundleAt(world, state, path) === null)) {
    return "block script.skill-only";
  }
  if (call.replyOnly) return "block tool.reply-only";
  if (NOBODY.includes(tool) || (automated ? NOT_AUTOMATED.includes(tool) : tool === "archmax_get_history")) {
    return "block tool.ungrantable";
  }
  if (paths.some((path) => isWrite(path) && area(path) === "authored")) return "block zone.read-only";
  if (paths.some((path) => ["checkpoints", "artifacts", "_specs"].includes(area(path)))) {
    return "block zone.runtime-internal";
  }
  const isOffload = (path: JudgedPath) => ["large_tool_results", "conversation_history"].includes(area(path));
  if (paths.some((path) => isWrite(path) && isOffload(path))) return "block zone.runtime-managed";

  for (const { path } of paths) {
    const slug = bundleAt(world, state, path);
    if (slug === null) continue;
    if (isSkillDenied(world, state, slug)) return "block skill.forbidden";
    if (!isSkillEnabled(world, state, slug)) return "block skill.not-allowed";
  }
  for (const path of paths) {
    const mount = mountAt(world, path.path);
    if (mount === null) continue;
    if (isMountDenied(world, state, mount)) return "block mount.forbidden";
    if (!isMountReachable(world, state, mount)) return "block mount.not-allowed";
    if (isWrite(path) && !isMountWritable(world, state, mount)) return "block mount.read-only";
  }

  const asked = { ...call, args };
  const denies = (entries: readonly ToolEntry[] = []) =>
    entries.some((entry) => matches(world, entry, asked, "denial"));
  for (const ancestor of world.ancestors) if (denies(ancestor.tools?.forbid_always)) return "block tool.forbidden";
  if (denies(world.workflow.tools?.forbid_always)) return "block tool.forbidden";
  if (denies(state.tools?.forbid)) return "block tool.forbidden-here";
  if (world.hostRefuses === tool) return "block host.refuses";

  const grants = grantsOf(world, state, tool);
  const isGranted = grants !== null;
  const isEssential = world.essential.includes(tool);
  if (paths.length > 0 && ((DEFAULTS.includes(tool) && isGranted) || isEssential)) {
    const isOpen = (path: JudgedPath) =>
      area(path) === "scratchpad" && ["read", "list", "write", "remove"].includes(path.access);
    if (paths.every(isOpen)) return "allow tool.scratchpad";
  }
  if (paths.length > 0 && isGranted && ["ls", "read_file"].includes(tool) && paths.every(isOffload)) {
    return "allow tool.offload-read";
  }
  const terminal = (state.transitions ?? []).length === 0;
  const controls = automated ? AUTOMATED_CONTROLS : AGENT_CONTROLS;
  if (controls.includes(tool) && !(terminal && tool === "archmax_advance")) return "allow tool.control";
  if (grants === "host") return "allow tool.allowed";
  if (grants?.some((entry) => matches(world, entry, asked, "grant"))) return "allow tool.allowed";
  if (grants?.some((entry) => globsOf(entry, call.variables) === null)) return "block tool.unresolved-variable";
  return "block tool.not-allowed";
}

/** What the tool of an allowed call is given: its paths in canonical form, under their declared names. */
export function modelArgs(world: ModelWorld, call: ModelCall): Record<string, unknown> {
  const canonical = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(canonical) : modelPath(String(value)).path;
  const declared = declaredPaths(world, call.tool) ?? {};
  return Object.fromEntries(
    Object.entries(inDeclaredSpelling(call)).map(([name, value]) => [
      name,
      Object.hasOwn(declared, name) ? canonical(value) : value,
    ]),
  );
}

/** Whether a line of the tool's listing or search that lies at the path may be shown. */
export function modelVisible(world: ModelWorld, call: ModelCall, path: string): boolean {
  const state = world.workflow.states[call.state]!;
  if (["checkpoints", "artifacts", "_specs", "workflows"].includes(path.split("/")[0]!)) return false;
  const slug = bundleAt(world, state, path);
  if (slug !== null && !isSkillEnabled(world, state, slug)) return false;
  const mount = mountAt(world, path);
  if (mount !== null && !isMountReachable(world, state, mount)) return false;
  const here = { ...call, args: { ...inDeclaredSpelling(call), path } };
  const lists = [...world.ancestors, world.workflow].map((workflow) => workflow.tools?.forbid_always ?? []);
  return ![...lists, state.tools?.forbid ?? []].flat().some((entry) => matches(world, entry, here, "denial"));
}

/** W-190: the segments that count, and whether `..` went above the root. */
export function modelPath(text: string): { path: string; escapes: boolean } {
  const segments: string[] = [];
  let escapes = false;
  for (const segment of text.normalize("NFC").split("/")) {
    if (segment === "..") escapes = segments.pop() === undefined || escapes;
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return { path: segments.join("/"), escapes };
}

/** W-237. */
export function mountAt({ mounts }: ModelWorld, path: string): ModelMount | null {
  const holding = mounts.filter(
    ({ name, kind }) => name === path || (kind === "directory" && `${path}/`.startsWith(`${name}/`)),
  );
  return holding.sort((a, b) => b.name.length - a.name.length)[0] ?? null;
}

/** W-234. */
export function isMountWritable(world: ModelWorld, state: StateSpec, mount: ModelMount): boolean {
  if (mount.readOnly) return false;
  if (!mount.governed) return true;
  const access = mountGrants(world, state, mount).map((grant) => (typeof grant === "string" ? "" : grant.access));
  return access.includes("read_write") && !access.includes("read");
}

/** W-233. */
export function isMountReachable(world: ModelWorld, state: StateSpec, mount: ModelMount): boolean {
  if (isMountDenied(world, state, mount)) return false;
  return !mount.governed || mountGrants(world, state, mount).length > 0;
}

function mountGrants({ workflow }: ModelWorld, state: StateSpec, { name }: ModelMount) {
  const all = [...(state.mounts?.allow ?? []), ...(workflow.mounts?.allow_always ?? [])];
  return all.filter((grant) => grant === name || (typeof grant === "object" && grant.mount === name));
}

function isMountDenied({ workflow, ancestors }: ModelWorld, state: StateSpec, { name }: ModelMount): boolean {
  const roots = [...ancestors, workflow].flatMap((one) => one.mounts?.forbid_always ?? []);
  return [...roots, ...(state.mounts?.forbid ?? [])].includes(name);
}

/** The skill a path lies in: one that is served, or that a list names to deny it. */
function bundleAt(world: ModelWorld, state: StateSpec, path: string): string | null {
  const [folder, slug] = path.split("/");
  if (folder !== "skills" || slug === undefined) return null;
  return world.skills.includes(slug) || isSkillDenied(world, state, slug) ? slug : null;
}

function isSkillDenied({ workflow, ancestors }: ModelWorld, state: StateSpec, slug: string): boolean {
  const roots = [...ancestors, workflow].flatMap((one) => one.skills?.forbid_always ?? []);
  return [...roots, ...(state.skills?.forbid ?? [])].includes(slug);
}

/** W-223. */
function isSkillEnabled(world: ModelWorld, state: StateSpec, slug: string): boolean {
  const allowed = [...(state.skills?.allow ?? []), ...(world.workflow.skills?.allow_always ?? [])];
  return world.skills.includes(slug) && allowed.includes(slug) && !isSkillDenied(world, state, slug);
}

/** W-199: the one source that decides, null when nothing grants the tool. */
function grantsOf(world: ModelWorld, state: StateSpec, tool: string): ToolEntry[] | "host" | null {
  if ([...AGENT_CONTROLS, ...AUTOMATED_CONTROLS].includes(tool)) return null;
  const own = (state.tools?.allow ?? []).filter((entry) => toolOf(entry) === tool);
  if (own.length > 0) return own;
  if (world.essential.includes(tool)) return "host";
  const always = (world.workflow.tools?.allow_always ?? DEFAULTS).filter((entry) => toolOf(entry) === tool);
  return always.length > 0 ? always : null;
}

function toolOf(entry: ToolEntry): string {
  return typeof entry === "string" ? entry : entry.tool;
}

function declaredPaths(world: ModelWorld, tool: string): Readonly<Record<string, string>> | null {
  if (Object.hasOwn(PATHS, tool)) return PATHS[tool]!;
  return Object.hasOwn(world.hostPaths, tool) ? world.hostPaths[tool]! : null;
}

/** W-188. */
function inDeclaredSpelling({ tool, args }: Pick<ModelCall, "tool" | "args">): Record<string, unknown> {
  const names = Object.hasOwn(PATHS, tool) ? Object.keys(PATHS[tool]!) : [];
  const [name] = names;
  if (names.length !== 1 || name === undefined || args[name] !== undefined) return { ...args };
  const { [name === "path" ? "file_path" : "path"]: other, ...rest } = args;
  return other === undefined ? { ...args } : { ...rest, [name]: other };
}

type Kind = "grant" | "denial";

/** W-184…W-186, W-191, W-192. */
function matches(world: ModelWorld, entry: ToolEntry, call: ModelCall, kind: Kind): boolean {
  if (toolOf(entry) !== call.tool && toolOf(entry) !== "*") return false;
  if (typeof entry === "string") return true;
  const globs = globsOf(entry, call.variables);
  if (globs === null) return kind === "denial";
  const declared = declaredPaths(world, call.tool) ?? { file_path: "read" };
  if (entry.paths !== undefined) {
    const one = (name: string) => {
      // Leaving a folder out means the root, which a denial of the root must not miss.
      const omitted = kind === "denial" && ["list", "search"].includes(declared[name]!) ? "" : undefined;
      return valueMatches(call.args[name] ?? omitted, globs.get("paths")!, { kind, isPath: true });
    };
    const names = Object.keys(declared);
    return kind === "grant" ? names.every(one) : names.some(one);
  }
  const single =
    Object.hasOwn(PATHS, call.tool) && Object.keys(declared).length === 1 ? Object.keys(declared)[0]! : null;
  return Object.keys(entry.args ?? {}).every((authored) => {
    // W-188 for guards too: in either spelling they mean the one path of such a tool.
    const name = single !== null && ["path", "file_path"].includes(authored) ? single : authored;
    const isPath = Object.hasOwn(declared, name.split(".")[0]!);
    return valueMatches(argumentAt(call.args, name), globs.get(authored)!, { kind, isPath });
  });
}

function argumentAt(args: Readonly<Record<string, unknown>>, name: string): unknown {
  let value: unknown = args;
  for (const key of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function valueMatches(value: unknown, globs: Glob[], as: { kind: Kind; isPath: boolean }): boolean {
  if (Array.isArray(value)) {
    if (as.kind === "denial") return value.some((element) => valueMatches(element, globs, as));
    return value.length > 0 && value.every((element) => valueMatches(element, globs, as));
  }
  if (!["string", "number", "boolean"].includes(typeof value)) return false;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const { path, escapes } = modelPath(text);
  if (as.isPath) {
    if (typeof value !== "string") return textMatches(text, globs, as.kind);
    if (as.kind === "grant" && (escapes || /\p{Cc}/u.test(text))) return false;
    return globs.some((glob) => modelMatches(withoutLeadingSlash(glob), path));
  }
  return textMatches(text, globs, as.kind);
}

function textMatches(text: string, globs: Glob[], kind: Kind): boolean {
  return globs.some(
    (glob) => modelMatches(glob, text) || (kind === "denial" && modelMatches(glob, modelPath(text).path)),
  );
}

/** W-196. */
function withoutLeadingSlash(glob: Glob): Glob {
  return glob[0]?.char === "/" ? withoutLeadingSlash(glob.slice(1)) : glob;
}

/** The entry's globs by argument, with values in them as they are; null when a reference leads to none (W-159). */
function globsOf(entry: ToolEntry, variables: Readonly<Record<string, unknown>>): Map<string, Glob[]> | null {
  const found = new Map<string, Glob[]>();
  if (typeof entry === "string") return found;
  const authored = entry.paths === undefined ? Object.entries(entry.args ?? {}) : [["paths", entry.paths] as const];
  for (const [name, globs] of authored) {
    const resolved = [globs].flat().map((glob) => resolve(glob, variables));
    if (resolved.includes(null)) return null;
    found.set(name, resolved as Glob[]);
  }
  return found;
}

function resolve(glob: string, variables: Readonly<Record<string, unknown>>): Glob | null {
  const parts: Glob[] = [];
  // Odd parts are the references; the generator writes no escapes and no nested braces.
  for (const [index, part] of glob.split(/\$\{\{([^}]*)\}\}/).entries()) {
    if (index % 2 === 0) parts.push(modelGlob(part));
    else {
      const value = argumentAt(variables, part.trim());
      if (!["string", "number", "boolean"].includes(typeof value)) return null;
      parts.push(ofValue(String(value)));
    }
  }
  return parts.flat();
}
