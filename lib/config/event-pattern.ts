/** The shape of EventBridge event patterns: what the service would refuse at deployment is told here. */

export interface PatternProblem {
  /** Keys from the pattern's root. */
  path: (string | number)[];
  reason: string;
}

type Test = (value: unknown) => string | null;

const texts = (value: unknown) => asList(value).every((item) => typeof item === "string");
const isText: Test = (value) => (typeof value === "string" ? null : "must be text");

/** `prefix` and `suffix`: text, or text without regard to case. */
const affix: Test = (value) =>
  typeof value === "string" ||
  (isObject(value) && isOnly(value, "equals-ignore-case") && isText(value["equals-ignore-case"]) === null)
    ? null
    : `must be text or { "equals-ignore-case": text }`;

const wildcard: Test = (value) => {
  if (typeof value !== "string") return "must be text";
  return /(?<!\\)\*\*/.test(value) ? "must not have two * in a row" : null;
};

const OPERATORS: Readonly<Record<string, Test>> = {
  prefix: affix,
  suffix: affix,
  "equals-ignore-case": isText,
  wildcard,
  exists: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  cidr: (value) =>
    typeof value === "string" && /^[0-9a-fA-F:.]+\/\d{1,3}$/.test(value) ? null : "must be a block such as 10.0.0.0/24",
  numeric: numericProblem,
  "anything-but": anythingButProblem,
};

/** F-75: a pattern that does not say whose event and which one it means would fire for strangers' events. */
const NAMED = ["source", "detail-type"];

/** The first thing wrong with a pattern, or null. */
export function patternProblem(pattern: unknown): PatternProblem | null {
  if (!isObject(pattern)) return { path: [], reason: "must be an event pattern, as EventBridge writes it" };
  for (const key of NAMED) {
    if (!Object.hasOwn(pattern, key)) return { path: [], reason: `must name "${key}", such as { "${key}": ["…"] }` };
  }
  return objectProblem(pattern, []);
}

function objectProblem(pattern: Record<string, unknown>, path: (string | number)[]): PatternProblem | null {
  const entries = Object.entries(pattern);
  if (entries.length === 0) return { path, reason: "must name at least one field" };
  for (const [key, value] of entries) {
    const at = [...path, key];
    const problem = key === "$or" ? orProblem(value, at) : fieldProblem(value, at);
    if (problem) return problem;
  }
  return null;
}

function orProblem(value: unknown, path: (string | number)[]): PatternProblem | null {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isObject)) {
    return { path, reason: "must be a list of at least two patterns" };
  }
  for (const [index, item] of value.entries()) {
    const problem = objectProblem(item, [...path, index]);
    if (problem) return problem;
  }
  return null;
}

function fieldProblem(value: unknown, path: (string | number)[]): PatternProblem | null {
  if (isObject(value)) return objectProblem(value, path);
  if (!Array.isArray(value) || value.length === 0) {
    return { path, reason: "must be a list of what the field may be, or a mapping of fields below it" };
  }
  for (const [index, item] of value.entries()) {
    const reason = itemProblem(item);
    if (reason) return { path: [...path, index], reason };
  }
  return null;
}

function itemProblem(item: unknown): string | null {
  if (isScalar(item)) return null;
  if (!isObject(item)) return "must be text, a number, true, false, null or a comparison such as { prefix: … }";
  const [name, ...more] = Object.keys(item);
  const test = name === undefined ? undefined : own(OPERATORS, name);
  if (name === undefined || test === undefined || more.length > 0) {
    return `must be one comparison of ${Object.keys(OPERATORS).join(", ")}`;
  }
  const reason = test(item[name]);
  return reason ? `has a "${name}" that ${reason}` : null;
}

const BUT: Readonly<Record<string, Test>> = {
  prefix: (value) => (texts(value) ? null : "must be text or a list of texts"),
  suffix: (value) => (texts(value) ? null : "must be text or a list of texts"),
  "equals-ignore-case": (value) => (texts(value) ? null : "must be text or a list of texts"),
  wildcard: (value) => asList(value).reduce<string | null>((found, item) => found ?? wildcard(item), null),
};

function anythingButProblem(value: unknown): string | null {
  if (isObject(value)) {
    const [name, ...more] = Object.keys(value);
    const test = name === undefined ? undefined : own(BUT, name);
    if (!test || more.length > 0) return `must hold one of ${Object.keys(BUT).join(", ")}`;
    return asList(value[name!]).length === 0 ? "must not be empty" : test(value[name!]);
  }
  const list = asList(value);
  const fits = list.length > 0 && list.every((item) => typeof item === "string" || typeof item === "number");
  return fits ? null : "must be text, a number, a list of those, or { prefix: … } and its like";
}

function numericProblem(value: unknown): string | null {
  const says = `must be pairs of a comparison and a number, such as [">", 0, "<=", 5]`;
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 4)) return says;
  const [first, low, second, high] = value;
  if (typeof low !== "number" || !["=", ">", ">=", "<", "<="].includes(first)) return says;
  if (value.length === 2) return null;
  const isRange = [">", ">="].includes(first) && ["<", "<="].includes(second) && typeof high === "number";
  return isRange && low < high ? null : says;
}

function own<T>(mapping: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isOnly(value: Record<string, unknown>, key: string): boolean {
  return Object.keys(value).length === 1 && Object.hasOwn(value, key);
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
