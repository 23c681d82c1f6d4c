import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";

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

describe("shape findings in general", () => {
  it("W-2 W-4 W-21 F-94 lists all of them in document order, each with file, position, field, path, message and hint", () => {
    const parsed = parseSpec(
      "titel: x\nstates:\n  a:\n    triggers: {manual: }\n    summary: 5\n  b: {foo: 1}\ntitle: 2024\n",
      {
        file: "workflows/w/workflow.yaml",
      },
    );
    expect(parsed.diagnostics).toMatchObject([
      { code: "root/unknown-key", line: 1, column: 1, field: "titel", hint: expect.stringContaining("title") },
      { code: "schema/type", line: 5, column: 5, field: "states.a.summary", path: ["states", "a", "summary"] },
      { code: "state/unknown-key", line: 6, column: 7, field: "states.b.foo" },
      { code: "schema/type", line: 7, column: 1, field: "title", class: "load", severity: "error" },
    ]);
    expect(parsed.diagnostics.every(({ file }) => file === "workflows/w/workflow.yaml")).toBe(true);
    expect(parsed.diagnostics[3]!.message).toMatch(/"title".*2024.*Quote it: "2024"/);
    expect(parsed.ok).toBe(false);
  });

  it("W-4 gives the same list for the same text", () => {
    const text = "a: 1\nb: 2\nstates: {x: {c: 1, type: foo}}\n";
    expect(parseSpec(text).diagnostics).toEqual(parseSpec(text).diagnostics);
  });

  it("W-21 finds what contradicts within a mapping although the mapping has other defects", () => {
    expect(root("tools: {allow_always: [{tool: a, args: {x: y}, paths: [], source: 5, foo: 1}]}")).toEqual([
      "tools/args-and-paths tools.allow_always.0",
      "tools/empty-guard tools.allow_always.0.paths",
      "schema/type tools.allow_always.0.source",
      "tools/unknown-key tools.allow_always.0.foo",
    ]);
  });

  it("W-21 runs no document rule and no lint while the shape does not hold", () => {
    expect(loads("title: 5\nstates: {a: {transitions: [{to: nowhere}]}}\n")).toEqual(["schema/type title"]);
  });

  it("W-21 runs lint when only a document rule failed, and still hands out the spec", () => {
    const parsed = parseSpec("states: {a: {triggers: {manual: }, transitions: [{to: nowhere}]}, b: }\n");
    expect(parsed.diagnostics.map(({ code }) => code)).toEqual([
      "transition/undefined-target",
      "root/no-instructions",
      "state/unreachable",
    ]);
    expect(parsed).toMatchObject({ ok: false, stateOrder: ["a", "b"], spec: { states: { b: {} } } });
  });

  it("W-5 reads states of any name by own properties", () => {
    expect(loads("states: {a: {triggers: {manual: }, transitions: [{to: constructor}, {to: __proto__}]}}\n")).toEqual([
      "transition/undefined-target states.a.transitions.0.to",
      "transition/undefined-target states.a.transitions.1.to",
    ]);
    const declared = "instructions: x, transitions: [{to: __proto__}]}, __proto__: {instructions: y}";
    expect(loads(`states: {a: {triggers: {manual: }, ${declared}}\n`)).toEqual([]);
    expect(loads("states: {a: {triggers: {manual: }}, __proto__: {foo: 1}}\n")).toEqual([
      "state/unknown-key states.__proto__.foo",
    ]);
    expect(root("constructor: 1")).toEqual(["root/unknown-key constructor"]);
    expect(state("type: constructor")).toEqual(["state/unknown-type type"]);
  });

  it.each([
    ["title: ~", "title"],
    ["settings: ~", "settings"],
    ["metadata: ", "metadata"],
    ["tools: {allow_always: }", "tools.allow_always"],
    ["tools: {allow_always: [~]}", "tools.allow_always.0"],
    ["runtime: {version: }", "runtime.version"],
    ["mounts: {allow_always: [~]}", "mounts.allow_always.0"],
    ["tests: {judge: }", "tests.judge"],
  ])("W-19 refuses the empty value in %s", (yaml, field) => {
    expect(root(yaml)).toEqual([`schema/null ${field}`]);
  });

  it.each(["transitions", "triggers", "title", "type", "script", "requires", "budget", "metadata", "model"])(
    "W-19 refuses an emptied %s on a state",
    (key) => {
      expect(loads(`states: {a: {${key}: }, b: {triggers: {manual: }}}\n`)).toEqual([`schema/null states.a.${key}`]);
    },
  );

  it.each(["session", "message", "connection", "description", "requires"])(
    "W-19 refuses an emptied %s of a trigger",
    (key) => {
      expect(loads(`states: {a: {triggers: {t: {${key}: }}}}\n`)).toEqual([`schema/null states.a.triggers.t.${key}`]);
    },
  );

  it("W-19 W-38 W-60 accepts it as a state, a declaration, disabled and maxPtcCalls", () => {
    expect(loads("disabled: ~\nsettings: {maxPtcCalls: ~}\nstates: {a: {triggers: {manual: ~}}, b: ~}\n")).toEqual([]);
  });

  it.each([
    ["title: [a]", "schema/type title"],
    ["settings: [a]", "schema/type settings"],
    ["tests: 5", "schema/type tests"],
    ["tools: {allow_always: x}", "schema/type tools.allow_always"],
    ["settings: {prompt_cache: {ttl: 5h}}", "schema/enum settings.prompt_cache.ttl"],
    ["settings: {timeoutMs: 0}", "schema/range settings.timeoutMs"],
    ["settings: {timeoutMs: 1.5}", "schema/range settings.timeoutMs"],
    ["title: ' '", "schema/blank title"],
  ])("W-20 %s is %s", (yaml, finding) => {
    expect(root(yaml)).toEqual([finding]);
  });

  it.each(["5", "true", "1.5"])("F-94 says to quote %s where text is required", (value) => {
    const [finding] = parseSpec(`title: ${value}\n${VALID_STATES}`).diagnostics;
    expect(finding).toMatchObject({ code: "schema/type", hint: `Quote it: "${value}".` });
  });
});

