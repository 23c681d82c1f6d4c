/** From a script file to what the engine evaluates: imports checked and removed, lines kept (R-151, R-310, R-311, W-284). */

import type { ImportDeclaration, Node, Options, Program } from "acorn";

/** Bounds the time the parser may hold the host's thread: about 0.2 s. */
export const MAX_SOURCE_CHARS = 1_000_000;

export type PreparedScript = { ok: true; source: string } | Refused;

interface Refused {
  ok: false;
  kind: "syntax" | "import";
  reason: string;
}

/**
 * Parses a code state's script and removes its type-carrier imports, line count preserved.
 *
 * Fails with `syntax` for what does not parse as an ES module and with `import` for any other import, `export … from`,
 * `import()` or `require()`; the reason names the specifier and the line.
 */
export async function prepareScript(source: string, file: string): Promise<PreparedScript> {
  const parsed = await parseScript(source, file, { sourceType: "module" });
  return parsed.ok ? { ok: true, source: rewritten(source, parsed.program, { binding: "const", edits: [] }) } : parsed;
}

/**
 * Parses what a REPL evaluates: a script with top-level await. Carrier imports are removed as in a code state's script,
 * and what it declares at the top level becomes `var`, so that a later evaluation can declare it again (R-311).
 */
export async function prepareEvaluation(source: string, file: string): Promise<PreparedScript> {
  const parsed = await parseScript(source, file, {
    sourceType: "script",
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
  });
  if (!parsed.ok) return parsed;
  const { body } = parsed.program;
  const exported = body.find((node) => node.type.startsWith("Export"));
  if (exported) {
    const where = `${file}:${exported.loc?.start.line ?? 1}`;
    return syntax(
      `SyntaxError: This script exports nothing: its result is the value of its last expression (${where})`,
    );
  }
  const edits = body.flatMap(redeclarable);
  return { ok: true, source: rewritten(source, parsed.program, { binding: "var", edits }) };
}

type ParsedScript = { ok: true; program: Program } | Refused;

async function parseScript(source: string, file: string, options: Omit<Options, "ecmaVersion">): Promise<ParsedScript> {
  if (source.length > MAX_SOURCE_CHARS) {
    return syntax(`${file} has ${source.length} characters; a script may have ${MAX_SOURCE_CHARS}.`);
  }
  const { parse } = await import("acorn");
  let program: Program;
  try {
    program = parse(source, { ecmaVersion: "latest", locations: true, allowHashBang: true, ...options });
  } catch (error) {
    return syntax(syntaxReason(error, file));
  }
  const foreign = findForeignImport(program);
  if (foreign !== null)
    return { ok: false, kind: "import", reason: importReason(foreign.specifier, file, foreign.line) };
  return { ok: true, program };
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

/** Text put in place of `source.slice(start, end)`. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The source without its carrier imports, what they bind declared with `binding`, and with further edits made. */
function rewritten(
  source: string,
  program: Program,
  { binding, edits: more }: { binding: "const" | "var"; edits: readonly Edit[] },
): string {
  const carriers = program.body.filter((node) => node.type === "ImportDeclaration");
  const hashbang = source.startsWith("#!") ? [{ start: 0, end: 2, text: "//" }] : [];
  // The semicolon keeps the statement before it from running on into the one after it.
  const removed = carriers.map(({ start, end }) => ({ start, end, text: `;${blank(source.slice(start + 1, end))}` }));
  const edits: Edit[] = [...hashbang, ...removed, ...more].sort((a, b) => a.start - b.start);
  let rest = "";
  let at = 0;
  for (const { start, end, text } of edits) {
    rest += source.slice(at, start) + text;
    at = end;
  }
  // Imports are bound before any statement runs, so their stand-ins come first, on the first line.
  return carriers.flatMap((node) => bindings(node, binding)).join("") + rest + source.slice(at);
}

/** A `let`, `const` or `class` of the top level as a `var` that begins anew. */
function redeclarable(node: Program["body"][number]): Edit[] {
  if (node.type === "ClassDeclaration") {
    const { start, end } = node;
    return [
      { start, end: start, text: `var ${node.id.name}=` },
      { start: end, end, text: ";" },
    ];
  }
  if (node.type !== "VariableDeclaration" || (node.kind !== "let" && node.kind !== "const")) return [];
  const keyword = { start: node.start, end: node.start + node.kind.length, text: "var" };
  const unset = node.declarations.filter(({ init }) => !init);
  return [keyword, ...unset.map(({ id: { end } }) => ({ start: end, end, text: "=void 0" }))];
}

function blank(removed: string): string {
  return removed.replace(/[^\r\n\u2028\u2029]/g, " ");
}

function bindings(node: ImportDeclaration, binding: string): string[] {
  return node.specifiers.flatMap((specifier) => {
    const local = specifier.local.name;
    if (specifier.type === "ImportNamespaceSpecifier") return [`${binding} ${local}={defineCodeState:(main)=>main};`];
    if (specifier.type === "ImportDefaultSpecifier") return [];
    const { imported } = specifier;
    const name = imported.type === "Identifier" ? imported.name : imported.value;
    return name === "defineCodeState" ? [`${binding} ${local}=(main)=>main;`] : [];
  });
}

function syntax(reason: string): Refused {
  return { ok: false, kind: "syntax", reason };
}

function syntaxReason(error: unknown, file: string): string {
  const isTooDeep = !(error instanceof SyntaxError) || error.message.startsWith("Not enough stack space");
  if (isTooDeep) return `${file} is nested too deeply to be parsed.`;
  const line = (error as { loc?: { line: number } }).loc?.line;
  const message = error.message.replace(/ \(\d+:\d+\)$/, "");
  return `SyntaxError: ${message} (${line === undefined ? file : `${file}:${line}`})`;
}
