/** Fuzz of `${{…}}` against a model: what substitution yields, and what a guard with a value in it matches (W-154…W-160). */
import * as fc from "fast-check";
import { expect } from "vitest";
import { prepareEntry } from "../../lib/kernel/guards.js";
import { substituteReferences } from "../../lib/spec/index.js";
import { modelGlob, modelMatches, ofValue } from "./glob-model.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";

const SEGMENTS = "a b order id 0 1 -1 -2 -0 01 length constructor __proto__ toString".split(" ");
const name = fc.constantFrom("a", "order", "list", "t_1", "trigger", "constructor", "__proto__", "missing");
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "x",
    "*",
    "${{a}}",
    "}}",
    "$",
    "a/b",
    "../x",
    0,
    -1.5,
    1e21,
    true,
    false,
    null,
    undefined,
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...SEGMENTS), tie("value"), { maxKeys: 4 }) },
  ),
}));
const variables = fc.dictionary(name, value, { maxKeys: 6 });
const inner = fc.oneof(
  fc
    .tuple(name, fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 3 }), fc.constantFrom("", " ", "\t"))
    .map(([first, rest, blank]) => blank + [first, ...rest].join(".") + blank),
  fc.constantFrom("", " ", ".", "a.", ".a", "a..b", "A", "From-Email", "a b", "1a", "${{a", "{a}", "a}"),
);
const piece = fc.oneof(
  { weight: 3, arbitrary: inner.map((text) => `\${{${text}}}`) },
  { weight: 1, arbitrary: inner.map((text) => `$\${{${text}}}`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("$", "{", "}", "{{", "}}", "${", "${{", "$${{", "text", " ", "é", "\uD800", "*"),
  },
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const { argument } = fc.letrec<{ argument: unknown }>((tie) => ({
  argument: fc.oneof(
    { depthSize: "small" },
    { weight: 4, arbitrary: text },
    { weight: 1, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("argument"), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom("x", "${{a}}", "__proto__"), tie("argument"), { maxKeys: 3 }),
    },
  ),
}));
const args = fc.dictionary(fc.constantFrom("to", "body", "${{a}}", "__proto__", "constructor"), argument, {
  maxKeys: 3,
});

export function fuzzReferences(run: FuzzRun): Counts {
  const counts = new Counts("references", [
    "calls",
    "substituted",
    "refused",
    "guards",
    "guards matched",
    "differences",
  ]);
  fc.assert(
    fc.property(args, variables, (given, values) => {
      counts.add("calls");
      const before = shown(given);
      const found = substituteReferences(given, values);
      const expected = modelSubstitution(given, values);
      const same =
        shown(found.ok ? found.args : found.reference) === shown(expected.ok ? expected.args : expected.reference);
      if (!same) counts.add("differences");
      expect(same, `${shown(given)} ${shown(values)}: ${shown(found)}, expected ${shown(expected)}`).toBe(true);
      expect(found.ok).toBe(expected.ok);
      expect(shown(given)).toBe(before);
      counts.add(found.ok ? "substituted" : "refused");
    }),
    parametersOf({ ...run, timeMs: run.timeMs / 2 }),
  );
  fuzzGuards(run, counts);
  return counts;
}

/** Keys such as `__proto__` and values such as undefined are told apart. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(",")}]`;
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${shown(item)}`)
    .join(",")}}`;
}

type Expected = { ok: true; args: unknown } | { ok: false; reference: string };

function modelSubstitution(given: unknown, values: Record<string, unknown>): Expected {
  if (typeof given === "string") return modelText(given, values);
  if (typeof given !== "object" || given === null) return { ok: true, args: given };
  const parts = Object.entries(given).map(([key, item]) => ({ key, found: modelSubstitution(item, values) }));
  const refused = parts.find(({ found }) => !found.ok);
  if (refused) return refused.found;
  const items = parts.map(({ key, found }) => [key, found.ok ? found.args : null] as const);
  return { ok: true, args: Array.isArray(given) ? items.map(([, item]) => item) : Object.fromEntries(items) };
}

/** One pass from the left: `$${{…}}` loses a dollar, `${{…}}` becomes its value, all else is itself. */
function modelText(text: string, values: Record<string, unknown>): Expected {
  let refused: string | null = null;
  const args = text.replace(/(\$?)\$\{\{([\s\S]*?)\}\}/g, (whole, dollar: string, reference: string) => {
    if (dollar === "$") return whole.slice(1);
    const found = modelValue(reference.trim().split("."), values);
    if (found === undefined) refused ??= whole;
    return found ?? "";
  });
  return refused === null ? { ok: true, args } : { ok: false, reference: refused };
}

function modelValue([first = "", ...segments]: string[], values: Record<string, unknown>): string | undefined {
  if (!/^[a-z][a-z0-9_]*$/.test(first) || segments.includes("")) return undefined;
  let value: unknown = Object.entries(values).find(([key]) => key === first)?.[1];
  for (const segment of segments) {
    if (Array.isArray(value)) {
      const index = value.findIndex((_, at) => [`${at}`, `${at - (value as unknown[]).length}`].includes(segment));
      value = value[index];
    } else {
      value = Object.entries(value ?? {}).find(([key]) => typeof value === "object" && key === segment)?.[1];
    }
  }
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const WILD = "* ? [ ] { } , \\ ! ( ) | + @ ^ $ - / a b .".split(" ");
const wildText = fc.string({ unit: fc.constantFrom(...WILD), maxLength: 6 });
const around = fc.constantFrom("", "a", "*", "**", "?", "/", "a/", "/b", "/**", "**/", "{a,b}", "\\*", "!");

/** A guard on an argument that is no path matches what the model matches; with a value in it, only that value there. */
function fuzzGuards(run: FuzzRun, counts: Counts): void {
  const given = fc.oneof(wildText, fc.constant(null));
  fc.assert(
    fc.property(around, wildText, around, given, wildText, (before, value, after, other, filler) => {
      counts.add("guards");
      const asked = other ?? before.replaceAll("*", filler) + value + after.replaceAll("*", filler);
      const entry = { tool: "send", args: { to: `${before}\${{v}}${after}` } };
      const prepared = prepareEntry(entry, { kind: "grant", variables: { v: value }, tables: { toolPaths: {} } });

      const matched = prepared.matches({ tool: "send", args: { to: asked } });

      const expected = modelMatches([...modelGlob(before), ...ofValue(value), ...modelGlob(after)], asked);
      if (matched !== expected) counts.add("differences");
      expect(matched, JSON.stringify({ entry, value, asked })).toBe(expected);
      if (matched) {
        counts.add("guards matched");
        // `/**` matches nothing as well, the slash before it included, even where that is the value's own.
        expect(asked).toContain(value.replace(/^\/+|\/+$/g, ""));
      }
    }),
    parametersOf({ ...run, timeMs: run.timeMs / 2 }),
  );
}