describe("unknown keys", () => {
  it.each([
    ["foo: 1", "root/unknown-key foo"],
    ["runtime: {foo: 1}", "runtime/unknown-key runtime.foo"],
    ["settings: {foo: 1}", "settings/unknown-key settings.foo"],
    ["settings: {prompt_cache: {foo: 1}}", "settings/unknown-key settings.prompt_cache.foo"],
    ["tests: {foo: 1}", "tests/unknown-key tests.foo"],
    ["tests: {judge: {foo: 1}}", "tests/unknown-key tests.judge.foo"],
    ["tests: {judge: {modelOptions: {foo: 1}}}", "tests/unknown-key tests.judge.modelOptions.foo"],
    ["tools: {allow: [a]}", "tools/unknown-key tools.allow"],
    ["tools: {allow_always: [{tool: a, foo: 1}]}", "tools/unknown-key tools.allow_always.0.foo"],
    ["tools: {forbid: [a]}", "tools/unknown-key tools.forbid"],
    ["skills: {forbid: [a]}", "skills/unknown-key skills.forbid"],
    ["mounts: {forbid: [a]}", "mounts/unknown-key mounts.forbid"],
    ["mounts: {allow_always: [{mount: a, foo: 1}]}", "mounts/unknown-key mounts.allow_always.0.foo"],
  ])("W-16 W-23 W-38 W-42 W-179 W-221 W-232 root: %s is %s", (yaml, finding) => {
    expect(root(yaml)).toEqual([finding]);
  });

  it.each([
    ["foo: 1", "state/unknown-key foo"],
    ["budget: {foo: 1}", "budget/unknown-key budget.foo"],
    ["transitions: [{to: b, foo: 1}]", "transition/unknown-key transitions.0.foo"],
    ["tools: {allow_always: [a]}", "tools/unknown-key tools.allow_always"],
    ["tools: {forbid_always: [a]}", "tools/unknown-key tools.forbid_always"],
    ["skills: {allow_always: [a]}", "skills/unknown-key skills.allow_always"],
    ["skills: {forbid_always: [a]}", "skills/unknown-key skills.forbid_always"],
    ["mounts: {allow_always: [a]}", "mounts/unknown-key mounts.allow_always"],
    ["mounts: {forbid_always: [a]}", "mounts/unknown-key mounts.forbid_always"],
  ])("W-16 W-59 W-84 W-169 W-179 W-221 W-232 state: %s is %s", (keys, finding) => {
    expect(state(keys)).toEqual([finding]);
  });

  it("W-16 names the key, its path, what the block accepts and the nearest key", () => {
    const [finding] = parseSpec("states: {a: {triggers: {manual: }, transtions: []}}\n").diagnostics;
    expect(finding!.message).toContain("states.a.transtions");
    expect(finding!.message).toContain("approvers");
    expect(finding!.message).toContain('Did you mean "transitions"?');
  });

  it("W-18 W-47 keeps anything in metadata and in trigger declarations", () => {
    const text = `metadata: {a: {b: [~]}}\nstates: {a: {metadata: {c: ~}, triggers: {t: {host: {d: ~}}}}}\n`;
    const parsed = parseSpec(text);
    expect(parsed).toMatchObject({
      ok: true,
      spec: {
        metadata: { a: { b: [null] } },
        states: { a: { metadata: { c: null }, triggers: { t: { host: { d: null } } } } },
      },
    });
  });

  it("W-48 keeps metadata in the spec", () => {
    const parsed = parseSpec(`${VALID_STATES}metadata: {owner: ops}\n`);
    expect(parsed.ok && parsed.spec.metadata).toEqual({ owner: "ops" });
  });
});

