import { describe, expect, it } from "vitest";
import { parseSpec } from "./index.js";

function findings(text: string) {
  const parsed = parseSpec(text);
  expect(parsed.diagnostics.filter((diagnostic) => diagnostic.class === "load")).toEqual([]);
  return parsed.diagnostics.map(({ code, class: kind, field }) => `${kind} ${code} ${field}`);
}

/** Findings of a document with root instructions and these states. */
const states = (yaml: string) => findings(`instructions: I\nstates:\n${yaml}`);

const ENTRY = "triggers: {manual: }";
const END = "  end:\n";
const TO_END = "transitions: [{to: end, description: D}]";

describe("lint of the root", () => {
  it("W-25 warns of missing instructions while there is an agent state", () => {
    expect(findings(`states: {a: {${ENTRY}}}\n`)).toEqual(["warn root/no-instructions instructions"]);
    expect(findings(`states: {a: {${ENTRY}, type: code, script: scripts/x.js}}\n`)).toEqual([]);
    expect(findings(`instructions: I\nstates: {a: {${ENTRY}}}\n`)).toEqual([]);
  });

  it.each([
    ["true", ["warn disabled/out-of-service disabled"], true],
    ['"no"', ["check disabled/not-boolean disabled", "warn disabled/out-of-service disabled"], true],
    ["0", ["check disabled/not-boolean disabled", "warn disabled/out-of-service disabled"], true],
    ["false", [], undefined],
    ["", [], undefined],
  ])("W-27 W-33 disabled: %s", (value, expected, disabled) => {
    const text = `instructions: I\ndisabled: ${value}\nstates: {a: {${ENTRY}}}\n`;
    expect(findings(text)).toEqual(expected);
    const parsed = parseSpec(text);
    expect(parsed.ok && parsed.spec.disabled).toBe(disabled);
  });

  it("W-168 warns of a state that repeats settings.model", () => {
    expect(findings(`instructions: I\nsettings: {model: m}\nstates: {a: {${ENTRY}, model: m}}\n`)).toEqual([
      "warn model/redundant states.a.model",
    ]);
    expect(findings(`instructions: I\nsettings: {model: m}\nstates: {a: {${ENTRY}, model: n}}\n`)).toEqual([]);
  });
});

describe("lint of the graph", () => {
  it("W-83 warns of states that no entry reaches by transitions and error routes", () => {
    const chain = `  a: {${ENTRY}, ${TO_END}, on_error: rescue}\n${END}  rescue:\n  island: {transitions: [{to: end, description: D}]}\n`;
    expect(states(chain)).toEqual(["warn state/unreachable states.island"]);
  });

  it("W-65 warns of several ways out without instructions, on agent states only", () => {
    const ways = "transitions: [{to: end, description: D}, {to: a, description: D}]";
    expect(states(`  a: {${ENTRY}, ${ways}}\n${END}`)).toEqual([
      "warn state/no-routing-instructions states.a.instructions",
    ]);
    expect(states(`  a: {${ENTRY}, instructions: x, ${ways}}\n${END}`)).toEqual([]);
    expect(states(`  a: {${ENTRY}, ${TO_END}}\n${END}`)).toEqual([]);
    expect(
      states(
        `  a: {${ENTRY}, type: grader, transitions: [{to: end, description: D}, {to: b, description: D}]}\n  b:\n${END}`,
      ),
    ).toEqual(["check grader/no-instructions states.a.instructions"]);
    expect(
      states(`  a: {${ENTRY}, type: code, script: scripts/x.js, transitions: [{to: end}, {to: b}]}\n  b:\n${END}`),
    ).toEqual([]);
  });

  it("W-90 warns of two transitions to one target", () => {
    expect(
      states(
        `  a: {${ENTRY}, instructions: x, transitions: [{to: end, description: D}, {to: end, description: E}]}\n${END}`,
      ),
    ).toEqual(["warn transition/duplicate-target states.a.transitions.1.to"]);
  });

  it("W-91 warns of an automated state that leads to itself, not of an agent", () => {
    expect(states(`  a: {${ENTRY}, type: code, script: scripts/x.js, transitions: [{to: a}]}\n`)).toEqual([
      "warn transition/automated-self-edge states.a.transitions.0.to",
    ]);
    expect(states(`  a: {${ENTRY}, type: grader, instructions: x, transitions: [{to: a, description: D}]}\n`)).toEqual([
      "warn transition/automated-self-edge states.a.transitions.0.to",
    ]);
    expect(states(`  a: {${ENTRY}, instructions: x, transitions: [{to: a}]}\n`)).toEqual([]);
  });

  it("W-174 warns of on_error naming its own state and takes any type as target", () => {
    expect(states(`  a: {${ENTRY}, on_error: a}\n`)).toEqual(["warn on-error/self states.a.on_error"]);
    expect(states(`  a: {${ENTRY}, on_error: h}\n  h: {type: human, instructions: x, ${TO_END}}\n${END}`)).toEqual([]);
  });
});

