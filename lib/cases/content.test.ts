import { describe, expect, it } from "vitest";
import type { Evidence } from "./assertion-record.js";
import { type ContentAssertion, checkContent } from "./content.js";
import { called, evidenceOf, note, says, step } from "./evidence.fixture.js";

const TALK = evidenceOf({
  messages: [
    { id: "u", role: "user", content: "a question of the user's" },
    says("Let me look."),
    ...called("lookup", { id: "${{order_id}}", deep: { a: 1, b: 2 } }),
    ...note("the bank has paid"),
    ...called("mail", { to: "a" }, { text: "no such address", status: "error" }),
    ...called("refund", { cents: 900 }, { text: "denied: too much", status: "error", blocked: true }),
    ...called("crm__open", {}, { text: "opened", tool: "crm__open" }),
    says("Your refund of 9.00 EUR is on its way."),
  ],
  reply: "Your refund of 9.00 EUR is on its way.",
});
const SILENT = evidenceOf({ messages: [says("Hello."), ...note("n")] });
const RUNS = evidenceOf({
  auditTrail: [
    step("sub-workflow", "chase", { workflow: "letters", status: "ok" }),
    step("sub-workflow", "chase", { workflow: "letters", status: "ok" }),
    step("sub-workflow", "chase", { workflow: "letters", status: "error" }),
    step("agent", "letters"),
  ],
});
const SET = evidenceOf({
  variables: {
    total: { value: 12, locked: true },
    order: { value: { id: "N-1", lines: [{ sku: "a" }, { sku: "b" }] }, locked: false },
    empty: { value: null, locked: false },
  },
});

const passing: [string, ContentAssertion, Evidence][] = [
  ["C-34", { reply: { includes: "9.00 EUR" } }, TALK],
  ["C-34", { reply: { includes: ["look", "/refund of \\d/"], excludes: "sorry" } }, TALK],
  ["C-34", { reply: { includes: "/look\\.\\n+Your/" } }, TALK],
  ["C-34", { reply: { excludes: ["a question of the user's", "the bank has paid"] } }, TALK],
  ["C-35", { calledTool: { name: "lookup" } }, TALK],
  ["C-35", { calledTool: { name: "lookup", input: { deep: { a: 1 } } } }, TALK],
  ["C-35", { calledTool: { name: "lookup", input: { id: "${{order_id}}" } } }, TALK],
  ["C-35 C-15", { calledTool: { name: "refund", input: { cents: "/^9/" } } }, TALK],
  ["C-35", { notCalledTool: { name: "send" } }, TALK],
  ["C-35", { notCalledTool: { name: "refund", input: { cents: 1 } } }, TALK],
  ["C-35 R-269", { notCalledTool: { name: "archmax_note" } }, TALK],
  ["C-35", { blockedTool: { name: "refund", input: { cents: 900 } } }, TALK],
  ["C-36 R-269", { usedNoTools: true }, SILENT],
  ["C-37", { ranWorkflow: { workflow: "letters" } }, RUNS],
  ["C-37", { ranWorkflow: { workflow: "letters", count: 2 } }, RUNS],
  ["C-37", { ranWorkflow: { workflow: "letters", status: "error", count: 1 } }, RUNS],
  ["C-37", { ranWorkflow: { workflow: "other", count: 0 } }, RUNS],
  ["C-38", { variables: { expect: { total: 12 } } }, SET],
  ["C-38", { variables: { expect: { order: { lines: [{ sku: "a" }, { sku: "b" }], id: "N-1" } } } }, SET],
  ["C-38", { variables: { expect: { empty: null } } }, SET],
  ["C-38", { variables: { expect: { order: "b" }, path: "lines.-1.sku" } }, SET],
  ["C-38", { variables: { expect: { total: 12 }, locked: true } }, SET],
  ["C-38", { variables: { expect: { total: 12 }, locked: { order: false } } }, SET],
];

