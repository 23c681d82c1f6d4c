/** The tools that exist, in registration order, and how a called name finds one (R-58, H-104, H-105, H-131). */
import { BUILTIN_PATHS, DEFAULT_TOOLS, RESERVED_TOOL_NAMES, RESERVED_TOOL_PREFIX } from "../kernel/index.js";
import type { ToolPaths } from "../kernel/types.js";
import { ReservedToolNameError, ToolPathsError } from "./errors.js";
import { createFileTools } from "./file-tools.js";
import { effectOf, fromHost, inTurn, type ToolEffectOptions } from "./host-tool.js";
import type { RuntimeTool } from "./types.js";

export interface ToolRegistry {
  /** Built-in file tools, then the host's, in the order given; the last of them those of its MCP servers. */
  tools: readonly RuntimeTool[];
  /** The exact name only. */
  get(name: string): RuntimeTool | null;
  resolve(name: string): ResolvedName;
  /** Names of the host's tools, in order. */
  hostTools: readonly string[];
  /** Path declarations of the host's tools, for the kernel. */
  toolPaths: Readonly<Record<string, ToolPaths>>;
}

export interface RegistryOptions {
  host: readonly RuntimeTool[];
  /** H-20: wins over what the tools declare. */
  toolPaths?: Readonly<Record<string, ToolPaths>>;
  /** H-131: wins over what the tools declare. */
  toolEffects?: Readonly<Record<string, ToolEffectOptions>>;
  /** Whether pictures that the model reads are shown to it (H-24). */
  pictures?: boolean;
  /** Names that may be spoken of though there is no such tool: those of a server that could not be asked. */
  mayBeAbsent?(tool: string): boolean;
}

export type ResolvedName = { kind: "tool"; name: string } | { kind: "unknown"; candidates: string[] };

const ACCESS_WORDS: ReadonlySet<unknown> = new Set(["read", "list", "search", "write", "remove", "execute"]);

/**
 * @throws {ReservedToolNameError} naming every host tool that takes a name of the runtime
 * @throws {ToolPathsError} for a declaration of paths that cannot hold
 * @throws {TypeError} for two host tools of one name, or an effect declared for a tool that is not the host's
 */
export function createToolRegistry(options: RegistryOptions): ToolRegistry {
  checkNames(options.host);
  checkPaths(options);
  checkEffects(options);
  const host = options.host.map((tool) => declared(tool, options));
  const tools = [...createFileTools({ pictures: options.pictures }), ...host];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools,
    get: (name) => byName.get(name) ?? null,
    resolve: (name) => resolveToolName(name, [...byName.keys()]),
    hostTools: host.map(({ name }) => name),
    toolPaths: Object.fromEntries(host.flatMap(({ name, paths }) => (paths ? [[name, paths]] : []))),
  };
}

/** The tool of exactly this name, else the only `<collection>__<name>`; else the several that it might be. */
export function resolveToolName(name: string, registered: readonly string[]): ResolvedName {
  if (registered.includes(name)) return { kind: "tool", name };
  const candidates = registered.filter((tool) => tool.endsWith(`__${name}`) && tool.length > name.length + 2);
  return candidates.length === 1 ? { kind: "tool", name: candidates[0]! } : { kind: "unknown", candidates };
}

function checkNames(host: readonly RuntimeTool[]): void {
  const names = host.map(({ name }) => name);
  const reserved = names.filter((name) => name.startsWith(RESERVED_TOOL_PREFIX) || RESERVED_TOOL_NAMES.includes(name));
  if (reserved.length > 0) throw new ReservedToolNameError([...new Set(reserved)]);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`Two host tools are called "${twice}"; give each a name of its own.`);
}

function checkPaths({ host, toolPaths = {}, mayBeAbsent = () => false }: RegistryOptions): void {
  for (const [tool, paths] of Object.entries(toolPaths)) {
    if (isBuiltIn(tool)) throw new ToolPathsError(tool, "the paths of a built-in tool are fixed");
    if (!host.some(({ name }) => name === tool) && !mayBeAbsent(tool))
      throw new ToolPathsError(tool, "there is no host tool of this name");
    checkDeclaration(tool, paths);
  }
  for (const { name, paths } of host) if (paths !== undefined) checkDeclaration(name, paths);
}

function checkDeclaration(tool: string, paths: ToolPaths): void {
  const entries = typeof paths === "object" && paths !== null ? Object.entries(paths) : [];
  if (entries.length === 0)
    throw new ToolPathsError(tool, "the declaration is empty; leave it out, or name an argument");
  for (const [argument, access] of entries) {
    if (ACCESS_WORDS.has(access)) continue;
    const known = [...ACCESS_WORDS].join(", ");
    throw new ToolPathsError(tool, `"${String(access)}" (of \`${argument}\`) is none of ${known}`);
  }
}

function checkEffects({ host, toolEffects = {}, mayBeAbsent = () => false }: RegistryOptions): void {
  for (const tool of Object.keys(toolEffects)) {
    if (isBuiltIn(tool)) throw new TypeError(`\`toolEffects\` cannot speak of the built-in tool "${tool}".`);
    if (!host.some(({ name }) => name === tool) && !mayBeAbsent(tool))
      throw new TypeError(`\`toolEffects\` names "${tool}", which no host tool is called.`);
  }
}

function isBuiltIn(name: string): boolean {
  return (
    Object.hasOwn(BUILTIN_PATHS, name) ||
    DEFAULT_TOOLS.includes(name) ||
    RESERVED_TOOL_NAMES.includes(name) ||
    name.startsWith(RESERVED_TOOL_PREFIX)
  );
}

/** The tool with what the host's options declare of it in place of its own declarations. */
function declared(tool: RuntimeTool, { toolPaths = {}, toolEffects = {} }: RegistryOptions): RuntimeTool {
  const paths = Object.hasOwn(toolPaths, tool.name) ? toolPaths[tool.name] : tool.paths;
  const effect = Object.hasOwn(toolEffects, tool.name) ? toolEffects[tool.name] : undefined;
  const { reconcile: own, paths: _, ...rest } = tool;
  const reconcile = effect ? hostReconcile(effect) : own;
  return {
    ...rest,
    ...(paths ? { paths } : {}),
    ...(effect ? { effect: effectOf(effect) } : {}),
    ...(reconcile ? { reconcile } : {}),
  };
}

function hostReconcile({ reconcile }: ToolEffectOptions): RuntimeTool["reconcile"] {
  if (!reconcile) return undefined;
  return (args, context) => inTurn(context, async (bound) => fromHost(await reconcile(args, bound)));
}
