/** The steps of a case: its actions on one session, what its assertions read, and how it halts or dies. */
import { describe, expect, it } from "vitest";
import { advance, calls, says } from "../turn/support.js";
import { ANSWERS, always, REVIEWED, WAITS } from "../turn/workflows.js";
import { suites } from "./bench.js";

const open = suites();
const statuses = (records: readonly { kind: string; status: string; step: number }[]) =>
  records.map(({ kind, status, step }) => `${step} ${kind} ${status}`);

describe("actions", () => {
  it("C-24 send opens a turn and answers at a human park, where the session stays; decide leads on", async () => {
    const suite = await open({
      spec: REVIEWED,
      replies: [advance("review"), says("Please decide."), says("It is the lamp."), says("Sent.")],
      cases: {
        "a.test.yaml": `
variables: { order: N-1 }
steps:
  - send: Go.
  - parked: { channel: decision, state: review }
  - send: Which one is it?
  - parked: { channel: decision, state: review }
  - reply: { includes: It is the lamp. }
  - decide: { to: send, comment: It may go. }
  - succeeded: true
  - trail: { kind: human, to: send, count: 1 }
  - reachedState: send
`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
    expect(JSON.stringify(suite.requests.at(-1)!.body.messages)).toContain("It may go.");
  });

  it("C-24 deliver continues a wait with any trigger and its variables; a send delivers the case's own", async () => {
    const suite = await open({
      spec: WAITS,
      replies: [
        { text: "I wait.", ...calls(["archmax_wait", { reason: "r" }]) },
        { text: "I wait again.", ...calls(["archmax_wait", { reason: "r" }]) },
        advance("done"),
        says("Bye."),
      ],
      cases: {
        "a.test.yaml": `
variables: { order: { note: N-1 } }
trigger: { id: ordered }
steps:
  - send: Go.
  - parked: input
  - deliver: { trigger: bank_paid, variables: { paid: 12 } }
  - parked: { channel: input, state: work }
  - triggerArrival: bank_paid
  - variables: { expect: { paid: 12 }, locked: true }
  - send: Anything new?
  - trail: { kind: trigger, reason: ordered, count: 2 }
  - succeeded: true
`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
  });

  it("C-26 assertions read the last action's outcome and the whole session", async () => {
    const suite = await open({
      spec: ANSWERS,
      replies: [calls(["ls", { path: "." }]), says("First."), says("Second.")],
      cases: {
        "a.test.yaml": `
steps:
  - send: One.
  - reply: { includes: First., excludes: Second. }
  - send: Two.
  - succeeded: true
  - reply: { includes: [First., Second.] }
  - calledTool: { name: ls }
  - triggerArrival: manual
`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
  });
});

describe("halting", () => {
  it("C-44 C-43 halts at a structural miss: nothing further is driven, and later assertions have one record each", async () => {
    const suite = await open({
      spec: ANSWERS,
      answer: always("Hello."),
      cases: {
        "a.test.yaml": `
steps:
  - send: One.
  - reply: { includes: Hello. }
  - parked: true
  - send: Two.
  - reply: { includes: [a, b], excludes: c }
  - reply: { excludes: [c, d] }
  - grade: { closedQA: Is it kind?, atLeast: 0.5 }
  - variables: { expect: { a: 1, b: 2 } }
  - succeeded: true
`,
      },
    });
    const { records, verdict, error } = await suite.one();

    expect(statuses(records)).toEqual([
      "1 reply.includes passed",
      "2 parked failed",
      "4 reply.includes not-executed",
      "5 reply.excludes not-executed",
      "6 grade.closedQA not-executed",
      "7 variables not-executed",
      "8 succeeded not-executed",
    ]);
    expect(records[4]!.threshold).toBe(0.5);
    expect(verdict.failures).toEqual(["parked: expected it parked: it completed in answer"]);
    expect(error).toBeUndefined();
    expect(suite.requests).toHaveLength(1);
  });

  it("C-34…C-38 C-44 goes on after content that misses", async () => {
    const suite = await open({
      spec: ANSWERS,
      answer: always("Hello."),
      cases: {
        "a.test.yaml": `
steps:
  - send: One.
  - reply: { includes: x }
  - calledTool: { name: ls }
  - ranWorkflow: { workflow: other }
  - variables: { expect: { a: 1 } }
  - grade: { closedQA: Is it kind?, atLeast: 0 }
  - send: Two.
  - succeeded: true
`,
      },
    });
    const { records, verdict } = await suite.one();

    expect(records.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed", "failed", "passed"]);
    expect(verdict.failures).toHaveLength(5);
    expect(suite.requests).toHaveLength(2);
  });
});

describe("dying", () => {
  it.each([
    ["a decision", "decide: { to: send }", /does not wait for a decision/],
    ["a delivery", "deliver: { trigger: timer }", /does not wait for an event/],
  ])(
    "C-25 C-45 dies of %s for a session that is not parked so, as it throws for a host",
    async (_what, action, told) => {
      const suite = await open({
        spec: REVIEWED,
        answer: always("Hello."),
        cases: {
          "a.test.yaml": `steps: [{ send: Go }, { reply: { includes: x } }, { ${action} }, { succeeded: true }]`,
        },
      });
      const { error, records, verdict } = await suite.one();

      expect(error).toMatch(told);
      expect(verdict).toEqual({
        status: "failed",
        failures: [error, 'reply.includes: "x" was not said; said: "Hello."'],
      });
      expect(statuses(records)).toEqual(["1 reply.includes failed", "3 succeeded not-executed"]);
    },
  );

  it("C-45 C-25 dies of a decision that the parked state does not offer", async () => {
    const suite = await open({
      spec: REVIEWED,
      replies: [advance("review"), says("Please decide.")],
      cases: { "a.test.yaml": "steps: [{ send: Go }, { decide: { to: nowhere } }, { succeeded: true }]" },
    });
    const { error, records } = await suite.one();

    expect(error).toContain("nowhere");
    expect(statuses(records)).toEqual(["2 succeeded not-executed"]);
  });

  it("C-45 C-29 dies of a turn that throws, which is no raise", async () => {
    const suite = await open({
      spec: ANSWERS,
      replies: [{ status: 400, error: { message: "The provider says no." } }],
      cases: { "a.test.yaml": "steps: [{ send: Go }, { raised: true }]", "b.test.yaml": "steps: []" },
    });
    const { results } = await suite.run();

    expect(results[0]!.error).toBeDefined();
    expect(results[0]!.verdict.failures).toEqual([results[0]!.error]);
    expect(statuses(results[0]!.records)).toEqual(["1 raised not-executed"]);
    expect(results[1]!.verdict.status).toBe("passed");
  });

  it("C-27 C-29 a raise is no death, and a tool that failed does not keep a turn from succeeding", async () => {
    const suite = await open({
      spec: ANSWERS,
      replies: [
        calls(["read_file", { file_path: "none.txt" }]),
        says("Well."),
        calls(["archmax_raise", { code: "no-order", reason: "There is no order." }]),
      ],
      cases: {
        "a.test.yaml": `
steps:
  - send: One.
  - succeeded: true
  - send: Two.
  - raised: { code: no-order, reason: /no order/ }
  - notCalledTool: { name: ls }
`,
      },
    });
    const { verdict, error } = await suite.one();

    expect(verdict.failures).toEqual([]);
    expect(error).toBeUndefined();
  });

  it("C-24 a document whose assertion has nothing before it is in error at that index", async () => {
    const suite = await open({
      spec: ANSWERS,
      cases: { "a.test.yaml": "steps: [{ succeeded: true }, { send: Go }]" },
    });

    expect((await suite.one()).error).toContain("steps[0]");
  });
});
