/** Texts that are nearly documents: random YAML, and mutations of valid documents in their text and in their values. */
import * as fc from "fast-check";
import { parse, stringify } from "yaml";

/** Where and with what a mutation works; both are folded into the text's size. */
interface Mutation {
  kind: number;
  at: number;
  pick: number;
}

const mutation = fc.record({
  kind: fc.nat(1_000),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  pick: fc.nat(100_000),
});

/** @param words - keys and values of the format, put in at random */
export function nearlyYaml(corpus: readonly string[], words: readonly string[]): fc.Arbitrary<string> {
  const base = fc.constantFrom(...corpus);
  const texts = fc.tuple(base, fc.array(mutation, { minLength: 1, maxLength: 6 }));
  const mutated = texts.map(([text, steps]) => steps.reduce((now, step) => inText(now, step, words), text));
  const changed = texts.map(([text, steps]) => inValues(text, steps, words));
  const both = fc
    .tuple(changed, fc.array(mutation, { maxLength: 2 }))
    .map(([text, steps]) => steps.reduce((now, step) => inText(now, step, words), text));
  return fc.oneof(
    { weight: 5, arbitrary: mutated },
    { weight: 5, arbitrary: changed },
    { weight: 3, arbitrary: both },
    { weight: 2, arbitrary: randomDocument(words) },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...SCRAPS), maxLength: 60 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  );
}

/** Pieces of syntax that readers of YAML stumble over. */
const SCRAPS = [
  "\t",
  "\n",
  "\n\n",
  " ",
  "  ",
  "-",
  "- ",
  "---\n",
  "\n---\n",
  "\n...\n",
  ":",
  ": ",
  "?",
  "? ",
  "|",
  "|2-",
  ">",
  ">+\n",
  "#",
  " #",
  "&a ",
  "*a",
  "*b",
  "<<: *a\n",
  "!",
  "!!binary ",
  "!x ",
  "!<tag:x> ",
  "%YAML 1.1\n",
  "%TAG ! x\n",
  "@",
  "`",
  "{",
  "}",
  "[",
  "]",
  ",",
  "'",
  '"',
  "\\",
  "\\u0000",
  "\0",
  "\u0007",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "\uD800",
  "é",
  "e\u0301",
  "null",
  "~",
  "true",
  "yes",
  "0x1F",
  "0o17",
  "1e400",
  ".inf",
  ".nan",
  "2026-01-01",
  "9007199254740993",
  "-0",
  "__proto__",
  "constructor",
  "toString",
  "${{",
  "}}",
  "${{a}}",
  "${{trigger.x}}",
  "*",
  "**",
  "states",
  "a",
  "key: value\n",
  "\r\n",
  "\r",
];

const TEXT_MUTATIONS: ((lines: string[], line: number, pick: number, words: readonly string[]) => void)[] = [
  (lines, line) => lines.splice(line, 1),
  (lines, line) => lines.splice(line, 0, lines[line]!),
  (lines, line, pick) => lines.splice(line, 0, ...lines.splice(pick % lines.length, 1)),
  (lines, line, pick) => edit(lines, line, (text) => " ".repeat(1 + (pick % 3)) + text),
  (lines, line, pick) => edit(lines, line, (text) => text.slice(Math.min(1 + (pick % 3), text.search(/\S|$/)))),
  (lines, line) => edit(lines, line, (text) => text.replace(/^ {2}/, "\t")),
  (lines, line, pick) => edit(lines, line, (text) => spliced(text, pick, 0, scrap(pick))),
  (lines, line, pick) => edit(lines, line, (text) => spliced(text, pick, 1 + (pick % 4), "")),
  (lines, line, pick, words) => edit(lines, line, (text) => text.replace(/[\w-]+(?=:)/, word(words, pick))),
  (lines, line, pick, words) => edit(lines, line, (text) => text.replace(/(?<=: ).*/, word(words, pick))),
  (lines, line, pick) => edit(lines, line, (text) => text.replace(/(?<=: ).*/, scrap(pick))),
  (lines, line, pick) =>
    edit(lines, line, (text) => text.replace(/(?<=: )/, ["&a ", "*a", "!x ", "!!int "][pick % 4]!)),
  (lines, line, pick) => lines.push(...lines.slice(line, line + 1 + (pick % 12))),
  (lines, line, pick) => edit(lines, line, (text) => text + "[".repeat(pick % 140) + "]".repeat((pick >> 4) % 140)),
  (lines, line, pick) => edit(lines, line, (text) => text + "x{a: ".repeat(pick % 120)),
  (lines, line, pick) => edit(lines, line, (text) => text.repeat(1 + (pick % 300))),
  (lines, line, pick) =>
    edit(lines, line, (text) => `${text}\n${`- ${"  ".repeat(pick % 60)}- `.repeat(1 + (pick % 90))}`),
];

