/**
 * From text to plain values with positions: YAML 1.2 core, one document, limits decided before parsing (W-9…W-15, F-93).
 */
import { Composer, CST, type Document, isMap, Lexer, LineCounter, Parser, type YAMLMap } from "yaml";
import type { DocumentPath, TextFinding } from "./diagnostics.js";
import { MAX_NESTING_LEVELS } from "./limits.js";
import type { LocatePath } from "./types.js";
import { type Positions, readValues } from "./yaml-values.js";

/** W-15. */
export const MAX_DOCUMENT_BYTES = 2 ** 20;

const YAML_OPTIONS = {
  schema: "core",
  version: "1.2",
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
} as const;

export interface YamlText {
  findings: TextFinding[];
  /** The top-level mapping; undefined when a finding says why there is none. */
  document?: Record<string, unknown>;
  positions?: Positions;
  locate: LocatePath;
  /** 1-based. */
  lineAndColumn(offset: number): { line: number; column: number };
}

/** Reads the text of one `workflow.yaml`. Never throws for what a text can hold. */
export function readYamlText(authored: string): YamlText {
  const text = authored.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  const lineAndColumn = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const refused = (...findings: TextFinding[]): YamlText => ({
    findings,
    locate: () => undefined,
    lineAndColumn,
  });

  const size = new TextEncoder().encode(text).length;
  if (size > MAX_DOCUMENT_BYTES) {
    return refused(
      atRoot("file/too-large", `The file has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} (1 MiB) are read.`),
    );
  }
  const syntax = concreteSyntax(text);
  if ("tooDeepAt" in syntax) {
    const message = `The file is nested deeper than ${MAX_NESTING_LEVELS} levels here.`;
    return refused({ ...atRoot("file/too-deep", message), offset: syntax.tooDeepAt });
  }
  const composer = new Composer(YAML_OPTIONS);
  const documents = [...composer.compose(syntax.tokens, true, text.length)];
  const problem = syntaxProblem(documents);
  if (problem) return refused(problem);
  const parsed = documents[0]!;
  if (!isMap(parsed.contents)) {
    const message = "The file must hold a mapping with the key `states`; it is empty, a single value or a list.";
    return refused(atRoot("file/not-a-mapping", message));
  }

  const { findings, value, positions } = readValues(parsed as Document, parsed.contents as YAMLMap);
  const locate: LocatePath = (path) => lineAndColumn(offsetOf(positions, path));
  return { findings, document: value, positions, locate, lineAndColumn };
}

/** Offset of a path's key, or of its nearest parent that exists. */
export function offsetOf(positions: Positions, path: DocumentPath): number {
  let node = positions;
  for (const segment of path) {
    const child = node.children?.get(String(segment));
    if (!child) break;
    node = child;
  }
  return node.offset;
}

function atRoot(code: TextFinding["code"], message: string): TextFinding {
  return { code, path: [], message, offset: 0 };
}

/**
 * The concrete syntax, or the offset at which it gets too deep. The parser keeps its open collections in a list, so that
 * no depth can exhaust the stack, and is stopped before the recursive composer sees them.
 */
function concreteSyntax(text: string): { tokens: CST.Token[] } | { tooDeepAt: number } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length <= MAX_NESTING_LEVELS) continue;
    const open = parser.stack.filter((token) => CST.isCollection(token));
    if (open.length > MAX_NESTING_LEVELS) return { tooDeepAt: open[MAX_NESTING_LEVELS]!.offset };
  }
  tokens.push(...parser.end());
  return { tokens };
}

/** The first thing that keeps the text from being one document; later ones mostly follow from it. */
function syntaxProblem(documents: readonly Document[]): TextFinding | undefined {
  const [document, second] = documents;
  const error = document?.errors.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
  const tag = document?.warnings.find((warning) => warning.code === "TAG_RESOLVE_FAILED");
  if (error || tag) {
    const { message, pos } = (error ?? tag)!;
    const explained = error ? message : `${message}; custom tags are not read`;
    return { code: "file/yaml-syntax", path: [], message: `This is not YAML 1.2: ${explained}.`, offset: pos[0] };
  }
  if (!second) return undefined;
  const message = "The file must hold exactly one document: remove what follows from the second `---` or the `...` on.";
  return { code: "file/multiple-documents", path: [], message, offset: second.range?.[0] ?? 0 };
}
