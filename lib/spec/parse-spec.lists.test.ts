import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";
import { SIGNATURE_TYPES } from "./types.js";

const VALID_STATES = "states: {a: {triggers: {manual: }}}\n";

/** `code field` of every load finding. */
function loads(text: string): string[] {
  return parseSpec(text)
    .diagnostics.filter((diagnostic) => diagnostic.class === "load")
    .map(({ code, field }) => `${code} ${field}`);
}

/** Findings of a valid document with one more root key. */
const root = (yaml: string) => loads(`${VALID_STATES}${yaml}\n`);

/** Findings of keys of the entry state `a` (flow syntax), fields without their common beginning. */
const state = (keys: string) =>
  loads(`states: {a: {triggers: {manual: }, ${keys}}, b: {instructions: x}}\n`).map((text) =>
    text.replace("states.a.", ""),
  );

/** The same for keys of a trigger declaration. */
const trigger = (keys: string) =>
  loads(`states: {a: {triggers: {t: {${keys}}}}}\n`).map((text) => text.replace("states.a.triggers.t.", ""));

/** The same for one entry of `requires`. */
const entry = (yaml: string) => trigger(`requires: [${yaml}]`).map((text) => text.replace("requires.0.", ""));

describe("triggers", () => {
  it.each(["[manual]", "manual", "5"])("W-94 refuses triggers: %s", (value) => {
    expect(loads(`states: {a: {triggers: ${value}}}\n`)).toEqual(["trigger/not-a-mapping states.a.triggers"]);
  });

  it("W-94 refuses blank ids and declarations that are no mapping", () => {
    expect(loads("states: {a: {triggers: {' ': , x: 5, y: [a]}}}\n")).toEqual([
      "trigger/empty-id states.a.triggers. ",
      "trigger/declaration-shape states.a.triggers.x",
      "trigger/declaration-shape states.a.triggers.y",
    ]);
  });

  it("W-103 refuses entry and name", () => {
    expect(trigger("entry: a, name: b")).toEqual(["trigger/entry-key entry", "trigger/name-key name"]);
  });

  it.each(["''", "a..b", `'\${{a}}'`, "A", "5", "[a]", "false"])("W-104 refuses session: %s", (value) => {
    expect(trigger(`session: ${value}`)).toEqual(["trigger/session-path session"]);
  });

  it.each(["''", "a..b", `'\${{a}}'`, "true", "5"])("W-111 refuses message: %s", (value) => {
    expect(trigger(`message: ${value}`)).toEqual(["trigger/message-path message"]);
  });

  it("W-104 W-111 takes dotted paths, and false as a message", () => {
    expect(trigger("session: triggers.-1.threadId, message: ticket.body")).toEqual([]);
    expect(trigger("message: false")).toEqual([]);
  });

  it.each(["''", "' '", "5", "[a]"])("W-112 W-114 refuses connection and description %s", (value) => {
    expect(trigger(`connection: ${value}, description: ${value}`)).toEqual([
      "trigger/connection connection",
      "trigger/description description",
    ]);
  });
});