function inText(text: string, { kind, at, pick }: Mutation, words: readonly string[]): string {
  const lines = text.split("\n");
  TEXT_MUTATIONS[kind % TEXT_MUTATIONS.length]!(lines, Math.floor(at * lines.length), pick, words);
  return lines.join("\n");
}

function edit(lines: string[], line: number, change: (text: string) => string): void {
  lines[line] = change(lines[line]!);
}

function spliced(text: string, at: number, removed: number, added: string): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + added + text.slice(start + removed);
}

function scrap(pick: number): string {
  return SCRAPS[pick % SCRAPS.length]!;
}

function word(words: readonly string[], pick: number): string {
  return words[pick % words.length]!;
}

/** A value of the document: the collection that holds it, and its key there. */
interface Slot {
  holder: Record<string, unknown> | unknown[];
  key: string | number;
}

function inValues(text: string, steps: readonly Mutation[], words: readonly string[]): string {
  const document = parse(text) as Record<string, unknown>;
  for (const { kind, at, pick } of steps) {
    const slots = slotsOf(document);
    if (slots.length === 0) break;
    changeValue(slots, Math.floor(at * slots.length), { kind, pick, words });
  }
  return stringify(document, { aliasDuplicateObjects: steps[0]!.pick % 2 === 0 });
}

function changeValue(
  slots: readonly Slot[],
  index: number,
  { kind, pick, words }: { kind: number; pick: number; words: readonly string[] },
): void {
  const { holder, key } = slots[index]!;
  const put = (value: unknown) => Reflect.set(holder, key, value);
  const other = slots[pick % slots.length]!;
  const actions: (() => unknown)[] = [
    () => (Array.isArray(holder) ? holder.splice(Number(key), 1) : Reflect.deleteProperty(holder, key)),
    () => put(VALUES[pick % VALUES.length]),
    () => put(word(words, pick)),
    () => put(structuredClone(Reflect.get(other.holder, other.key))),
    () =>
      Array.isArray(holder)
        ? holder.push(VALUES[pick % VALUES.length])
        : Reflect.set(holder, word(words, pick), VALUES[pick % VALUES.length]),
    () => put([Reflect.get(holder, key)]),
    () => put({ [word(words, pick)]: structuredClone(Reflect.get(holder, key)) }),
    () =>
      typeof Reflect.get(holder, key) === "string" &&
      put(spliced(String(Reflect.get(holder, key)), pick, pick % 3, scrap(pick))),
  ];
  actions[kind % actions.length]!();
}

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  3,
  100,
  2 ** 53,
  2 ** 60,
  1e300,
  "",
  " ",
  "a",
  "A b",
  "x".repeat(70_000),
  [],
  {},
  [null],
  [""],
  [1],
  [[]],
  { a: 1 },
  { name: "x" },
  { name: "x", type: "string", pattern: "(a" },
  { name: "x", type: "file" },
  { to: "nowhere" },
  { tool: "*" },
  { tool: "ls", args: {}, paths: [] },
  { mount: "docs", access: "write" },
  "../x",
  "/",
  "*",
  "2026-01-01",
  "today",
  "1 MB",
  "${{}}",
  "${{a.b}}",
  "${{A}}",
  "__proto__",
  ["read_file", "read_file"],
  "archmax_advance",
];

function slotsOf(value: unknown, found: Slot[] = []): Slot[] {
  if (typeof value !== "object" || value === null || found.length > 2_000) return found;
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  for (const key of keys) {
    found.push({ holder: value as Slot["holder"], key });
    slotsOf(Reflect.get(value, key), found);
  }
  return found;
}

/** Mappings and lists of the format's own words, nested at random. */
function randomDocument(words: readonly string[]): fc.Arbitrary<string> {
  const key = fc.constantFrom(...words);
  const leaf = fc.oneof(fc.constantFrom(...VALUES), key, fc.string());
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("node"), { maxLength: 4 }),
      fc.dictionary(key, tie("node"), { maxKeys: 6 }),
    ),
  }));
  const states = fc.dictionary(fc.constantFrom("a", "b", "review", "1", "A", "<<", "constructor"), node, {
    maxKeys: 4,
  });
  return fc
    .oneof(fc.dictionary(key, node, { maxKeys: 6 }), fc.record({ states }), node)
    .map((value) => stringify(value) ?? "");
}
