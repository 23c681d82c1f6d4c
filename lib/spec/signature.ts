/** Trigger signatures: the normalised entry, and everything derived from it (W-129…W-131, H-118…H-120). */

import { isVariableName } from "./names.js";
import { isMapping, own } from "./own.js";
import {
  compilePattern,
  parseSize,
  ruleAppliesTo,
  ruleValueProblem,
  SIGNATURE_CONTENTS,
  SIGNATURE_RULES,
  type SignatureRule,
} from "./signature-rules.js";
import { compareInstants, conformsToFormat, conformsToType, type Instant, instantOf } from "./signature-types.js";
import {
  SIGNATURE_TYPES,
  type Signature,
  type SignatureEntry,
  type SignatureType,
  type WorkflowSpec,
} from "./types.js";

/** Why a turn would be refused for one variable: it is missing, or its value breaks type or rule (H-120). */
export type SignatureIssue =
  | { kind: "missing"; name: string; message: string }
  | {
      kind: "invalid";
      name: string;
      type: SignatureType;
      /** The kind of value that arrived: `null`, `array`, `string`, … */
      found: string;
      /** The first broken rule; absent for a value of the wrong type. */
      rule?: SignatureRule;
      message: string;
    };

/**
 * A `requires` or `returns` list with both spellings of an entry as one shape, in order: `maxSize` in bytes,
 * descriptions trimmed, `today` and `now` kept. Unreadable items and rules are skipped.
 */
export function normalizeSignature(list: unknown): SignatureEntry[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): SignatureEntry[] => {
    const authored = typeof item === "string" ? { name: item } : item;
    if (!isMapping(authored)) return [];
    const name = own(authored, "name");
    if (typeof name !== "string" || !isVariableName(name)) return [];
    const type = SIGNATURE_TYPES.find((known) => known === own(authored, "type"));
    if (own(authored, "type") !== undefined && type === undefined) return [];

    const entry: SignatureEntry = { name, ...(type && { type }) };
    const description = own(authored, "description");
    if (typeof description === "string" && description.trim() !== "") entry.description = description.trim();
    for (const rule of SIGNATURE_RULES) {
      const value = own(authored, rule);
      if (value === undefined || type === undefined || !ruleAppliesTo(rule, type)) continue;
      if (ruleValueProblem(rule, type, value) !== undefined) continue;
      Object.assign(entry, { [rule]: rule === "maxSize" ? parseSize(value) : value });
    }
    return [entry];
  });
}

/** What a trigger takes and gives back; undefined when no state declares the id. */
export function signatureForTrigger(spec: WorkflowSpec, id: string): Signature | undefined {
  for (const state of Object.values(spec.states)) {
    if (!state?.triggers || !Object.hasOwn(state.triggers, id)) continue;
    const declaration = state.triggers[id] ?? {};
    const description = declaration.description?.trim();
    return {
      ...(description && { description }),
      requires: normalizeSignature(declaration.requires),
      returns: normalizeSignature(declaration.returns),
    };
  }
  return undefined;
}

/** The JSON Schema of a map that holds every entry (W-130). */
export function signatureJsonSchema(entries: readonly SignatureEntry[]): {
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required: string[];
} {
  return {
    type: "object",
    properties: Object.fromEntries(entries.map((entry) => [entry.name, entryJsonSchema(entry)])),
    required: entries.map((entry) => entry.name),
  };
}

/**
 * What a turn boundary would refuse about a map of variables: at most one issue an entry, in declaration order (W-131).
 *
 * @param options.now - what `today` and `now` stand for; defaults to the moment of the call
 */