const missing: [string, ContentAssertion, Evidence, string[]][] = [
  [
    "C-34",
    { reply: { includes: ["look", "sorry"], excludes: ["/9\\.00/"] } },
    evidenceOf({ messages: [says("look at 9.00")] }),
    [
      'reply.includes: "sorry" was not said; said: "look at 9.00"',
      'reply.excludes: "/9\\\\.00/" was said: "look at 9.00"',
    ],
  ],
  [
    "C-34",
    { reply: { includes: "the bank has paid" } },
    SILENT,
    ['reply.includes: "the bank has paid" was not said; said: "Hello."'],
  ],
  [
    "C-35",
    { calledTool: { name: "send" } },
    TALK,
    ["calledTool: send was not called; called: lookup, mail, refund, crm__open"],
  ],
  ["C-35", { calledTool: { name: "send" } }, SILENT, ["calledTool: send was not called; no tool was called"]],
  [
    "C-35",
    { calledTool: { name: "refund", input: { cents: "900" } } },
    TALK,
    ['calledTool: no call of refund had this input; its calls: {"cents":900}'],
  ],
  ["C-35", { notCalledTool: { name: "refund" } }, TALK, ['notCalledTool: refund was called: {"cents":900}']],
  [
    "C-35",
    { blockedTool: { name: "lookup" } },
    TALK,
    ['blockedTool: lookup was called and not blocked: {"id":"${{order_id}}","deep":{"a":1,"b":2}}'],
  ],
  ["C-35", { blockedTool: { name: "mail" } }, TALK, ['blockedTool: mail was called and not blocked: {"to":"a"}']],
  [
    "C-35",
    { blockedTool: { name: "refund", input: { cents: 1 } } },
    TALK,
    ["blockedTool: no such call of refund was made; called: lookup, mail, refund, crm__open"],
  ],
  ["C-36", { usedNoTools: true }, TALK, ["usedNoTools: called: lookup, mail, refund, crm__open"]],
  [
    "C-36",
    { usedNoTools: true },
    evidenceOf({ messages: [...called("archmax_advance", { to: "done" }), says("Done.")] }),
    ["usedNoTools: called: archmax_advance"],
  ],
  [
    "C-37",
    { ranWorkflow: { workflow: "other" } },
    RUNS,
    ["ranWorkflow: expected a run of other with status ok, the trail has 0"],
  ],
  [
    "C-37",
    { ranWorkflow: { workflow: "letters", count: 1 } },
    RUNS,
    ["ranWorkflow: expected 1 run of letters with status ok, the trail has 2, and 1 with another status"],
  ],
  [
    "C-37",
    { ranWorkflow: { workflow: "letters", count: 3 } },
    RUNS,
    ["ranWorkflow: expected 3 runs of letters with status ok, the trail has 2, and 1 with another status"],
  ],
  [
    "C-38",
    { variables: { expect: { total: "12", gone: 1, empty: 0 } } },
    SET,
    [
      'variables: total is 12, expected "12"',
      "variables: gone (not set), expected 1",
      "variables: empty is null, expected 0",
    ],
  ],
  [
    "C-38",
    { variables: { expect: { order: { id: "N-1" } } } },
    SET,
    ['variables: order is {"id":"N-1","lines":[{"sku":"a"},{"sku":"b"}]}, expected {"id":"N-1"}'],
  ],
  [
    "C-38",
    { variables: { expect: { order: { sku: "a", more: 1 } }, path: "lines.0" } },
    SET,
    ['variables: order.lines.0 is {"sku":"a"}, expected {"sku":"a","more":1}'],
  ],
  [
    "C-38",
    { variables: { expect: { order: "c" }, path: "lines.2.sku" } },
    SET,
    ['variables: order.lines.2.sku leads nowhere in {"id":"N-1","lines":[{"sku":"a"},{"sku":"b"}]}'],
  ],
  ["C-38", { variables: { expect: { total: 12 }, locked: false } }, SET, ["variables: total is locked"]],
  [
    "C-38",
    { variables: { expect: { total: 12 }, locked: { order: true, gone: false } } },
    SET,
    ["variables: order is not locked", "variables: gone (not set), expected it unlocked"],
  ],
];

describe("content assertions", () => {
  it.each(passing)("%s passes %j", (_id, assertion, evidence) => {
    expect(checkContent(assertion, evidence, 3).map(({ status }) => status)).not.toContain("failed");
  });

  it.each(missing)("%s misses %j", (_id, assertion, evidence, lines) => {
    const failed = checkContent(assertion, evidence, 3).filter(({ status }) => status === "failed");

    expect(failed.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual(lines);
  });

  it("C-34 C-43 has one record for each token, with kind, step and no threshold", () => {
    const records = checkContent({ reply: { includes: ["Hello", "x"], excludes: "y" } }, SILENT, 3);

    expect(records).toEqual([
      { kind: "reply.includes", status: "passed", threshold: null, step: 3 },
      { kind: "reply.includes", status: "failed", threshold: null, step: 3, detail: expect.any(String) },
      { kind: "reply.excludes", status: "passed", threshold: null, step: 3 },
    ]);
  });

  it("C-38 C-43 has one record for each expected name and one for each name whose lock is asked about", () => {
    const assertion = { variables: { expect: { total: 12, empty: null }, locked: { total: true, order: false } } };

    expect(checkContent(assertion, SET, 0).map(({ kind, status }) => `${kind} ${status}`)).toEqual(
      Array(4).fill("variables passed"),
    );
  });

  it("C-35 counts a tool that was called by its short name (R-58)", () => {
    const evidence = evidenceOf({ messages: called("open", {}, { text: "ok", tool: "crm__open" }) });

    for (const name of ["open", "crm__open"]) {
      expect(checkContent({ calledTool: { name } }, evidence, 0)[0]?.status).toBe("passed");
    }
  });
});
