import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { writeTree } from "../harness/temporary.js";
import type { RecordedRequest } from "../model-server/index.js";
import { advance, benches, blocks, calls, offered, results, says, setting, system } from "./support.js";

const open = benches();

const SPEC = `
title: Refunds
instructions: Be brief.
metadata: { canvas: CANARY_root_metadata }
states:
  work:
    title: CANARY_own_title
    summary: CANARY_own_summary
    metadata: { canvas: CANARY_own_metadata }
    instructions: Find the order.
    triggers:
      manual:
        description: CANARY_trigger_description
        requires: [{ name: order, type: string, description: The order. }]
        returns: [{ name: total, type: number, description: What is paid back. }]
    budget: { maxTurns: 40 }
    on_error: CANARY-slug-error
    transitions: [{ to: review }, { to: check, description: Have it checked }]
  review:
    type: human
    title: CANARY_review_title
    summary: CANARY_review_summary
    metadata: { canvas: CANARY_review_metadata }
    instructions: Approve the refund.
    evidence: [scratchpad/CANARY_evidence.md]
    approvers: [CANARY_approver]
    transitions: [{ to: work, description: Go on }, { to: CANARY-slug-far, description: CANARY_review_edge }]
  check:
    type: code
    title: CANARY_check_title
    script: scripts/CANARY_check.js
    requires: [canary_check_requires]
    transitions: [{ to: work }, { to: CANARY-slug-far, description: CANARY_check_edge }]
  CANARY-slug-far:
    title: CANARY_far_title
    summary: CANARY_far_summary
    instructions: CANARY_far_instructions
    model: CANARY_far_model
    tools: { allow: [far_tool] }
    requires: [canary_far_requires]
    locks: [canary_far_locks]
    budget: { maxTurns: 31 }
    metadata: { canvas: CANARY_far_metadata }
    triggers: { canary_far_trigger: { description: CANARY_far_trigger_text, requires: [canary_far_input], returns: [canary_far_output] } }
    transitions: [{ to: CANARY-slug-error, description: CANARY_far_edge }]
  CANARY-slug-error:
    instructions: CANARY_error_instructions
    on_error: CANARY-slug-far
`;

const files = {
  "AGENTS.md": "# House rules\n\nSpeak plainly.",
  "workflows/case/WORKFLOW.md": "Prices are in euros. <!-- CANARY_comment -->",
  "workflows/case/scripts/CANARY_check.js": "// CANARY_script\nexport default () => {};",
};
const tools = toolsFromMap({
  far_tool: { description: "CANARY_far_tool", inputSchema: { type: "object" }, handler: () => "" },
});

/** A session of three legs: work, a park with a reply, and work again in another process. */
async function threeLegs(options: Partial<BenchOptions> = {}) {
  const bench = await open({
    spec: SPEC,
    files,
    tools,
    replies: [
      calls(setting({ total: 12 })),
      advance("review"),
      says("Please approve."),
      says("It is 12."),
      calls(["ls"]),
      { ...calls(["archmax_wait", { reason: "the bank" }]), text: "Waiting." },
      says("Paid back."),
    ],
    ...options,
  });
  const variables = { order: "the-order-value" };
  await bench.agent.workflow.send("s1", { message: "A refund please.", variables });
  await bench.agent.workflow.reply("s1", "How much?");
  const other = await bench.again();
  bench.clock.advance(3_600_000);
  await other.workflow.decide("s1", { target: "work" });
  bench.clock.advance(86_400_000);
  const outcome = await (await bench.again()).workflow.deliver("s1", { trigger: { id: "paid" } });
  return { bench, outcome };
}

const bytes = (request: RecordedRequest | undefined) => JSON.stringify(request?.body);

