/**
 * EventBridge's event patterns (user guide, "Creating Amazon EventBridge event patterns" and "Comparison operators"): a
 * pattern names fields, each with a list of which one has to match; a field not named does not matter.
 */
import { BlockList, isIP } from "node:net";

export type EventPattern = Readonly<Record<string, unknown>>;

/** A pattern that EventBridge would not take. */
export class InvalidPatternError extends Error {
  override readonly name = "InvalidEventPatternException";
}

/** @throws {InvalidPatternError} */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  if (!isObject(pattern) || Object.keys(pattern).length === 0) throw new InvalidPatternError("The pattern is empty.");
  return matchesObject(pattern, event);
}

function matchesObject(pattern: Record<string, unknown>, value: unknown): boolean {
  // Every field is looked at, so that what is wrong is found whatever the event holds.
  return Object.entries(pattern)
    .map(([field, expected]) => {
      if (field === "$or" && Array.isArray(expected)) return matchesAny(expected, value);
      return matchesField(expected, isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined);
    })
    .every(Boolean);
}

function matchesAny(alternatives: unknown[], value: unknown): boolean {
  if (alternatives.length < 2 || !alternatives.every(isObject)) {
    throw new InvalidPatternError("$or takes a list of two patterns at least.");
  }
  return alternatives.map((pattern) => matchesObject(pattern as Record<string, unknown>, value)).some(Boolean);
}

function matchesField(expected: unknown, found: unknown): boolean {
  if (isObject(expected)) {
    if (Object.keys(expected).length === 0) throw new InvalidPatternError("Empty objects are not allowed.");
    // An array of objects matches where one of them does.
    return Array.isArray(found)
      ? found.map((one) => matchesObject(expected, one)).some(Boolean) || matchesObject(expected, undefined)
      : matchesObject(expected, found);
  }
  if (!Array.isArray(expected)) throw new InvalidPatternError("A field's pattern has to be an object or a list.");
  if (expected.length === 0) throw new InvalidPatternError("Empty lists are not allowed.");
  return expected.map((one) => matchesRule(one, found)).some(Boolean);
}

function matchesRule(rule: unknown, found: unknown): boolean {
  if (!isObject(rule)) return leavesOf(found).some((leaf) => leaf === rule);
  const entries = Object.entries(rule);
  const [name, argument] = entries[0] ?? [];
  const compare = entries.length === 1 && name !== undefined ? OPERATORS[name] : undefined;
  if (!compare) throw new InvalidPatternError(`Unrecognized match type ${entries.map(([key]) => key).join(", ")}.`);
  return compare(argument, found);
}

type Compare = (argument: unknown, found: unknown) => boolean;

const OPERATORS: Record<string, Compare> = {
  prefix: (argument, found) => textCompare("prefix", argument, found, (text, part) => text.startsWith(part)),
  suffix: (argument, found) => textCompare("suffix", argument, found, (text, part) => text.endsWith(part)),
  "equals-ignore-case": (argument, found) => {
    const wanted = asText("equals-ignore-case", argument).toLowerCase();
    return textsOf(found).some((text) => text.toLowerCase() === wanted);
  },
  wildcard: (argument, found) => {
    const expression = wildcard(asText("wildcard", argument));
    return textsOf(found).some((text) => expression.test(text));
  },
  "anything-but": anythingBut,
  numeric: (argument, found) => {
    const isWithin = numericRange(argument);
    return leavesOf(found).some((leaf) => typeof leaf === "number" && isWithin(leaf));
  },
  // Only leaves exist: an object under this name does not count (user guide, "Exists matching").
  exists: (argument, found) => {
    if (typeof argument !== "boolean") throw new InvalidPatternError("exists takes true or false.");
    return leavesOf(found).length > 0 === argument;
  },
  cidr: (argument, found) => {
    const block = blockOf(asText("cidr", argument));
    return textsOf(found).some((text) => isIP(text) !== 0 && block.check(text, isIP(text) === 6 ? "ipv6" : "ipv4"));
  },
};

/** `prefix` and `suffix`, plain or as `{ "equals-ignore-case": … }`. */
function textCompare(
  name: string,
  argument: unknown,
  found: unknown,
  compare: (text: string, part: string) => boolean,
): boolean {
  if (isObject(argument)) {
    const part = asText(name, argument["equals-ignore-case"]).toLowerCase();
    return textsOf(found).some((text) => compare(text.toLowerCase(), part));
  }
  const part = asText(name, argument);
  return textsOf(found).some((text) => compare(text, part));
}

/** A field has to be there, and none of what is named may be it. */
function anythingBut(argument: unknown, found: unknown): boolean {
  const leaves = leavesOf(found);
  if (isObject(argument)) {
    const [[name, values] = ["", undefined]] = Object.entries(argument);
    const compare = ["prefix", "suffix", "wildcard", "equals-ignore-case"].includes(name) ? OPERATORS[name] : undefined;
    if (!compare) throw new InvalidPatternError(`anything-but does not take ${name}.`);
    const named = [values].flat();
    return leaves.some((leaf) => !named.some((value) => compare(value, leaf)));
  }
  const values = [argument].flat();
  if (values.length === 0 || !values.every((value) => ["string", "number"].includes(typeof value))) {
    throw new InvalidPatternError("anything-but takes texts or numbers.");
  }
  return leaves.some((leaf) => !values.includes(leaf));
}

const COMPARISONS: Record<string, (found: number, bound: number) => boolean> = {
  "=": (found, bound) => found === bound,
  "<": (found, bound) => found < bound,
  "<=": (found, bound) => found <= bound,
  ">": (found, bound) => found > bound,
  ">=": (found, bound) => found >= bound,
};

function numericRange(argument: unknown): (found: number) => boolean {
  if (!Array.isArray(argument) || ![2, 4].includes(argument.length)) {
    throw new InvalidPatternError("numeric takes one comparison or two.");
  }
  const pairs = argument.length === 2 ? [argument] : [argument.slice(0, 2), argument.slice(2)];
  const checks = pairs.map(([sign, bound]) => {
    const compare = COMPARISONS[String(sign)];
    if (!compare || typeof bound !== "number") throw new InvalidPatternError(`numeric does not take ${sign} ${bound}.`);
    return (found: number) => compare(found, bound);
  });
  return (found) => checks.every((check) => check(found));
}

function wildcard(text: string): RegExp {
  if (text.includes("**")) throw new InvalidPatternError("Consecutive wildcards are not allowed.");
  const source = text.replace(/\\([*\\])|\*|[.+?^${}()|[\]\\]/g, (part, escaped?: string) =>
    escaped !== undefined ? `\\${escaped}` : part === "*" ? ".*" : `\\${part}`,
  );
  return new RegExp(`^${source}$`, "s");
}

function blockOf(text: string): BlockList {
  const [address = "", bits = ""] = text.split("/");
  const family = isIP(address);
  if (family === 0 || !/^\d+$/.test(bits)) throw new InvalidPatternError(`${text} is no CIDR.`);
  const block = new BlockList();
  block.addSubnet(address, Number(bits), family === 6 ? "ipv6" : "ipv4");
  return block;
}

/** The values that a list of rules is held against: of an array, each of its values. */
function leavesOf(found: unknown): (string | number | boolean | null)[] {
  const values = Array.isArray(found) ? found : [found];
  return values.filter((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
}

function textsOf(found: unknown): string[] {
  return leavesOf(found).filter((leaf) => typeof leaf === "string");
}

function asText(name: string, argument: unknown): string {
  if (typeof argument !== "string") throw new InvalidPatternError(`${name} takes a text.`);
  return argument;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