export function signatureValueIssues(
  entries: readonly SignatureEntry[],
  values: Readonly<Record<string, unknown>>,
  options: { now?: Date | number } = {},
): SignatureIssue[] {
  const now = new Date(options.now ?? Date.now());
  return entries.flatMap((entry): SignatureIssue[] => {
    const { name, type } = entry;
    const value = own(values, name);
    if (value === undefined) {
      const expected = type ? ` (${type})` : "";
      return [{ kind: "missing", name, message: `"${name}"${expected} is not set.` }];
    }
    if (type === undefined) return [];
    const found = kindOf(value);
    if (!conformsToType(type, value)) {
      return [{ kind: "invalid", name, type, found, message: `"${name}" must be of type ${type}; got ${found}.` }];
    }
    const rule = SIGNATURE_RULES.find((candidate) => !holds(candidate, entry, value, now));
    if (rule === undefined) return [];
    const message = `"${name}" (${type}) breaks its rule ${rule}: ${JSON.stringify(entry[rule])}; got ${arrived(type, value)}.`;
    return [{ kind: "invalid", name, type, found, rule, message }];
  });
}

function entryJsonSchema(entry: SignatureEntry): Record<string, unknown> {
  const described = entry.description === undefined ? {} : { description: entry.description };
  const { type } = entry;
  if (type === undefined) return described;
  if (type === "date" || type === "date-time" || type === "file") return { type: "string", format: type, ...described };

  const schema: Record<string, unknown> = { type };
  if (entry.format === "email") schema.format = "email";
  if (entry.format === "url") schema.format = "uri";
  const patterns = [FORMAT_PATTERNS[entry.format ?? ""], entry.pattern].filter((pattern) => pattern !== undefined);
  if (patterns.length === 1) schema.pattern = patterns[0];
  if (patterns.length === 2) schema.allOf = patterns.map((pattern) => ({ pattern }));
  for (const rule of COPIED_RULES) if (entry[rule] !== undefined) schema[rule] = entry[rule];
  if (entry.content !== undefined) schema.contentMediaType = SIGNATURE_CONTENTS[entry.content];
  return { ...schema, ...described };
}

const FORMAT_PATTERNS: Readonly<Record<string, string>> = { phone: "^\\+[1-9]\\d{1,14}$", url: "^https?://" };
const COPIED_RULES = ["minLength", "maxLength", "enum", "minimum", "maximum", "minItems", "maxItems"] as const;

/** Whether a value of the entry's type keeps one rule; `maxSize` is held where the file can be looked at. */
function holds(rule: SignatureRule, entry: SignatureEntry, value: unknown, now: Date): boolean {
  if (entry[rule] === undefined) return true;
  const text = value as string;
  switch (rule) {
    case "format":
      return conformsToFormat(entry.format!, text);
    case "pattern":
      return compilePattern(entry.pattern!)?.matcher(text).find() ?? false;
    case "minLength":
      return [...text].length >= entry.minLength!;
    case "maxLength":
      return [...text].length <= entry.maxLength!;
    case "enum":
      return entry.enum!.includes(text);
    case "minimum":
      return compareToBound(value, entry.minimum!, entry.type!, now) >= 0;
    case "maximum":
      return compareToBound(value, entry.maximum!, entry.type!, now) <= 0;
    case "minItems":
      return (value as unknown[]).length >= entry.minItems!;
    case "maxItems":
      return (value as unknown[]).length <= entry.maxItems!;
    case "accept":
      return entry.accept!.some((extension) => text.toLowerCase().endsWith(extension.toLowerCase()));
    case "content":
    case "maxSize":
      return true;
  }
}

function compareToBound(value: unknown, bound: number | string, type: SignatureType, now: Date): number {
  if (type === "date") {
    const day = bound === "today" ? now.toISOString().slice(0, 10) : (bound as string);
    return (value as string) < day ? -1 : (value as string) > day ? 1 : 0;
  }
  if (type === "date-time") {
    const limit = instantOf(bound === "now" ? now.toISOString() : (bound as string)) as Instant;
    return compareInstants(instantOf(value as string) as Instant, limit);
  }
  return (value as number) - (bound as number);
}

/** What came, for whoever sent it; of a text its length alone, since reasons are stored and logged (W-132). */
function arrived(type: SignatureType, value: unknown): string {
  if (type === "string") return `a text of ${[...(value as string)].length} characters`;
  if (type === "array") return `a list of ${(value as unknown[]).length}`;
  return typeof value === "string" ? JSON.stringify(value.slice(0, 200)) : String(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