describe("the static block", () => {
  it("R-271 W-274 W-275 is byte-identical in every call: states, parks, replies and processes", async () => {
    const { bench, outcome } = await threeLegs();
    const fixed = bench.requests.map((request) => blocks(request).fixed);

    expect(outcome.kind).toBe("completed");
    expect(fixed).toHaveLength(7);
    expect(new Set(fixed).size).toBe(1);
    expect(fixed[0]).not.toMatch(/\breview\b|\bs1\b|`order`|`total`|2026|Find the order/);
  });

  it("R-271 is the same for another session, on another agent", async () => {
    const one = await threeLegs();
    const two = await open({ spec: SPEC, files, tools, replies: [says("end")] });
    two.clock.advance(9_999_999);
    await two.agent.workflow.send("other", { message: "Hi.", variables: { order: "x", total: 1 } });

    expect(blocks(two.requests[0]).fixed).toBe(blocks(one.bench.requests[0]).fixed);
  });

  it("W-276 does not depend on what stands under `states`", async () => {
    const fixed = async (states: string) => {
      const bench = await open({ spec: `title: T\ninstructions: I.\nstates:\n${states}`, replies: [says("end")] });
      await bench.agent.workflow.send("s1", { message: "go" });
      return blocks(bench.requests[0]).fixed;
    };

    expect(await fixed("  a: { instructions: A., triggers: { manual: } }")).toBe(
      await fixed(
        "  b: { instructions: B., triggers: { manual: }, transitions: [{ to: c }] }\n  c: { instructions: C. }",
      ),
    );
  });

  it("W-256 W-274 begins with AGENTS.md, then the host's text, the platform prompt, and the workflow's own", async () => {
    const { bench } = await threeLegs({ systemPrompt: "You work for Acme." });
    const { fixed } = blocks(bench.requests[0]);
    const order = [
      "# House rules",
      "You work for Acme.",
      "# How you work here",
      "## Workspace",
      "# Workflow: Refunds",
      "Be brief.",
      "Prices are in euros.",
    ];
    const places = order.map((part) => fixed.indexOf(part));

    expect(places[0]).toBe(0);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it("W-254 W-255 WORKFLOW.md is appended without its comments; a comment-only one adds nothing", async () => {
    const fixed = async (addendum?: string) => {
      const bench = await open({
        spec: "states: { a: { instructions: A., triggers: { manual: } } }",
        files: addendum === undefined ? {} : { "workflows/case/WORKFLOW.md": addendum },
        replies: [says("end")],
      });
      await bench.agent.workflow.send("s1", { message: "go" });
      return blocks(bench.requests[0]).fixed;
    };
    const without = await fixed();

    expect(await fixed("<!-- only -->\n\n")).toBe(without);
    expect(await fixed("One.<!-- x -->  \n\n\n\nTwo.")).toContain("One.\n\nTwo.");
  });

  it("W-257 GRAPH_STATE.md replaces the platform prompt; its top-level passage is sent, its marker lines are not", async () => {
    const { bench } = await threeLegs({
      files: {
        ...files,
        ".platform/system/GRAPH_STATE.md":
          "Our own rules.\n<!-- top-level-only -->\nSet a title.\n<!-- /top-level-only -->\nEnd.",
      },
    });
    const { fixed } = blocks(bench.requests[0]);

    expect(fixed).toMatch(/Our own rules\.\s+Set a title\.\s+End\./);
    expect(fixed).not.toMatch(/How you work here|top-level-only/);
  });

  it("W-297 the built-in platform prompt asks for a one-line title", async () => {
    const { bench } = await threeLegs();

    expect(blocks(bench.requests[0]).fixed).toMatch(/one-line `title`[\s\S]*archmax_set_variables/);
  });
});

describe("the volatile block", () => {
  it("R-272 R-275 W-259 W-272 no canary of a state the session never enters is in any request", async () => {
    const { bench } = await threeLegs();

    for (const request of bench.requests) expect(bytes(request)).not.toMatch(/canary/i);
  });

  it("R-272 R-275 W-259 a target shows its slug, its kind, and its instructions where the edge has no description", async () => {
    const { bench } = await threeLegs();
    const { volatile } = blocks(bench.requests[0]);

    expect(volatile).toMatch(/`review` \(human decision node\): the work there is:\n {2}> Approve the refund\./);
    expect(volatile).toMatch(/`check` \(code\): Have it checked/);
    for (const reply of [2, 3]) expect(bytes(bench.requests[reply])).not.toMatch(/Approve the refund|Have it checked/);
  });

  it("R-273 names the state, says that it outranks the transcript, and changes with the move", async () => {
    const bench = await open({
      spec: `
states:
  one: { instructions: First., triggers: { manual: }, transitions: [{ to: two }] }
  two: { instructions: Second. }
`,
      replies: [advance("two"), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(blocks(bench.requests[0]).volatile).toMatch(/You are in state one\n\nThis overrides[\s\S]*First\./);
    expect(blocks(bench.requests[1]).volatile).toMatch(/You are in state two\n\nThis overrides[\s\S]*Second\./);
    expect(blocks(bench.requests[1]).volatile).not.toContain("First.");
  });

  it("R-274 lists variables by name, never by value", async () => {
    const { bench } = await threeLegs();

    expect(blocks(bench.requests[1]).volatile).toMatch(/`order`, `total`, `trigger`/);
    for (const request of bench.requests) expect(system(request)).not.toContain("the-order-value");
  });

  it("R-276 shows the opening trigger's signature and what finishing short does", async () => {
    const { bench } = await threeLegs();
    const { volatile } = blocks(bench.requests[0]);

    expect(volatile).toMatch(/order \(string\): The order\./);
    expect(volatile).toMatch(/total \(number\): What is paid back\./);
    expect(volatile).toMatch(/rejects the session/);
    expect(blocks(bench.requests.at(-1)).volatile).toContain("What is paid back.");
  });

  it("R-277 states the UTC time rounded down to ten minutes; `clock` replaces it there and nowhere else", async () => {
    const { bench } = await threeLegs();
    bench.clock.advance(0);
    const pinned = await open({
      spec: SPEC,
      files,
      tools,
      clock: "2030-01-02T03:45:00Z",
      replies: [{ ...calls(["archmax_wait", { reason: "r", until: "1h" }]), text: "w" }],
    });
    pinned.clock.advance(7 * 60_000);
    const outcome = await pinned.agent.workflow.send("s1", { message: "Hi.", variables: { order: "x" } });

    expect(blocks(bench.requests[0]).volatile).toMatch(/^It is Friday, 2026-03-20 09:00 UTC/);
    expect(blocks(bench.requests.at(-1)).volatile).toMatch(/^It is Saturday, 2026-03-21 10:00 UTC/);
    expect(blocks(pinned.requests[0]).volatile).toMatch(/^It is Wednesday, 2030-01-02 03:40 UTC/);
    expect(outcome.pending).toMatchObject({ resumeAt: "2026-03-20T10:07:00.000Z" });
  });

  it("R-277 a case's clock goes before the option, and a script's `Date` is neither", async () => {
    const { agent, requests } = await open({
      spec: SPEC,
      files,
      tools,
      clock: "2030-01-02T03:45:00Z",
      replies: [calls(["archmax_eval", { code: "new Date().toISOString().slice(0, 16)" }]), says("Yes."), says("No.")],
    });
    const input = { message: "Hi.", variables: { order: "x", total: 1 } };
    const outcome = await agent.workflow.send("s1", input, { pinnedClockMs: Date.UTC(2040, 0, 1, 12, 39) });
    await agent.workflow.send("s2", input, { pinnedClockMs: null });

    const told = requests.map((request) => blocks(request).volatile.slice(0, 45));
    expect(told[0]).toContain("2040-01-01 12:30 UTC");
    expect(told.at(-1)).toContain("2026-03-20 09:00 UTC");
    expect(results(outcome)[0]?.text).toBe("2026-03-20T09:00");
  });

  it("W-279 is byte-identical over the calls of a visit within ten minutes", async () => {
    const bench = await open({ spec: SPEC, files, tools, replies: [calls(["ls"]), calls(["ls"]), says("end")] });
    await bench.agent.workflow.send("s1", { message: "Hi.", variables: { order: "x", total: 1, b: 1, a: 1 } });
    const volatile = bench.requests.map((request) => blocks(request).volatile);

    expect(volatile).toHaveLength(3);
    expect(new Set(volatile).size).toBe(1);
    expect(volatile[0]).toMatch(/`a`, `b`, `order`, `total`, `trigger`/);
  });

  it("R-271 W-277 the volatile block comes after the static one, before the transcript", async () => {
    const { bench } = await threeLegs();

    for (const { body } of bench.requests) {
      expect(body.messages.map(({ role }) => role).indexOf("system")).toBe(0);
      expect(body.messages.filter(({ role }) => role === "system")).toHaveLength(1);
      expect(body.messages[1]).toMatchObject({ role: "user", content: "A refund please." });
    }
  });
});

describe("whole requests", () => {
  const inert = (keys: string, more = "") => `
${more}
states:
  work:
    ${keys}
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: ask }]
  ask: { type: human, instructions: Decide., ${keys.includes("title") ? "title: X, approvers: [a], evidence: [scratchpad/e.md]," : ""} transitions: [{ to: work, description: On }] }
`;

  it("W-273 documents that differ in title, summary, metadata, budget, on_error, evidence and approvers give the same bytes", async () => {
    const requests = async (spec: string) => {
      const bench = await open({ spec, replies: [calls(["ls"]), advance("ask"), says("Please."), says("Yes.")] });
      await bench.agent.workflow.send("s1", { message: "go" });
      await bench.agent.workflow.reply("s1", "Sure?");
      return bench.requests.map(bytes);
    };
    const keys = "title: T\n    summary: S\n    metadata: { x: 1 }\n    budget: { maxTurns: 9 }\n    on_error: ask";

    expect(await requests(inert(keys, "metadata: { y: 2 }"))).toEqual(await requests(inert("locks: []")));
  });

  it("F-46 W-275 each request is a prefix of the next one's transcript", async () => {
    const { bench } = await threeLegs();
    const transcripts = bench.requests.map(({ body }) =>
      body.messages.slice(1).map((message) => JSON.stringify(message)),
    );

    for (const [index, transcript] of transcripts.entries()) {
      const before = transcripts[index - 1] ?? [];
      expect(transcript.slice(0, before.length)).toEqual(before);
    }
  });

  it("F-46 prompts and instructions are in the requests, and in no stored message", async () => {
    const { bench, outcome } = await threeLegs();

    expect(JSON.stringify(bench.requests[0]?.body.messages)).toMatch(/Be brief.*Find the order/);
    expect(JSON.stringify(outcome.messages)).not.toMatch(/Find the order|Be brief|House rules|Approve the refund/);
    expect(outcome.messages.every(({ role }) => role !== ("system" as string))).toBe(true);
  });

  it("W-278 R-219 the tool definitions change only with the state", async () => {
    const { bench } = await threeLegs();
    const sets = bench.requests.map(({ body }) => JSON.stringify(body.tools));

    expect(sets[0]).toBe(sets[1]);
    expect(sets[4]).toBe(sets[6]);
    expect(offered(bench.requests[0])).not.toContain("far_tool");
  });

  it("F-59 F-51 results follow their message in call order, and every message has an id of its own", async () => {
    const bench = await open({
      spec: SPEC,
      files,
      tools,
      replies: [calls(["ls"], ["glob", { pattern: "*" }], setting({ total: 1 })), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Hi.", variables: { order: "x" } });
    const sent = bench.requests[1]?.body.messages ?? [];

    expect(sent.slice(3).map(({ tool_call_id }) => tool_call_id)).toEqual(["call_1_1", "call_1_2", "call_1_3"]);
    expect(new Set(outcome.messages.map(({ id }) => id)).size).toBe(outcome.messages.length);
  });

  it("R-32 F-36 an edit between turns is adopted, and changes the static block from then on", async () => {
    const bench = await open({
      spec: SPEC,
      files,
      tools,
      replies: [calls(setting({ total: 1 })), says("one"), says("two")],
    });
    await bench.agent.workflow.send("s1", { message: "Hi.", variables: { order: "x" } });
    writeTree(bench.rootDir, { "workflows/case/workflow.yaml": SPEC.replace("Be brief.", "Be long.") });
    await (await bench.again()).workflow.send("s1", { message: "And now?" });

    expect(blocks(bench.requests[1]).fixed).toContain("Be brief.");
    expect(blocks(bench.requests[2]).fixed).toContain("Be long.");
  });
});

describe("what a model may answer", () => {
  const ONE = "states: { work: { instructions: Work., triggers: { manual: } } }";

  it("F-61 R-50 neither text nor calls: not stored, not sent, and the turn ends", async () => {
    const bench = await open({ spec: ONE, replies: [{ text: "" }, says("two")] });
    const outcome = await bench.agent.workflow.send("s1", { message: "one" });
    await bench.agent.workflow.send("s1", { message: "again" });

    expect(outcome).toMatchObject({ kind: "completed", reply: "" });
    expect(outcome.messages).toHaveLength(1);
    expect(bench.requests[1]?.body.messages.map(({ role }) => role)).toEqual(["system", "user", "user"]);
  });

  it("F-64 F-65 calls with broken arguments are each answered with an error, stored as objects, and the turn goes on", async () => {
    const bench = await open({
      spec: ONE,
      replies: [
        {
          toolCalls: [
            { name: "ls", args: '{"path": "scr' },
            { name: "ls", args: "[1]" },
          ],
        },
        { toolCalls: [{ name: "ls", args: '"text"' }] },
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome)).toEqual(
      Array.from({ length: 3 }, () => ({
        tool: "ls",
        status: "error",
        refusal: "invalid-arguments",
        text: expect.stringMatching(/JSON/),
      })),
    );
    expect(outcome.messages.flatMap((message) => message.tool_calls ?? []).map(({ args }) => args)).toEqual([
      {},
      {},
      {},
    ]);
    expect(outcome.kind).toBe("completed");
  });

  it("F-66 R-293 empty and repeated call ids are replaced; history, results and events agree", async () => {
    const bench = await open({
      spec: ONE,
      replies: [
        {
          toolCalls: [
            { id: "same", name: "ls" },
            { id: "same", name: "ls" },
            { id: "", name: "ls" },
          ],
        },
        { toolCalls: [{ id: "same", name: "ls" }] },
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const made = outcome.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);
    const answered = outcome.messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
    const told = bench.events
      .filter(({ type }) => type === "tool-result")
      .map((event) => "callId" in event && event.callId);

    expect(new Set(made).size).toBe(4);
    expect(made[0]).toBe("same");
    expect(answered).toEqual(made);
    expect(told.sort()).toEqual([...made].sort());
  });

  it("F-66 a call id cannot be one that a runtime note has or will have", async () => {
    const bench = await open({
      spec: `
states:
  work: { instructions: Work., triggers: { manual: }, transitions: [{ to: gate, description: on }] }
  gate: { type: code, script: scripts/gate.js, transitions: [{ to: work }] }
`,
      files: {
        "workflows/case/scripts/gate.js": `export default ({ tools }) => tools.archmax_advance({ to: "work", reason: "r" });`,
      },
      replies: [calls(["archmax_advance", { to: "gate", reason: "r" }, "note-3"]), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const ids = outcome.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
  });

  it("F-60 a 400 is never sent again, and what stands beside calls is empty text", async () => {
    const bench = await open({
      spec: ONE,
      replies: [calls(["ls"]), { status: 400, error: { message: "bad request" } }],
    });

    await expect(bench.agent.workflow.send("s1", { message: "go" })).rejects.toThrow(/bad request/);
    expect(bench.requests).toHaveLength(2);
    expect(bench.requests[1]?.body.messages.find(({ role }) => role === "assistant")?.content).toBe("");
  });

  it("F-58 a history with calls goes with tools, although the state grants none", async () => {
    const bench = await open({
      spec: `
states:
  work: { instructions: Work., triggers: { manual: }, transitions: [{ to: bare }] }
  bare:
    instructions: Just say it.
    tools: { forbid: ["*"] }
`,
      replies: [advance("bare"), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(offered(bench.requests[1])).toEqual(["archmax_advance"]);
  });
});