describe("signatures", () => {
  it("W-16 W-116 asks for lists of names and entries", () => {
    expect(trigger("requires: a, returns: {name: b}")).toEqual([
      "signature/not-a-list requires",
      "signature/not-a-list returns",
    ]);
    expect(entry("5")).toEqual(["signature/entry-shape requires.0"]);
    expect(entry("{type: string}")).toEqual(["signature/entry-shape name"]);
    expect(entry("{name: a, foo: 1}")).toEqual(["signature/unknown-key foo"]);
  });

  it("W-116 F-95 names the entry in findings inside it", () => {
    const [finding] = parseSpec(
      "states: {a: {triggers: {t: {requires: [{name: nif, type: string, pattern: '(?=a)'}]}}}}\n",
    ).diagnostics;
    expect(finding).toMatchObject({ code: "signature/bad-pattern", message: expect.stringContaining('"nif"') });
  });

  it("W-117 W-139 checks names and their repetition across both spellings", () => {
    expect(trigger("requires: [A, {name: b.c}, d, {name: d}]")).toEqual([
      "variables/name requires.0",
      "variables/name requires.1.name",
      "signature/duplicate-name requires.3.name",
    ]);
    expect(trigger("requires: [a], returns: [b]")).toEqual([]);
  });

  it("W-118 reserves three names in returns only", () => {
    expect(trigger("requires: [trigger, title, note]")).toEqual([]);
    expect(trigger("returns: [trigger, {name: title}, note]")).toEqual([
      "signature/reserved-return returns.0",
      "signature/reserved-return returns.1.name",
      "signature/reserved-return returns.2",
    ]);
  });

  it("W-120 W-121 checks description and type", () => {
    expect(entry("{name: a, description: ' '}")).toEqual(["schema/blank description"]);
    expect(entry("{name: a, type: text}")).toEqual(["signature/bad-type type"]);
  });

  it.each([
    ["{name: a, pattern: x}", "pattern"],
    ["{name: a, type: integer, format: email}", "format"],
    ["{name: a, type: integer, minLength: 1}", "minLength"],
    ["{name: a, type: string, minimum: 1}", "minimum"],
    ["{name: a, type: object, minItems: 1}", "minItems"],
    ["{name: a, type: array, enum: [x]}", "enum"],
    ["{name: a, type: string, accept: [.pdf]}", "accept"],
    ["{name: a, type: array, maxSize: 5}", "maxSize"],
    ["{name: a, type: file, content: text}", "content"],
  ])("W-123 refuses a rule on another type in %s", (yaml, rule) => {
    expect(entry(yaml)).toEqual([`signature/rule-not-for-type ${rule}`]);
  });

  it.each([
    ["format: email", ["string"]],
    ["pattern: x", ["string"]],
    ["minLength: 1", ["string"]],
    ["maxLength: 1", ["string"]],
    ["enum: [x]", ["string"]],
    ["content: text", ["string"]],
    ["minimum: 1", ["integer", "number", "date", "date-time"]],
    ["maximum: 1", ["integer", "number", "date", "date-time"]],
    ["minItems: 1", ["array"]],
    ["maxItems: 1", ["array"]],
    ["accept: [.pdf]", ["file"]],
    ["maxSize: 5", ["file"]],
  ])("W-123 takes %s beside the types %j and beside no other", (rule, types) => {
    const refused = SIGNATURE_TYPES.filter((type) => {
      return entry(`{name: a, type: ${type}, ${rule}}`).some((text) => text.startsWith("signature/rule-not-for-type"));
    });
    expect(refused).toEqual(SIGNATURE_TYPES.filter((type) => !types.includes(type)));
  });

  it.each([
    ["string, format: fax", "format"],
    ["string, pattern: 5", "pattern"],
    ["string, minLength: -1", "minLength"],
    ["string, maxLength: 1.5", "maxLength"],
    ["string, minLength: 2, maxLength: 1", "minLength"],
    ["string, enum: []", "enum"],
    ["string, enum: [a, a]", "enum"],
    ["string, enum: [1]", "enum"],
    ["string, content: xml", "content"],
    ["integer, minimum: today", "minimum"],
    ["number, minimum: 2, maximum: 1", "minimum"],
    ["date, minimum: 2026-02-30", "minimum"],
    ["date, maximum: now", "maximum"],
    ["date, minimum: 2026-02-02, maximum: 2026-02-01", "minimum"],
    ["date-time, minimum: today", "minimum"],
    ["date-time, minimum: '2026-01-01T00:00:00Z', maximum: '2026-01-01T00:00:00+01:00'", "minimum"],
    ["array, minItems: x", "minItems"],
    ["array, minItems: 2, maxItems: 1", "minItems"],
    ["file, accept: [pdf]", "accept"],
    ["file, accept: []", "accept"],
    ["file, maxSize: 10XB", "maxSize"],
    ["file, maxSize: -1", "maxSize"],
  ])("W-123 W-124 refuses the value of a rule in type: %s", (yaml, rule) => {
    expect(entry(`{name: a, type: ${yaml}}`)).toEqual([`signature/rule-value ${rule}`]);
  });

  it.each([
    "string, format: email, pattern: a, minLength: 0, maxLength: 0, enum: [a, b], content: json",
    "integer, minimum: 1, maximum: 1",
    "date, minimum: today, maximum: 2020-01-01",
    "date-time, minimum: now",
    "date-time, minimum: '2026-01-01T01:00:00+01:00', maximum: '2026-01-01T00:00:00Z'",
    "array, minItems: 0, maxItems: 0",
    "file, accept: [.pdf, .tar.gz], maxSize: 10MB",
  ])("W-123 W-124 W-127 takes type: %s", (yaml) => {
    expect(entry(`{name: a, type: ${yaml}}`)).toEqual([]);
  });

  it.each(["(?=a)", "(?<!a)b", "(a)\\1", "["])("W-125 F-95 refuses the pattern %s", (pattern) => {
    expect(entry(`{name: a, type: string, pattern: '${pattern}'}`)).toEqual(["signature/bad-pattern pattern"]);
  });
});

