/** Every public name with the first sentence of its docstring, read from the sources. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entries, ROOT } from "../api/built.js";
import { publicNames } from "../api/names.js";

export interface PublicName {
  name: string;
  /** `function`, `class`, `interface`, `type` or `const`. */
  kind: string;
  /** Empty where the declaration has no docstring. */
  summary: string;
}

/** By entry, in the order of package.json's `exports`. */
export function publicApi(): { entry: string; names: PublicName[] }[] {
  return entries().map(({ name: entry, source }) => {
    const { values, types } = publicNames(entry);
    const names = [...new Set([...values, ...types])].sort((a, b) => a.localeCompare(b, "en"));
    return { entry, names: names.map((name) => described(join(ROOT, source), name)) };
  });
}

/** docs/reference/api.md. */
export function apiPage(): string {
  const seen = new Map<string, string>();
  const parts = publicApi().map(({ entry, names }) => {
    const own = names.filter(({ name }) => !seen.has(name));
    const shared = names.length - own.length;
    for (const { name } of own) seen.set(name, entry);
    return [
      `## ${entry}`,
      "",
      ...(own.length > 0 ? ["| name | | |", "| --- | --- | --- |", ...own.map(row)] : []),
      ...(shared > 0 ? ["", `And ${shared} of the names above, which are the same bindings.`] : []),
      "",
    ];
  });
  return [
    "# Public names",
    "",
    "<!-- Made by `npx vitest run --project unit test/docs -u`; not to be edited. -->",
    "",
    "Each entry of the package has its own types, which your editor shows whole. The options of `createAgent` are in",
    "[host-api.md](../contract/host-api.md), those of guardrails, checks and MCP servers in [agents.md](../contract/agents.md).",
    "",
    ...parts.flat(),
  ].join("\n");
}

function row({ name, kind, summary }: PublicName): string {
  return `| \`${name}\` | ${kind} | ${summary.replaceAll("|", "\\|")} |`;
}

function described(file: string, name: string): PublicName {
  const found = declaration(file, name, new Set());
  if (found === null) throw new Error(`${name} of ${file} is declared nowhere`);
  return { name, ...found };
}

type Declared = Omit<PublicName, "name">;

/** Follows lists of exports to where the name is declared. */
function declaration(file: string, name: string, seen: Set<string>): Declared | null {
  if (seen.has(`${file}#${name}`) || !existsSync(file)) return null;
  seen.add(`${file}#${name}`);
  const text = readFileSync(file, "utf8");
  return declaredIn(text, name) ?? reexported(file, text, name, seen);
}

function declaredIn(text: string, name: string, exported = "export "): Declared | null {
  const declared = new RegExp(
    String.raw`(?:(/\*\*(?:(?!\*/)[\s\S])*\*/)\s*(?://.*\s*)*)?^${exported}(?:declare |abstract |async )*(function|class|interface|type|const) ${name}\b`,
    "m",
  ).exec(text);
  return declared ? { kind: declared[2]!, summary: firstSentence(declared[1] ?? "") } : null;
}

function reexported(file: string, text: string, name: string, seen: Set<string>): Declared | null {
  for (const [, list, source] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm)) {
    const item = itemOf(list!, name);
    const found = item && declaration(fileOf(file, source!), item[0]!, seen);
    if (found) return found;
  }
  // A local name under another one, or one that was imported.
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)) {
    const item = itemOf(list!, name);
    const found = item && (declaredIn(text, item[0]!, "(?:export )?") ?? imported(file, text, item[0]!, seen));
    if (found) return found;
  }
  for (const [, source] of text.matchAll(/^export \* from "([^"]+)";/gm)) {
    const found = declaration(fileOf(file, source!), name, seen);
    if (found) return found;
  }
  return null;
}

function imported(file: string, text: string, name: string, seen: Set<string>): Declared | null {
  for (const [, list, source] of text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)";/gm)) {
    const item = itemOf(list!, name);
    const found = item && declaration(fileOf(file, source!), item[0]!, seen);
    if (found) return found;
  }
  return null;
}

/** The words of `a as b` in a list of names, by the last of them. */
function itemOf(list: string, name: string): string[] | undefined {
  return list
    .split(",")
    .map((word) =>
      word
        .trim()
        .replace(/^type /, "")
        .split(" as "),
    )
    .find((words) => words.at(-1) === name);
}

function fileOf(from: string, specifier: string): string {
  return join(dirname(from), specifier.replace(/\.js$/, ".ts"));
}

/** Up to the first tag, blank line or end of a sentence. */
function firstSentence(docstring: string): string {
  const prose = docstring
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, ""))
    .join("\n")
    .trim()
    .split(/\n\s*\n|(?:^|\s)@\w+/)[0]!;
  return (/^[\s\S]*?[.!](?=\s|$)/.exec(prose)?.[0] ?? prose).replace(/\s+/g, " ").trim();
}