describe("root blocks", () => {
  it.each(["", "states: {}", "states: []", "states: 5", "states: "])("W-26 asks for at least one state: %j", (yaml) => {
    expect(loads(`title: T\n${yaml}\n`)).toEqual(["states/missing states"]);
  });

  it("W-24 W-25 asks for text in title and instructions", () => {
    expect(root("title: ''\ninstructions: ' '")).toEqual(["schema/blank title", "schema/blank instructions"]);
  });

  it.each(["3", '"3"', "3.0"])("W-35 W-36 serves version %s and the named engine", (version) => {
    expect(root(`runtime: {engine: archmax-harness, version: ${version}}`)).toEqual([]);
    expect(root("runtime: {}")).toEqual([]);
  });

  it.each([
    ["{engine: other}", "runtime/unsupported-engine runtime.engine"],
    ["{version: 1}", "runtime/unsupported-version runtime.version"],
    ['{version: "2"}', "runtime/unsupported-version runtime.version"],
    ["{version: 4}", "runtime/unsupported-version runtime.version"],
    ["{engine: 5}", "schema/type runtime.engine"],
    ["{version: [3]}", "schema/type runtime.version"],
  ])("W-35 W-37 refuses runtime %s", (yaml, finding) => {
    expect(root(`runtime: ${yaml}`)).toEqual([finding]);
  });

  it("W-37 names what is served", () => {
    const { diagnostics } = parseSpec(`${VALID_STATES}runtime: {engine: other, version: 2}\n`);
    const said = diagnostics.filter(({ code }) => code.startsWith("runtime/")).map(({ message }) => message);
    expect(said).toEqual([expect.stringContaining("archmax-harness"), expect.stringContaining("version: 3")]);
  });

  it.each(["1", "2", "'2'"])("W-295 reports the old version %s beside everything else, shape or not", (version) => {
    expect(root(`runtime: {version: ${version}}\nname: x`)).toEqual([
      "removed/root-name name",
      "runtime/unsupported-version runtime.version",
    ]);
    expect(loads(`runtime: {version: ${version}}\nstates: {a: }\n`)).toEqual([
      "trigger/none states",
      "runtime/unsupported-version runtime.version",
    ]);
  });

  it("W-38 accepts every setting", () => {
    const all =
      "model: m, timeoutMs: 1, memoryLimitBytes: 1, maxPtcCalls: 0, maxResultChars: 1, prompt_cache: {enabled: false, ttl: 1h}";
    expect(root(`settings: {${all}}`)).toEqual([]);
    expect(root("settings: {maxPtcCalls: -1}")).toEqual(["schema/range settings.maxPtcCalls"]);
  });

  it("W-42 W-43 W-45 checks the tests block", () => {
    expect(root("tests: {maxConcurrency: 1, caseTimeoutMs: 5, judge: {}}")).toEqual([]);
    expect(root("tests: {judge: {model: m, modelOptions: {temperature: 0, maxTokens: 1}}}")).toEqual([]);
    expect(root("tests: {maxConcurrency: 2}")).toEqual(["tests/concurrency tests.maxConcurrency"]);
    expect(root("tests: {maxConcurrency: 0}")).toEqual(["schema/range tests.maxConcurrency"]);
    expect(root("tests: {judge: {model: '', modelOptions: {temperature: -1, maxTokens: 0}}}")).toEqual([
      "schema/blank tests.judge.model",
      "schema/range tests.judge.modelOptions.temperature",
      "schema/range tests.judge.modelOptions.maxTokens",
    ]);
  });

  it.each(["5", "[a]", "x"])("W-47 refuses metadata %s", (value) => {
    expect(root(`metadata: ${value}`)).toEqual(["metadata/not-a-mapping metadata"]);
    expect(state(`metadata: ${value}`)).toEqual(["metadata/not-a-mapping metadata"]);
  });

  it.each(["{id: m}", "5", "[m]"])("W-164 refuses the model %s", (value) => {
    expect(root(`settings: {model: ${value}}`)).toEqual(["model/not-an-id settings.model"]);
    expect(state(`model: ${value}`)).toEqual(["model/not-an-id model"]);
    expect(state("model: ' '")).toEqual(["schema/blank model"]);
    const [first] = parseSpec(`${VALID_STATES}settings: {model: ${value}}\n`).diagnostics;
    expect(first?.message).toMatch(/endpoint, credentials and sampling.*host/);
  });
});