describe("tools, skills and mounts", () => {
  const grant = (yaml: string) => state(`tools: {allow: [${yaml}]}`).map((text) => text.replace("tools.allow.", ""));

  it("W-179 W-181 W-186 takes names and entries with one guard", () => {
    expect(
      grant(
        "a, {tool: b}, {tool: c, args: {x.y: '*', z: [a, '']}, connection: k, source: s}, {tool: d, paths: [a/**]}",
      ),
    ).toEqual([]);
  });

  it.each([
    ["5", "tools/entry-shape 0"],
    ["{}", "tools/entry-shape 0.tool"],
    ["{tool: 5}", "tools/entry-shape 0.tool"],
    ["''", "tools/entry-shape 0"],
    ["a b", "tools/entry-shape 0"],
    ["'a*'", "tools/entry-shape 0"],
    ["{tool: 'a*'}", "tools/entry-shape 0.tool"],
    ["'*'", "tools/wildcard-grant 0"],
    ["{tool: '*'}", "tools/wildcard-grant 0.tool"],
    ["{tool: a, args: {x: y}, paths: z}", "tools/args-and-paths 0"],
    ["{tool: a, args: {}}", "tools/empty-guard 0.args"],
    ["{tool: a, args: {x: []}}", "tools/empty-guard 0.args.x"],
    ["{tool: a, paths: []}", "tools/empty-guard 0.paths"],
    ["{tool: a, args: {x: 5}}", "schema/type 0.args.x"],
    ["{tool: a, source: 5}", "schema/type 0.source"],
    ["{tool: a, foo: 1}", "tools/unknown-key 0.foo"],
  ])("W-181 W-182 W-183 W-184 W-185 grant [%s] is %s", (yaml, finding) => {
    expect(grant(yaml)).toEqual([finding]);
  });

  it("W-183 takes * as a denial at both levels, and refuses it as a grant at both", () => {
    expect(state("tools: {forbid: ['*', {tool: '*', paths: x}]}")).toEqual([]);
    expect(root("tools: {forbid_always: ['*'], allow_always: ['*']}")).toEqual([
      "tools/wildcard-grant tools.allow_always.0",
    ]);
  });

  it.each([`\${{}}`, `\${{From-Email}}`, `\${{a..b}}`, `x/\${{ }}`, `\${{a`])("W-162 refuses the guard %s", (glob) => {
    expect(grant(`{tool: a, args: {x: ['${glob}']}}`)).toEqual(["guard/malformed-reference 0.args.x.0"]);
    expect(root(`tools: {forbid_always: [{tool: a, paths: '${glob}'}]}`)).toEqual([
      "guard/malformed-reference tools.forbid_always.0.paths",
    ]);
  });

  it("W-154 W-162 takes an escaped reference in a guard", () => {
    expect(grant(`{tool: a, paths: '$\${{a..b}}/\${{ trigger }}'}`)).toEqual([]);
  });

  it.each(["a/b", "'*'", "A", "5", "{skill: a}"])("W-221 refuses the skill %s", (item) => {
    expect(state(`skills: {allow: [${item}], forbid: [${item}]}`)).toEqual([
      "skills/not-a-slug skills.allow.0",
      "skills/not-a-slug skills.forbid.0",
    ]);
  });

  it.each(["''", "'*'", "'a?'", "'[a]'", "'{a,b}'", "a/", "/a", "a//b", "./a", "a/..", "5", "{access: read}"])(
    "W-231 refuses the mount %s",
    (item) => {
      expect(state(`mounts: {allow: [${item}]}`)).toEqual([
        expect.stringMatching(/^mounts\/not-a-name mounts\.allow\.0/),
      ]);
    },
  );

  it("W-231 W-232 takes names and grants with access", () => {
    expect(root("mounts: {allow_always: [a, {mount: catalogs/eu, access: read_write}], forbid_always: [b]}")).toEqual(
      [],
    );
    expect(root("mounts: {allow_always: [{mount: a, access: write}]}")).toEqual([
      "mounts/access mounts.allow_always.0.access",
    ]);
    expect(root("mounts: {forbid_always: [{mount: a}, 5]}")).toEqual([
      "mounts/forbid-shape mounts.forbid_always.0",
      "mounts/not-a-name mounts.forbid_always.1",
    ]);
  });
});
