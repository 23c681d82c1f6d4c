/** The scripts of code states: there, a module with a default export, importing types only (W-283, W-284). */
import { type AnyNode, type Program, parse } from "acorn";
import type { MachineState } from "../../machine/types.js";
import { workflowPaths } from "../../spec/index.js";
import { type Pass, type Position, quote } from "./subject.js";

/** The runtime refuses to parse more (S-92); about 0.2 s of parsing. */
const MAX_SOURCE_CHARS = 1_000_000;

export async function checkScript({ subject, files, report }: Pass, state: MachineState): Promise<void> {
  if (state.type !== "code" || state.spec.script === undefined) return;
  const path = ["states", state.slug, "script"];
  const file = `${workflowPaths(subject.workflow).root}/${state.spec.script}`;
  const source = await files.read(file);
  if (source === null) {
    report({ code: "code/script-missing", path, message: `${quote(state.spec.script)} is not there; create ${file}.` });
    return;
  }
  const parsed = parseModule(source);
  if ("fault" in parsed) {
    report(
      { code: "code/script-syntax", path, message: `${file} is no JavaScript module: ${parsed.fault}` },
      { file, ...parsed.position },
    );
    return;
  }
  for (const { specifier, position } of foreignImports(parsed.program)) {
    report(
      {
        code: "code/foreign-import",
        path,
        message: `${file} imports ${quote(specifier)}; a script may import types from parkway/sandbox and nothing else.`,
        hint: "Use the tools the script is given.",
      },
      { file, ...position },
    );
  }
  if (!hasDefaultExport(parsed.program)) {
    report(
      {
        code: "code/no-default-export",
        path,
        message: `${file} has no default export; write "export default async function ({ variables, tools }) { … }".`,
      },
      { file, line: 1, column: 1 },
    );
  }
}

function parseModule(source: string): { program: Program } | { fault: string; position?: Position } {
  if (source.length > MAX_SOURCE_CHARS) {
    return { fault: `it has ${source.length} characters, a script may have ${MAX_SOURCE_CHARS}` };
  }
  try {
    const text = source.replace(/^\uFEFF/, "");
    return {
      program: parse(text, { ecmaVersion: "latest", sourceType: "module", locations: true, allowHashBang: true }),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { fault: "it is nested too deeply to be parsed" };
    const { loc } = error as SyntaxError & { loc?: { line: number; column: number } };
    return {
      fault: error.message.replace(/ \(\d+:\d+\)$/, ""),
      ...(loc === undefined ? {} : { position: { line: loc.line, column: loc.column + 1 } }),
    };
  }
}

function foreignImports(program: Program): { specifier: string; position: Position }[] {
  const found: { specifier: string; position: Position }[] = [];
  const requires: typeof found = [];
  let declaresRequire = false;
  for (const node of nodesOf(program)) {
    const at = { line: node.loc?.start.line ?? 1, column: (node.loc?.start.column ?? 0) + 1 };
    if (node.type === "ImportDeclaration" && !isTypeCarrier(node.source.value)) {
      found.push({ specifier: textOf(node.source), position: at });
    } else if ((node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") && node.source) {
      found.push({ specifier: textOf(node.source), position: at });
    } else if (node.type === "ImportExpression") {
      found.push({ specifier: textOf(node.source), position: at });
    } else if (node.type === "CallExpression" && isRequire(node.callee)) {
      requires.push({ specifier: node.arguments[0] ? textOf(node.arguments[0]) : "require", position: at });
    } else if (node.type === "VariableDeclarator" || node.type === "FunctionDeclaration") {
      declaresRequire ||= isRequire(node.id);
    }
    if ("params" in node) declaresRequire ||= node.params.some(isRequire);
  }
  // A script's own function of that name imports nothing.
  return declaresRequire ? found : [...found, ...requires];
}

function isTypeCarrier(specifier: unknown): boolean {
  return specifier === "parkway/sandbox" || /^@archmax-ai\/harness\//.test(String(specifier));
}

function isRequire(node: { type: string; name?: unknown } | null | undefined): boolean {
  return node?.type === "Identifier" && (node as { name?: unknown }).name === "require";
}

function textOf(node: { type: string; value?: unknown }): string {
  return node.type === "Literal" ? String(node.value) : "(computed)";
}

function hasDefaultExport(program: Program): boolean {
  return program.body.some(
    (node) =>
      node.type === "ExportDefaultDeclaration" ||
      (node.type === "ExportNamedDeclaration" &&
        node.source == null &&
        node.specifiers.some(
          ({ exported }) => (exported.type === "Identifier" ? exported.name : exported.value) === "default",
        )),
  );
}

/** All nodes in source order, with a stack of its own: a script may nest deeper than the host's. */
function* nodesOf(program: Program): Generator<AnyNode> {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) open.push(...node.toReversed());
    else if (isNode(node)) {
      yield node;
      open.push(
        ...Object.values(node)
          .filter((part) => Array.isArray(part) || isNode(part))
          .reverse(),
      );
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
