/** Reads `mcp.json`, or the object in its place (A-54…A-56). */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { InvalidMcpConfigError } from "./errors.js";
import type { McpOption, ServerSettings } from "./types.js";

/** Keys that hold the servers, in the order they are looked for. */
const MAPS = ["mcpServers", "servers", "mcp"];
/** What stands beside the servers where the object itself is their map. */
const SIBLINGS = new Set(["builtins", "agents", "a2a", "mcpServer"]);

const DEFAULT_TIMEOUT_MS = 30_000;
/** Node fires a timer of more than this many milliseconds at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const text = (what: string) => z.string(what).min(1, what);
const texts = (what: string) => z.record(z.string(), z.string(what), what);
const flag = z.boolean("must be true or false").optional();
const COMMAND = "must be a program, or a list of a program and its arguments";
const TIMEOUT = "must be a number of milliseconds above 0";

/** Other keys are other programs': `mcp.json` is a file that many read. */
const schema = z.object({
  type: z.enum(["local", "remote"], 'must be "local" or "remote"').optional(),
  command: z.union([text(COMMAND), z.tuple([text(COMMAND)], z.string(COMMAND))], COMMAND).optional(),
  args: z.array(z.string("must be a text"), "must be a list of texts").optional(),
  environment: texts("must be texts by name").optional(),
  env: texts("must be texts by name").optional(),
  cwd: text("must be a folder").optional(),
  url: text("must be a URL").optional(),
  headers: texts("must be texts by name").optional(),
  timeout: z.number(TIMEOUT).positive(TIMEOUT).max(LONGEST_TIMEOUT_MS, TIMEOUT).optional(),
  enabled: flag,
  disabled: flag,
  tools: z.record(z.string(), z.boolean("must be true or false"), "must be true or false by tool").optional(),
});

/**
 * The servers, in the order of the file. One that cannot be connected to as it is described is among them, as `broken`.
 *
 * @throws {InvalidMcpConfigError}
 */
export function readMcpConfig(option: McpOption): ServerSettings[] {
  const source = typeof option === "string" ? option : "`mcp`";
  const value: unknown = typeof option === "string" ? readJson(option) : option;
  if (!isObject(value)) throw new InvalidMcpConfigError(source, "it must be an object with the servers by name");
  const key = MAPS.find((name) => Object.hasOwn(value, name));
  const servers = key === undefined ? value : value[key];
  if (!isObject(servers))
    throw new InvalidMcpConfigError(source, `"${key}" must be an object with the servers by name`);
  return Object.entries(servers)
    .filter(([name]) => key !== undefined || !SIBLINGS.has(name))
    .map(([name, server]) => serverOf(name, server));
}

function readJson(file: string): unknown {
  let content: string;
  try {
    content = readFileSync(resolve(file), "utf8");
  } catch (cause) {
    throw new InvalidMcpConfigError(file, "there is no such file that can be read", { cause });
  }
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch {
    // The parser's own message quotes the file, which may hold secrets.
    throw new InvalidMcpConfigError(file, "it is no JSON");
  }
}

function serverOf(name: string, value: unknown): ServerSettings {
  if (isObject(value) && (value.disabled === true || value.enabled === false)) return { name, kind: "disabled" };
  const parsed = schema.safeParse(value);
  if (!parsed.success) return broken(name, problemOf(parsed.error.issues[0]));
  const { type, command, args = [], environment, env, cwd, url, headers = {}, timeout, tools = {} } = parsed.data;
  const kind = type ?? kindOf({ command, url });
  if (kind === null)
    return broken(name, command === undefined ? "has neither `command` nor `url`" : "has both `command` and `url`");
  const shared = { name, timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS, tools };
  if (kind === "local") {
    if (command === undefined) return broken(name, "is local and has no `command`");
    const [program, ...own] = typeof command === "string" ? [command] : command;
    return {
      ...shared,
      kind,
      command: program,
      args: [...own, ...args],
      environment: environment ?? env ?? {},
      ...(cwd !== undefined ? { cwd } : {}),
    };
  }
  if (url === undefined) return broken(name, "is remote and has no `url`");
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) return broken(name, "has a `url` that is no http(s) address");
  return { ...shared, kind, url: address, headers };
}

function kindOf({ command, url }: { command?: unknown; url?: unknown }): "local" | "remote" | null {
  if ((command === undefined) === (url === undefined)) return null;
  return url === undefined ? "local" : "remote";
}

function broken(name: string, problem: string): ServerSettings {
  return { name, kind: "broken", problem };
}

/** Names the place and what must be there; never what is there. */
function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (!issue || issue.path.length === 0) return "must be described by an object";
  return `has a \`${issue.path.map(String).join(".")}\` that ${issue.message}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