describe("the table of keys by type", () => {
  const SOURCE = {
    agent: "instructions: x",
    human: "type: human, instructions: x",
    grader: "type: grader, instructions: x",
    code: "type: code, script: scripts/x.js",
  };
  const KEYS = {
    title: "title: T",
    summary: "summary: S",
    metadata: "metadata: {}",
    instructions: "instructions: x",
    tools: "tools: {allow: [read_file]}",
    skills: "skills: {allow: [s]}",
    mounts: "mounts: {allow: [m]}",
    requires: "requires: [x]",
    locks: "locks: [x]",
    model: "model: m",
    "budget.maxTurns": "budget: {maxTurns: 1}",
    "budget.timeoutMs": "budget: {timeoutMs: 1}",
    "budget.maxParks": "budget: {maxParks: 1}",
    on_error: "on_error: end",
    evidence: "evidence: [a.md]",
    approvers: "approvers: [ops]",
  };
  const TABLE: Record<string, Partial<Record<keyof typeof SOURCE, string>>> = {
    instructions: { code: "check code/forbidden-key" },
    requires: { human: "warn state/inert-key" },
    locks: { human: "warn locks/unwritable" },
    model: { code: "check code/forbidden-key" },
    "budget.maxTurns": { human: "warn state/inert-key", code: "check code/forbidden-key" },
    "budget.timeoutMs": { human: "warn state/inert-key", code: "check code/forbidden-key" },
    "budget.maxParks": {
      human: "warn state/inert-key",
      grader: "check grader/forbidden-key",
      code: "check code/forbidden-key",
    },
    on_error: { human: "warn state/inert-key" },
    evidence: { agent: "warn state/inert-key", grader: "check grader/forbidden-key", code: "check code/forbidden-key" },
    approvers: {
      agent: "warn state/inert-key",
      grader: "check grader/forbidden-key",
      code: "check code/forbidden-key",
    },
  };
  const cells = (Object.keys(SOURCE) as (keyof typeof SOURCE)[]).flatMap((type) =>
    (Object.keys(KEYS) as (keyof typeof KEYS)[]).map((key) => [type, key] as const),
  );

  it.each(cells)("W-61 W-62 W-153 a %s state with %s", (type, key) => {
    const code = TABLE[key]?.[type];
    const given = SOURCE[type].includes(KEYS[key]) ? "" : `, ${KEYS[key]}`;
    expect(states(`  a: {${ENTRY}, ${SOURCE[type]}${given}, ${TO_END}}\n${END}`)).toEqual(
      code ? [`${code} states.a.${key}`] : [],
    );
  });

  it.each(["human", "grader"])("W-61 W-62 W-65 a %s state needs instructions and a transition", (type) => {
    const expected = [
      `check ${type}/no-instructions states.a.instructions`,
      `check ${type}/no-transitions states.a.transitions`,
    ];
    expect(states(`  a: {${ENTRY}, type: ${type}}\n`)).toEqual(expected);
    expect(states(`  a: {${ENTRY}, type: ${type}, instructions: ' ', transitions: []}\n`)).toEqual(expected);
  });

  it("W-62 counts blank instructions as absent", () => {
    expect(states(`  a: {${ENTRY}, ${SOURCE.code}, instructions: ' '}\n`)).toEqual([]);
  });

  it("W-63 names the key, the type and the types that read it", () => {
    const parsed = parseSpec(`instructions: I\nstates: {a: {${ENTRY}, evidence: [x]}}\n`);
    expect(parsed.diagnostics[0]!.message).toMatch(/agent.*evidence.*human/);
  });

  it("W-147 warns of requires on a terminal state", () => {
    expect(states(`  a: {${ENTRY}, requires: [x]}\n`)).toEqual(["warn state/inert-key states.a.requires"]);
  });

  it("W-61 W-72 accepts maxTurns and timeoutMs on a grader", () => {
    expect(
      states(`  a: {${ENTRY}, type: grader, instructions: x, budget: {maxTurns: 1, timeoutMs: 1}, ${TO_END}}\n${END}`),
    ).toEqual([]);
  });
});