describe("states", () => {
  it("W-61 refuses another type", () => {
    expect(state("type: robot")).toEqual(["state/unknown-type type"]);
    expect(state("type: 5")).toEqual(["state/unknown-type type"]);
  });

  it("W-58 W-62 asks for text in title, and takes any text as summary or instructions", () => {
    expect(state("title: ''")).toEqual(["schema/blank title"]);
    expect(state("summary: '', instructions: ''")).toEqual([]);
    expect(state("summary: [a]")).toEqual(["schema/type summary"]);
  });

  it.each([
    "check.js",
    "scripts/check.ts",
    "scripts/check.cjs",
    "scripts/../x.js",
    "scripts/./x.js",
    "scripts//x.js",
    "/scripts/x.js",
    "scripts/",
    "scripts/.js",
  ])("W-73 refuses the script path %s", (script) => {
    expect(state(`type: code, script: ${script}`)).toEqual(["code/script-path script"]);
  });

  it.each(["scripts/x.js", "scripts/deep/x.mjs", "scripts/..x.js"])("W-73 takes the script path %s", (script) => {
    expect(state(`type: code, script: ${script}`)).toEqual([]);
  });

  it("W-84 W-86 checks transitions", () => {
    expect(state("transitions: {to: b}")).toEqual(["schema/type transitions"]);
    expect(state("transitions: [b]")).toEqual(["schema/type transitions.0"]);
    expect(state("transitions: [{description: x}]")).toEqual(["schema/type transitions.0.to"]);
    expect(state("transitions: [{to: ' '}]")).toEqual(["schema/blank transitions.0.to"]);
    expect(state("transitions: [{to: b, description: 5}]")).toEqual(["schema/type transitions.0.description"]);
    expect(state("transitions: [{to: b, type: maybe}]")).toEqual(["schema/enum transitions.0.type"]);
    expect(state("transitions: [{to: b, type: none}]")).toEqual([]);
  });

  it("W-68 W-69 asks for text in evidence and approvers", () => {
    expect(state("evidence: [''], approvers: [5, ' ']")).toEqual([
      "schema/blank evidence.0",
      "schema/type approvers.0",
      "schema/blank approvers.1",
    ]);
  });

  it.each(["requires", "locks"])("W-139 W-145 W-148 asks for variable names in %s", (key) => {
    expect(state(`${key}: [a_1, A, a.b, 5]`)).toEqual([
      `variables/name ${key}.1`,
      `variables/name ${key}.2`,
      `schema/type ${key}.3`,
    ]);
    expect(state(`${key}: a`)).toEqual([`schema/type ${key}`]);
  });

  it("W-151 refuses reserved names in locks", () => {
    expect(state("locks: [trigger, title, note]")).toEqual(["locks/reserved locks.0", "locks/reserved locks.1"]);
  });

  it.each(["maxTurns", "timeoutMs", "maxParks"])("W-169 asks for a positive integer in budget.%s", (key) => {
    expect(state(`budget: {${key}: 0}`)).toEqual([`schema/range budget.${key}`]);
    expect(state(`budget: {${key}: 1.5}`)).toEqual([`schema/range budget.${key}`]);
    expect(state(`budget: {${key}: 1}`)).toEqual([]);
  });
});
