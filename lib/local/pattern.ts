/**
 * EventBridge's event patterns: whether an event matches one. As the service does it: a field matches when any of its
 * values meets any of the list's entries, and the fields below one array element are looked at together.
 * Patterns were checked before (`patternProblem`).
 */
import { BlockList, isIP } from "node:net";

type Test = (value: Scalar, argument: unknown) => boolean;
type Scalar = string | number | boolean | null;

/** Whether the event has every field that the pattern names, with a value it allows. */
export function matchesPattern(pattern: Readonly<Record<string, unknown>>, event: unknown): boolean {
  return matchesBelow(pattern, event, [event]);
}

/**
 * @param value - what is looked at
 * @param all - what stands at this place anywhere in the event: a field is absent where no array element has it
 */
function matchesBelow(pattern: Readonly<Record<string, unknown>>, value: unknown, all: readonly unknown[]): boolean {
  // An array of objects matches by one of its elements, never by fields of several.
  if (Array.isArray(value) && value.length > 0) return value.some((element) => matchesBelow(pattern, element, all));
  return Object.entries(pattern).every(([key, wanted]) => {
    if (key === "$or" && isPatternList(wanted)) return wanted.some((one) => matchesBelow(one, value, all));
    const found = fieldOf(value, key);
    const allFound = all.flatMap(elementsOf).map((element) => fieldOf(element, key));
    if (Array.isArray(wanted)) return wanted.some((entry) => matchesField(entry, found, allFound));
    return matchesBelow(wanted as Record<string, unknown>, found, allFound);
  });
}

function matchesField(entry: unknown, value: unknown, all: readonly unknown[]): boolean {
  if (isObject(entry) && entry.exists === false) return leavesOf(all).length === 0;
  const leaves = leavesOf(value);
  if (isObject(entry) && entry.exists === true) return leaves.length > 0;
  return leaves.some((leaf) => matchesLeaf(entry, leaf));
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function matchesLeaf(entry: unknown, leaf: Scalar): boolean {
  if (!isObject(entry)) return entry === leaf;
  const [[name, argument]] = Object.entries(entry) as [[string, unknown]];
  return TESTS[name]?.(leaf, argument) ?? false;
}

const TESTS: Readonly<Record<string, Test>> = {
  prefix: text((value, wanted) => value.startsWith(wanted)),
  suffix: text((value, wanted) => value.endsWith(wanted)),
  "equals-ignore-case": text((value, wanted) => value.toLowerCase() === wanted.toLowerCase()),
  wildcard: text(matchesWildcard),
  numeric: (value, argument) => typeof value === "number" && matchesNumbers(value, argument as unknown[]),
  cidr: (value, argument) => typeof value === "string" && isInBlock(value, argument as string),
  "anything-but": (value, argument) => !isOneOf(value, argument),
};

/** A test of text with text; `{ "equals-ignore-case": text }` in place of it leaves case out. Numbers are no text. */
function text(test: (value: string, wanted: string) => boolean): Test {
  return (value, argument) => {
    if (typeof value !== "string") return false;
    if (!isObject(argument)) return test(value, argument as string);
    return test(value.toLowerCase(), String(argument["equals-ignore-case"]).toLowerCase());
  };
}

/** What `anything-but` excludes: values, or what meets another comparison with one of a list. */
function isOneOf(value: Scalar, excluded: unknown): boolean {
  if (!isObject(excluded)) return listOf(excluded).includes(value);
  const [[name, arguments_]] = Object.entries(excluded) as [[string, unknown]];
  return listOf(arguments_).some((argument) => TESTS[name]?.(value, argument) ?? false);
}

/** `*` stands for any text; `\*` and `\\` for themselves. */
function matchesWildcard(value: string, wildcard: string): boolean {
  const [first = "", ...rest] = partsOf(wildcard);
  const last = rest.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  const end = value.length - last.length;
  let from = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

/** The fixed texts between the stars. */
function partsOf(wildcard: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (const [token] of wildcard.matchAll(/\\[\\*]|./gs)) {
    if (token === "*") {
      parts.push(part);
      part = "";
    } else part += token.length === 2 && token.startsWith("\\") ? token[1] : token;
  }
  return [...parts, part];
}

function matchesNumbers(value: number, pairs: readonly unknown[]): boolean {
  for (let at = 0; at < pairs.length; at += 2) {
    if (!compares(value, pairs[at] as string, pairs[at + 1] as number)) return false;
  }
  return true;
}

function compares(value: number, comparison: string, bound: number): boolean {
  if (comparison === "=") return value === bound;
  if (comparison === ">") return value > bound;
  if (comparison === ">=") return value >= bound;
  return comparison === "<" ? value < bound : value <= bound;
}

function isInBlock(address: string, block: string): boolean {
  const family = isIP(address);
  const [network = "", bits = ""] = block.split("/");
  if (family === 0 || isIP(network) !== family) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(address, type);
}

/** The values of a field: itself, or an array's at any depth. An object is no value: patterns go below it. */
function leavesOf(value: unknown): Scalar[] {
  return elementsOf(value).filter((one): one is Scalar => one !== undefined && !isObject(one));
}

/** An array's elements at any depth, else the value itself. */
function elementsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elementsOf) : [value];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isPatternList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
