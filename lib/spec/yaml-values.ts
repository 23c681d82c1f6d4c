/** The values of a composed YAML document, with the offset of every key path; aliases are expanded within their limit. */
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import type { DocumentPath, TextFinding } from "./diagnostics.js";
import { setOwn } from "./own.js";

/** W-14: aliases expanded in one file, those inside expanded anchors counted again. */
export const MAX_ALIAS_EXPANSIONS = 100;

/** Offsets of the key (or list item) and of what lies below it, children in document order. */
export interface Positions {
  offset: number;
  children?: Map<string, Positions>;
}

interface Read {
  value: unknown;
  children?: Map<string, Positions>;
}

interface Context {
  document: Document;
  findings: TextFinding[];
  expansions: number;
  open: Set<Node>;
  /** What an anchor was read as, and how many aliases are expanded inside it. */
  anchors: Map<Node, { read: Read; expansions: number }>;
}

/** Thrown at the first alias over the limit, an endless one or one without its anchor; caught in `readValues`. */
class AliasProblem extends Error {
  constructor(readonly finding: TextFinding) {
    super(finding.message);
  }
}

/** Reads the top-level mapping. With an alias problem there is no value. */
export function readValues(
  document: Document,
  root: YAMLMap,
): { findings: TextFinding[]; value?: Record<string, unknown>; positions: Positions } {
  const context: Context = { document, findings: [], expansions: 0, open: new Set(), anchors: new Map() };
  const offset = root.range?.[0] ?? 0;
  try {
    const { value, children } = readNode(root, [], context);
    return { findings: context.findings, value: value as Record<string, unknown>, positions: { offset, children } };
  } catch (error) {
    if (error instanceof AliasProblem) return { findings: [...context.findings, error.finding], positions: { offset } };
    throw error;
  }
}

function readNode(node: unknown, path: DocumentPath, context: Context): Read {
  if (isAlias(node)) return readAlias(node, path, context);
  if (isScalar(node)) return { value: readScalar(node, path, context) };
  if (!isMap(node) && !isSeq(node)) return { value: null };

  context.open.add(node);
  const read = isMap(node) ? readMap(node, path, context) : readSeq(node.items, path, context);
  context.open.delete(node);
  return read;
}

function readMap(map: YAMLMap, path: DocumentPath, context: Context): Read {
  const value = {};
  const children = new Map<string, Positions>();
  for (const pair of map.items) {
    const key = readKey(pair.key, path, context);
    const offset = offsetOfNode(pair.key) ?? offsetOfNode(pair.value) ?? map.range?.[0] ?? 0;
    const keyPath = [...path, key];
    if (children.has(key)) {
      const message = `The key "${key}" is repeated at ${keyPath.join(".")}; keep one of them.`;
      context.findings.push({ code: "file/duplicate-key", path: keyPath, message, offset });
      continue;
    }
    const read = readNode(pair.value, keyPath, context);
    setOwn(value, key, read.value);
    children.set(key, { offset, children: read.children });
  }
  return { value, children };
}

function readSeq(items: readonly unknown[], path: DocumentPath, context: Context): Read {
  const children = new Map<string, Positions>();
  const value = items.map((item, index) => {
    const read = readNode(item, [...path, index], context);
    children.set(String(index), { offset: offsetOfNode(item) ?? 0, children: read.children });
    return read.value;
  });
  return { value, children };
}

function readKey(key: unknown, path: DocumentPath, context: Context): string {
  const node = isAlias(key) ? key.resolve(context.document) : key;
  if (isAlias(key)) countExpansions(1, path, offsetOfNode(key), context);
  if (isScalar(node)) return typeof node.value === "string" ? node.value : (node.source ?? "");
  if (node === null || node === undefined) return "";
  const message = `A key at ${path.join(".") || "the top"} is a list or a mapping; keys are text.`;
  throw new AliasProblem({ code: "file/yaml-syntax", path, message, offset: offsetOfNode(key) });
}

function readAlias(
  alias: Node & { source: string; resolve(document: Document): unknown },
  path: DocumentPath,
  context: Context,
): Read {
  const offset = offsetOfNode(alias);
  countExpansions(1, path, offset, context);
  const target = alias.resolve(context.document) as Node | undefined;
  if (target === undefined) {
    const message = `The alias *${alias.source} has no anchor &${alias.source} before it.`;
    throw new AliasProblem({ code: "file/yaml-syntax", path, message, offset });
  }
  if (context.open.has(target)) {
    const message = `The alias *${alias.source} stands inside its own anchor; it would never end.`;
    throw new AliasProblem({ code: "file/alias-limit", path, message, offset });
  }
  const known = context.anchors.get(target);
  if (known) {
    countExpansions(known.expansions, path, offset, context);
    return known.read;
  }
  const before = context.expansions;
  const found = context.findings.length;
  const read = readNode(target, path, context);
  // The anchor itself has reported them where it stands.
  context.findings.length = found;
  context.anchors.set(target, { read, expansions: context.expansions - before });
  return read;
}

function countExpansions(count: number, path: DocumentPath, offset: number | undefined, context: Context): void {
  context.expansions += count;
  if (context.expansions <= MAX_ALIAS_EXPANSIONS) return;
  const message = `The file expands more than ${MAX_ALIAS_EXPANSIONS} aliases; write the repeated parts out.`;
  throw new AliasProblem({ code: "file/alias-limit", path, message, offset });
}

const INTEGER = /^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;

function readScalar(scalar: Scalar, path: DocumentPath, context: Context): unknown {
  const { value, source } = scalar;
  if (typeof value === "number" && !isInMetadata(path) && isUnsafeInteger(value, source)) {
    const message = `"${path.join(".")}": the integer ${source ?? value} is beyond 2^53 and would lose digits.`;
    context.findings.push({ code: "schema/unsafe-integer", path, message });
  }
  return value ?? null;
}

function isUnsafeInteger(value: number, source: string | undefined): boolean {
  if (source !== undefined && INTEGER.test(source)) return BigInt(source.replace(/^[-+]/, "")) > 2n ** 53n;
  if (!Number.isInteger(value) || Math.abs(value) < 2 ** 53) return false;
  return Math.abs(value) > 2 ** 53 || (source !== undefined && digitsOf(source) > String(2 ** 53));
}

/** The significant digits: of numbers that are read as the same one, more digits or higher ones are the larger number. */
function digitsOf(source: string): string {
  return source
    .replace(/e.*$/i, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "");
}

function isInMetadata(path: DocumentPath): boolean {
  return path[0] === "metadata" || (path[0] === "states" && path[2] === "metadata");
}

function offsetOfNode(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] | null } | null | undefined)?.range?.[0];
}