describe("lint of each state", () => {
  it("W-55 checks slugs and still loads the state", () => {
    expect(states(`  Bad_Slug: {${ENTRY}}\n  "": {triggers: {x: }}\n`)).toEqual([
      "check state/slug states.Bad_Slug",
      "check state/slug-empty states.",
    ]);
  });

  it("W-67 refuses a human state's self edge and a second transition of one class", () => {
    const ways =
      "{to: a, description: D, type: approve}, {to: end, description: D, type: approve}, {to: x, description: D, type: none}, {to: y, description: D}";
    expect(states(`  a: {${ENTRY}, type: human, instructions: x, transitions: [${ways}]}\n${END}  x:\n  y:\n`)).toEqual(
      ["check human/self-edge states.a.transitions.0.to", "check human/duplicate-type states.a.transitions.1.type"],
    );
  });

  it.each(["approve", "reject", "refine"])("W-67 refuses a second transition of type %s", (type) => {
    const ways = `{to: end, description: D, type: ${type}}, {to: x, description: D, type: ${type}}`;
    expect(states(`  a: {${ENTRY}, type: human, instructions: x, transitions: [${ways}]}\n${END}  x:\n`)).toEqual([
      "check human/duplicate-type states.a.transitions.1.type",
    ]);
  });

  it.each([
    ["workflows/x/WORKFLOW.md", ["check path/authoring-plane states.a.evidence.0"]],
    ["a/../../x", ["check path/unreadable states.a.evidence.0"]],
    ["checkpoints/x", ["check path/unreadable states.a.evidence.0"]],
    ["./artifacts/x", ["check path/unreadable states.a.evidence.0"]],
    ["_specs/x.json", ["check path/unreadable states.a.evidence.0"]],
    ["/notes.md", ["warn path/leading-slash states.a.evidence.0"]],
    ["/workflows/x", ["warn path/leading-slash states.a.evidence.0", "check path/authoring-plane states.a.evidence.0"]],
    ["a/../notes.md", []],
  ])("W-68 evidence %s", (path, expected) => {
    expect(states(`  a: {${ENTRY}, type: human, instructions: x, evidence: [${path}], ${TO_END}}\n${END}`)).toEqual(
      expected,
    );
  });

  it.each(["archmax_eval", "archmax_run", "archmax_wait", "archmax_reset", "write_todos"])(
    "W-78 refuses %s among the grants of automated states only",
    (tool) => {
      const allow = `tools: {allow: [read_file, {tool: ${tool}, args: {x: y}}]}`;
      expect(states(`  a: {${ENTRY}, type: code, script: scripts/x.js, ${allow}}\n`)).toEqual([
        "check automated/tool-never-offered states.a.tools.allow.1",
      ]);
      expect(states(`  a: {${ENTRY}, type: grader, instructions: x, ${allow}, ${TO_END}}\n${END}`)).toHaveLength(1);
      expect(states(`  a: {${ENTRY}, ${allow}}\n`)).toEqual([]);
    },
  );
});

describe("lint of triggers and variables", () => {
  it("W-102 W-113 reports host keys, and none of the six that are read", () => {
    const read = "session: a, message: b, connection: c, description: d, requires: [e], returns: [f]";
    expect(states(`  a: {triggers: {t: {${read}, cron: x}}}\n`)).toEqual([
      "warn trigger/host-key states.a.triggers.t.cron",
    ]);
  });

  it("W-119 warns of a name in both lists", () => {
    expect(states("  a: {triggers: {t: {requires: [x], returns: [y, {name: x}]}}}\n")).toEqual([
      "warn signature/required-and-returned states.a.triggers.t.returns.1",
    ]);
  });

  it("W-147 warns of a name twice in requires", () => {
    expect(states(`  a: {${ENTRY}, requires: [x, y, x], ${TO_END}}\n${END}`)).toEqual([
      "warn variables/requires-duplicate states.a.requires.2",
    ]);
  });

  it.each(["password", "user_password", "api_key", "my_api_key_id", "secret", "token", "access_token"])(
    "A-80 warns of the credential %s",
    (name) => {
      expect(states(`  a: {triggers: {t: {requires: [${name}]}}, requires: [${name}], ${TO_END}}\n${END}`)).toEqual([
        "warn variables/credential-name states.a.triggers.t.requires.0",
        "warn variables/credential-name states.a.requires.0",
      ]);
    },
  );

  it("A-80 leaves other names alone", () => {
    expect(states("  a: {triggers: {t: {requires: [tokens, secretary, key, api]}}}\n")).toEqual([]);
  });

  it("W-143 W-153 warns of a lock on a name that a trigger seeds locked", () => {
    expect(states(`  a: {triggers: {t: {requires: [x]}}, locks: [x, y]}\n`)).toEqual([
      "warn locks/host-seeded states.a.locks.0",
    ]);
    expect(states(`  a: {triggers: {t: {requires: [x], returns: [x]}}, locks: [x]}\n`)).not.toContain(
      "warn locks/host-seeded states.a.locks.0",
    );
  });

  it("W-138 W-163 warns of guards on names that nothing guarantees", () => {
    const guard = (name: string) => `{tool: a, args: {x: ['k/\${{${name}.id}}']}}`;
    const text = `instructions: I\ntools: {forbid_always: [${guard("late")}]}\nstates:\n  a: {triggers: {t: {requires: [seeded]}}, requires: [needed], tools: {allow: [${["seeded", "needed", "trigger", "loose"].map(guard).join(", ")}]}, ${TO_END}}\n${END}`;
    expect(findings(text)).toEqual([
      "warn guard/unguaranteed-reference tools.forbid_always.0.args.x.0",
      "warn guard/unguaranteed-reference states.a.tools.allow.3.args.x.0",
    ]);
    const [always, here] = parseSpec(text).diagnostics;
    expect(always!.message).toContain("before anything could set it");
    expect(here!.message).not.toContain("before anything could set it");
  });
});
