import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ACTION_KEYS,
  ASSERTION_KEYS,
  CASE_KEYS,
  CaseSchemaError,
  parseCaseDocument,
  placeOf,
  readCaseDocument,
} from "./index.js";

const FILE = "workflows/w/tests/refunds/veto.test.yaml";
const TESTS = "workflows/w/tests";

const read = (source: string) => readCaseDocument(FILE, source, TESTS);
const head = "title: A case\ndescription: What it shows.\n";
const withSteps = (...steps: string[]) =>
  `${head}steps:\n  - send: hello\n${steps.map((step) => `  - ${step}\n`).join("")}`;

/** `code place` of every problem. */
const found = (source: string) => read(source).problems.map(({ code, path }) => `${code} ${placeOf(path)}`.trim());

describe("case documents", () => {
  it("C-2 C-6 C-24 parses every key and every kind of step", () => {
    const source = `
title: Everything
description: All keys.
skip: not today
trigger: { id: mail }
variables: { order: { id: 1 }, title: Task }
workspace: { order.json: { from: fixtures/o.json }, scratchpad/a/b.md: text, list.json: [1, 2] }
mocks:
  - { tool: lookup, whenInput: { id: "/^N/i" }, result: null }
clock: 2026-03-20
steps:
  - send: hello
  - decide: { to: next, comment: fine }
  - deliver: { trigger: timer, variables: { a: 1 } }
  - succeeded: true
  - parked: true
  - parked: input
  - parked: { channel: decision, state: review }
  - parked: {}
  - raised: true
  - raised: no-order
  - raised: { code: no-order, reason: /none/ }
  - reachedState: done
  - trail: { to: done, kind: code, reason: paid, count: 0 }
  - noTraversal: true
  - triggerArrival: mail
  - reply: { includes: yes, excludes: [no, /never/i] }
  - calledTool: { name: lookup, input: { id: "1" } }
  - notCalledTool: { name: lookup }
  - blockedTool: { name: lookup }
  - usedNoTools: true
  - ranWorkflow: { workflow: child, status: error, count: 2 }
  - variables: { expect: { order: 1 }, path: lines.-1.id, locked: { order: true, other: false } }
  - grade: { closedQA: it is polite, atLeast: 0.5 }
`;
    const reading = read(source);
    expect(reading.problems).toEqual([]);
    expect(reading.document).toMatchObject({ id: "refunds/veto", title: "Everything", clock: "2026-03-20" });
    expect(reading.document?.steps).toHaveLength(23);
    expect(reading.document?.mocks).toEqual([{ tool: "lookup", whenInput: { id: "/^N/i" }, result: null }]);
  });

  it("C-6 allows steps to be absent", () => {
    expect(parseCaseDocument(FILE, head, TESTS).steps).toEqual([]);
  });

  it.each<[ids: string, source: string, expected: string[]]>([
    ["C-6", `${head}stages: []`, ["case/schema stages"]],
    ["C-6", `${head}trigger: { id: a, state: b }`, ["case/schema trigger.state"]],
    ["C-6", `${head}mocks: [{ tool: a }]`, ["case/schema mocks[0].result"]],
    ["C-6", `${head}mocks: [{ tool: a, result: 1, times: 2 }]`, ["case/schema mocks[0].times"]],
    ["C-6", `${head}skip: " "`, ["case/schema skip"]],
    ["C-6", `${head}variables: { Order: 1 }`, ["case/schema variables.Order"]],
    ["C-6", `${head}variables: { trigger: 1 }`, ["case/schema variables.trigger"]],
    ["C-6", "- a\n- b\n", ["case/schema"]],
    ["C-6", "title: [a", ["case/schema"]],
    ["C-6", `${head}title: twice`, ["case/schema title"]],
    ["shape of C-3", `${head}---\n${head}`, ["case/schema"]],
    ["C-6", "", ["case/schema"]],
    ["C-7", "description: d\n", ["case/title"]],
    ["C-7", `title: ${"x".repeat(61)}\ndescription: d\n`, ["case/title title"]],
    ["C-7", `title: "two\\nlines"\ndescription: d\n`, ["case/title title"]],
    ["C-7", `title: 12\ndescription: d\n`, ["case/title title"]],
    ["C-7", "title: t\n", ["case/description"]],
    ["C-7", `title: t\ndescription: ${"x".repeat(201)}\n`, ["case/description description"]],
    ["C-12", `${head}clock: tomorrow`, ["case/schema clock"]],
    ["C-12", `${head}clock: 2026-02-30`, ["case/schema clock"]],
    ["C-12", `${head}clock: 2026-03-20T10:00:00`, ["case/schema clock"]],
    ["C-13", `${head}workspace: { ../a: x }`, ["case/workspace-path workspace.../a"]],
    ["C-13", `${head}workspace: { workflows/w/x: x }`, ["case/workspace-path workspace.workflows/w/x"]],
    ["C-13", `${head}workspace: { checkpoints: x }`, ["case/workspace-path workspace.checkpoints"]],
    ["C-13", `${head}workspace: { folder/a: x }`, ["case/workspace-path workspace.folder/a"]],
    ["C-13", `${head}workspace: { scratchpad: x }`, ["case/workspace-path workspace.scratchpad"]],
    ["C-13", `${head}workspace: { a: { from: "" } }`, ["case/fixture-escapes workspace.a.from"]],
    ["C-13", `${head}workspace: { a: { from: /etc/x } }`, ["case/fixture-escapes workspace.a.from"]],
    ["C-13", `${head}workspace: { a: { from: b/../../x } }`, ["case/fixture-escapes workspace.a.from"]],
    ["C-15", withSteps("reply: { includes: [fine, /(/] }"), ["case/regex steps[1].reply.includes[1]"]],
    ["C-15", withSteps("raised: { reason: /a/qq }"), ["case/regex steps[1].raised.reason"]],
    [
      "C-15",
      withSteps("trail: { reason: /[/, count: 1 }".replace("/[/", '"/[/"')),
      ["case/regex steps[1].trail.reason"],
    ],
    [
      "C-15",
      withSteps('calledTool: { name: a, input: { b: { c: ["/(/"] } } }'),
      ["case/regex steps[1].calledTool.input.b.c[0]"],
    ],
    ["C-15", `${head}mocks: [{ tool: a, whenInput: { b: "/*/" }, result: 1 }]`, ["case/regex mocks[0].whenInput.b"]],
    ["C-17", `${head}mocks: [{ tool: a, whenInput: b, result: 1 }]`, ["case/schema mocks[0].whenInput"]],
    ["C-17", withSteps("blockedTool: { name: a, input: [1] }"), ["case/schema steps[1].blockedTool.input"]],
    ["C-20", `${head}mocks: [{ tool: archmax_advance, result: 1 }]`, ["case/control-mock mocks[0].tool"]],
    ["C-20", `${head}mocks: [{ tool: archmax_get_history, result: 1 }]`, ["case/control-mock mocks[0].tool"]],
    ["C-24", withSteps("wait: 1"), ["case/schema steps[1].wait"]],
    ["C-24", withSteps("{ succeeded: true, noTraversal: true }"), ["case/schema steps[1]"]],
    ["C-24", withSteps("just text"), ["case/schema steps[1]"]],
    ["C-24", `${head}steps: [{ succeeded: true }]`, ["case/schema steps[0]"]],
    ["C-24", `${head}steps: [{ send: "" }]`, ["case/schema steps[0].send"]],
    ["C-24", `${head}steps: [{ decide: { comment: x } }]`, ["case/schema steps[0].decide.to"]],
    [
      "C-24",
      `${head}steps: [{ deliver: { trigger: t, variables: { A: 1 } } }]`,
      ["case/schema steps[0].deliver.variables.A"],
    ],
    ["shape of C-27", withSteps("succeeded: false"), ["case/schema steps[1].succeeded"]],
    ["shape of C-28", withSteps("parked: timer"), ["case/schema steps[1].parked"]],
    ["shape of C-28", withSteps("parked: { channel: mail }"), ["case/schema steps[1].parked.channel"]],
    ["shape of C-29", withSteps("raised: false"), ["case/schema steps[1].raised"]],
    ["shape of C-30", withSteps("reachedState: [a]"), ["case/schema steps[1].reachedState"]],
    ["shape of C-31", withSteps("trail: { count: 1 }"), ["case/schema steps[1].trail"]],
    ["shape of C-31", withSteps("trail: { to: a }"), ["case/schema steps[1].trail.count"]],
    ["shape of C-31", withSteps("trail: { to: a, count: -1 }"), ["case/schema steps[1].trail.count"]],
    ["shape of C-31", withSteps("trail: { kind: robot, count: 1 }"), ["case/schema steps[1].trail.kind"]],
    ["shape of C-32", withSteps("noTraversal: 1"), ["case/schema steps[1].noTraversal"]],
    ["shape of C-33", withSteps("triggerArrival:"), ["case/schema steps[1].triggerArrival"]],
    ["shape of C-34", withSteps("reply: {}"), ["case/schema steps[1].reply"]],
    ["shape of C-34", withSteps("reply: { includes: [a, 5] }"), ["case/schema steps[1].reply.includes[1]"]],
    ["shape of C-35", withSteps("notCalledTool: { input: {} }"), ["case/schema steps[1].notCalledTool.name"]],
    ["shape of C-36", withSteps("usedNoTools: no"), ["case/schema steps[1].usedNoTools"]],
    [
      "shape of C-37",
      withSteps("ranWorkflow: { workflow: a, status: fine }"),
      ["case/schema steps[1].ranWorkflow.status"],
    ],
    ["shape of C-38", withSteps("variables: { path: a }"), ["case/schema steps[1].variables.expect"]],
    ["shape of C-38", withSteps("variables: { expect: { B: 1 } }"), ["case/schema steps[1].variables.expect.B"]],
    [
      "shape of C-38",
      withSteps("variables: { expect: { b: 1 }, path: a..b }"),
      ["case/schema steps[1].variables.path"],
    ],
    [
      "shape of C-38",
      withSteps("variables: { expect: { b: 1 }, locked: { b: 1 } }"),
      ["case/schema steps[1].variables.locked.b"],
    ],
    ["shape of C-39", withSteps('grade: { closedQA: "", atLeast: 1 }'), ["case/schema steps[1].grade.closedQA"]],
    ["shape of C-39", withSteps("grade: { closedQA: a, atLeast: 1.1 }"), ["case/schema steps[1].grade.atLeast"]],
  ])("%s refuses %j", (_ids, source, expected) => {
    expect(found(source)).toEqual(expected);
  });

  it("C-7 counts the collapsed text and stores it", () => {
    const folded = `title: t\ndescription: |\n  ${"word \n  ".repeat(40)}\n`;
    expect(parseCaseDocument(FILE, folded, TESTS).description).toBe("word ".repeat(40).trim());
  });

  it("C-7 names field, limit and measured length", () => {
    const [problem] = read(`title: ${"x".repeat(64)}\ndescription: d\n`).problems;
    expect(problem?.message).toMatch(/title.*64.*60/);
  });

  it("C-12 accepts a day, an instant with an offset and the empty clock", () => {
    for (const clock of ["2026-03-20", "2026-03-20T09:30:00Z", "2026-03-20T09:30:00+02:00", '""']) {
      expect(found(`${head}clock: ${clock}`)).toEqual([]);
    }
  });

  it("C-6 lists the known keys, and C-24 the known steps", () => {
    expect(read(`${head}stages: []`).problems[0]?.message).toContain("title, description, skip, trigger, variables");
    const [step] = read(withSteps("wait: 1")).problems;
    expect(step?.message).toMatch(/send, decide, deliver.*succeeded, parked/);
  });

  it("C-8 reports all problems with file, place and position", () => {
    const source = withSteps('reply: { includes: ["/(/"] }', "succeeded: false", "wait: 1");
    let caught: unknown;
    try {
      parseCaseDocument(FILE, source, TESTS);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(CaseSchemaError);
    const { file, message, problems } = caught as CaseSchemaError;
    expect(file).toBe(FILE);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [5, 25],
      [6, 5],
      [7, 5],
    ]);
    expect(message).toContain(`${FILE}:5:25: steps[1].reply.includes[0]: `);
    expect(message).toContain("steps[2].succeeded");
    expect(message).toContain("steps[3].wait");
  });

  it("C-9 validates the rest of a skipped document", () => {
    expect(found(`${head}skip: later\nclock: never`)).toEqual(["case/schema clock"]);
  });

  it("C-8 answers any text with a document or a CaseSchemaError", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const step = fc.dictionary(fc.constantFrom(...ACTION_KEYS, ...ASSERTION_KEYS), value, { maxKeys: 2 });
    const document = fc.dictionary(fc.constantFrom(...CASE_KEYS, "other"), fc.oneof(value, fc.array(step)));
    const source = fc.oneof(
      fc.string(),
      document.map((shape) => JSON.stringify(shape)),
    );
    fc.assert(
      fc.property(source, (text) => {
        const { document: parsed, problems } = read(text);
        expect(parsed !== null || problems.length > 0).toBe(true);
        for (const { message } of problems) expect(message).not.toBe("");
      }),
      { numRuns: 300 },
    );
  });
});
