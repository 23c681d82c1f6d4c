/** From a script file to what the engine evaluates: imports checked and removed, lines kept (R-151, R-310, W-284). */

import type { ImportDeclaration, Node, Program } from "acorn";

/** Bounds the time the parser may hold the host's thread: about 0.2 s. */
export const MAX_SOURCE_CHARS = 1_000_000;

export type PreparedScript = { ok: true; source: string } | { ok: false; kind: "syntax" | "import"; reason: string };

/**
 * Parses a code state's script and removes its type-carrier imports, line count preserved.
 *
 * Fails with `syntax` for what does not parse as an ES module and with `import` for any other import, `export … from`,
 * `import()` or `require()`; the reason names the specifier and the line.
 */
export async function prepareScript(source: string, file: string): Promise<PreparedScript> {
  if (source.length > MAX_SOURCE_CHARS) {
    return syntax(`${file} has ${source.length} characters; a script may have ${MAX_SOURCE_CHARS}.`);
  }
  const { parse } = await import("acorn");
  let program: Program;
  try {
    program = parse(source, { ecmaVersion: "latest", sourceType: "module", locations: true, allowHashBang: true });
  } catch (error) {
    return syntax(syntaxReason(error, file));
  }
  const foreign = findForeignImport(program);
  if (foreign !== null)
    return { ok: false, kind: "import", reason: importReason(foreign.specifier, file, foreign.line) };
  return { ok: true, source: withoutCarriers(source, program) };
}

/** The sentence for an import a script may not make. */
export function importReason(specifier: string, file: string, line?: number): string {
  const where = line === undefined ? file : `${file}:${line}`;
  return `A script cannot import anything but types: "${specifier}" (${where}). Use the tools it is given instead.`;
}

function isCarrier(specifier: unknown): boolean {
  return (
    typeof specifier === "string" && (specifier === "parkway/sandbox" || specifier.startsWith("@archmax-ai/harness/"))
  );
}

function findForeignImport(program: Program): { specifier: string; line: number } | null {
  let requireCall: { specifier: string; line: number } | null = null;
  let declaresRequire = false;
  for (const node of nodesOf(program)) {
    const line = node.loc?.start.line ?? 1;
    if (node.type === "ImportDeclaration" && !isCarrier(node.source.value))
      return { specifier: text(node.source), line };
    if ((node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") && node.source) {
      return { specifier: text(node.source), line };
    }
    if (node.type === "ImportExpression") return { specifier: text(node.source), line };
    if (node.type === "CallExpression" && isRequire(node.callee)) {
      requireCall ??= { specifier: node.arguments[0] ? text(node.arguments[0]) : "require", line };
    }
    if (node.type === "VariableDeclarator" || node.type === "FunctionDeclaration")
      declaresRequire ||= isRequire(node.id);
    if ("params" in node) declaresRequire ||= node.params.some(isRequire);
  }
  return declaresRequire ? null : requireCall;
}

function isRequire(node: AnyNode | Node | null | undefined): boolean {
  return node?.type === "Identifier" && (node as { name?: string }).name === "require";
}

function text(node: { type: string }): string {
  return node.type === "Literal" ? String((node as { value?: unknown }).value) : "(computed)";
}

type AnyNode = import("acorn").AnyNode;

/** All nodes, in source order, without recursion: a script may nest deeper than the host's stack. */
function* nodesOf(program: Program): Generator<AnyNode> {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) for (let i = node.length - 1; i >= 0; i -= 1) open.push(node[i]);
    else if (isNode(node)) {
      yield node;
      const parts = Object.values(node).filter((part) => Array.isArray(part) || isNode(part));
      for (const part of parts.reverse()) open.push(part);
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function withoutCarriers(source: string, program: Program): string {
  const carriers = program.body.filter((node) => node.type === "ImportDeclaration");
  let rest = source.startsWith("#!") ? `//${source.slice(2)}` : source;
  // The semicolon keeps the statement before it from running on into the one after it.
  for (const { start, end } of carriers)
    rest = `${rest.slice(0, start)};${blank(rest.slice(start + 1, end))}${rest.slice(end)}`;
  // Imports are bound before any statement runs, so their stand-ins come first, on the first line.
  return carriers.flatMap(bindings).join("") + rest;
}

function blank(removed: string): string {
  return removed.replace(/[^\r\n\u2028\u2029]/g, " ");
}

function bindings(node: ImportDeclaration): string[] {
  return node.specifiers.flatMap((specifier) => {
    const local = specifier.local.name;
    if (specifier.type === "ImportNamespaceSpecifier") return [`const ${local}={defineCodeState:(main)=>main};`];
    if (specifier.type === "ImportDefaultSpecifier") return [];
    const { imported } = specifier;
    const name = imported.type === "Identifier" ? imported.name : imported.value;
    return name === "defineCodeState" ? [`const ${local}=(main)=>main;`] : [];
  });
}

function syntax(reason: string): PreparedScript {
  return { ok: false, kind: "syntax", reason };
}

function syntaxReason(error: unknown, file: string): string {
  const isTooDeep = !(error instanceof SyntaxError) || error.message.startsWith("Not enough stack space");
  if (isTooDeep) return `${file} is nested too deeply to be parsed.`;
  const line = (error as { loc?: { line: number } }).loc?.line;
  const message = error.message.replace(/ \(\d+:\d+\)$/, "");
  return `SyntaxError: ${message} (${line === undefined ? file : `${file}:${line}`})`;
}
