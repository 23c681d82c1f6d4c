import { afterEach, describe, expect, it } from "vitest";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import { aBench, type Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { byModel, worker, workflow } from "./delegating.js";
import { advance, calls, ofType, results, setting, types } from "./support.js";
import { ANSWERS, gate, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

/** One agent state with host tools, and a way on. */
const TOOLED = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [one, two, crm__find, fails, write_file] }
    transitions: [{ to: next }, { to: other }]
  next:
    instructions: Next.
    tools: { allow: [one] }
    transitions: [{ to: work }]
  other:
    instructions: Other.
    transitions: [{ to: work }]
`;

function tool(
  handler: ToolDescriptor["handler"],
  properties: Record<string, unknown> = { n: { type: "integer" }, text: { type: "string" } },
): ToolDescriptor {
  return { description: "A tool.", inputSchema: { type: "object", properties }, readOnly: true, handler };
}

function tooled(tools: Record<string, ToolDescriptor["handler"]>): ReturnType<typeof toolsFromMap> {
  const none = () => "done";
  const all = { one: none, two: none, crm__find: none, fails: none, ...tools };
  return toolsFromMap(Object.fromEntries(Object.entries(all).map(([name, handler]) => [name, tool(handler)])));
}

describe("steps", () => {
  it("R-46 R-47 W-173 H-67 F-19 counts model calls, batches and automated runs, and fails the step beyond the limit", async () => {
    const spec = `
states:
  check:
    type: code
    triggers: { manual: }
    script: scripts/check.js
    transitions: [{ to: work }]
  work:
    instructions: Work.
`;
    const files = {
      "workflows/case/scripts/check.js":
        'export default ({ tools }) => tools.archmax_advance({ to: "work", reason: "Fine." });\n',
    };
    bench = await aBench({
      spec,
      files,
      answer: ({ body }) =>
        body.messages.at(-1)?.role === "tool" && body.messages.length > 4
          ? { text: "Done." }
          : calls(["ls", { path: "/" }]),
    });
    const { send } = bench.agent.workflow;

    // The script, two model calls and the batch between them.
    expect(await send("enough", { message: "Go" }, { recursionLimit: 4 })).toMatchObject({ kind: "completed" });
    for (const recursionLimit of [1, 2, 3]) {
      await expect(send(`limit-${recursionLimit}`, { message: "Go" }, { recursionLimit })).rejects.toMatchObject({
        code: "recursion-limit",
        limit: recursionLimit,
      });
      expect(await bench.agent.sessions.get(`limit-${recursionLimit}`)).toMatchObject({
        status: "failed",
        workflowState: "work",
        exit: { code: "recursion-limit" },
      });
    }
  });

  it("R-47 W-173 F-19 takes 400 steps unless told otherwise, and then the next message", async () => {
    bench = await aBench({
      spec: ANSWERS,
      answer: ({ body }) =>
        body.messages.at(-1)?.content === "Enough" ? { text: "Stopped." } : calls(["archmax_get_variables"]),
    });
    const { send } = bench.agent.workflow;

    await expect(send("s1", { message: "Go" })).rejects.toMatchObject({ code: "recursion-limit", limit: 400 });
    expect(bench.requests).toHaveLength(200);
    expect(await send("s1", { message: "Enough" })).toMatchObject({ kind: "completed", reply: "Stopped." });
  }, 60_000);

  it("R-47 starts at zero at every decision, reply and delivery", async () => {
    bench = await aBench({
      spec: REVIEWED,
      replies: [toReview, { text: "Please." }, { text: "Hm." }, waitForReply, toReview, { text: "Please." }],
    });
    const { send, decide, reply, deliver } = bench.agent.workflow;
    const config = { recursionLimit: 3 };

    await send("s1", { message: "Go" }, config);
    await reply("s1", "Hm?", config);
    await decide("s1", { target: "work" }, config);
    expect(await deliver("s1", { trigger: { id: "x" } }, config)).toMatchObject({
      kind: "parked",
      parkedChannel: "decision",
    });
  });

  it("R-49 commits all of a step's effects together", async () => {
    const seen: unknown[] = [];
    const sessions = createMemorySessionStore();
    const watched = wrapStore(sessions, async (op, run) => {
      const result = await run();
      if (op.name === "commit" || op.name === "settle") {
        const summary = await bench.agent.sessions.get("s1");
        seen.push([
          summary?.workflowState,
          summary?.status,
          summary?.variables?.n?.value,
          await bench.agent.sessions.messageCount("s1"),
        ]);
      }
      return result;
    });
    bench = await aBench({
      spec: REVIEWED,
      replies: [calls(setting({ n: 1 }), ["archmax_advance", { to: "review", reason: "Ready." }]), { text: "Please." }],
      stores: { sessions: watched, files: createMemoryFileStore() },
    });

    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(seen).toEqual([
      ["work", "running", undefined, 1],
      ["review", "awaiting_decision", 1, 4],
      ["review", "awaiting_decision", 1, 5],
    ]);
  });

  it("R-50 R-51 W-64 completes in a non-terminal state where the agent ends in text", async () => {
    bench = await aBench({ spec: WAITS, replies: [{ text: "That is all." }] });

    expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({
      kind: "completed",
      state: "work",
    });
    expect(ofType(bench.events, "state-leave")).toMatchObject([{ state: "work", next: "work" }]);
  });

  it("R-53 S-90 keeps what earlier steps committed where a later one throws", async () => {
    bench = await aBench({
      spec: TOOLED,
      tools: tooled({}),
      replies: [calls(setting({ n: 1 })), advance("next"), { status: 400, error: { message: "Bad request." } }],
    });

    await expect(bench.agent.workflow.send("s1", { message: "Go" })).rejects.toThrow("Bad request.");

    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "next",
      variables: { n: { value: 1 } },
      exit: { code: "turn-error", state: "next" },
    });
    expect(await bench.agent.sessions.messageCount("s1")).toBe(5);
  });

  it("R-54 tells streamed text of a call that fails once, as partial, and keeps it out of the transcript", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [
        { status: 400, error: { message: "Nothing came." } },
        { text: "This is the beginning of a long answer.", drop: "mid-answer" },
        { text: "Whole." },
      ],
    });

    await expect(bench.agent.workflow.send("s2", { message: "Go" })).rejects.toThrow("Nothing came.");
    expect(ofType(bench.events, "agent-text")).toEqual([]);
    await expect(bench.agent.workflow.send("s1", { message: "Go" })).rejects.toThrow();

    const partial = ofType(bench.events, "agent-text");
    expect(partial).toMatchObject([{ partial: true, text: expect.stringMatching(/^This/) }]);
    expect(await bench.agent.sessions.messageCount("s1")).toBe(1);
  });
});

describe("one message's calls", () => {
  const send = (replies: ReturnType<typeof calls>[], tools: Parameters<typeof tooled>[0] = {}) =>
    aBench({ spec: TOOLED, tools: tooled(tools), replies: [...replies, { text: "Done." }] }).then((made) => {
      bench = made;
      return bench.agent.workflow.send("s1", { message: "Go" });
    });

  it("R-55 runs permitted calls concurrently and appends the answers in message order", async () => {
    const first = gate();
    const outcome = await send([calls(["one"], setting({ n: 1 }), ["two"])], {
      one: () => first.opened.then(() => "first"),
      two: () => {
        first.open();
        return "second";
      },
    });

    expect(results(outcome).map(({ tool: name, text }) => [name, text])).toEqual([
      ["one", "first"],
      ["archmax_set_variables", expect.any(String)],
      ["two", "second"],
    ]);
  });

  it("R-55 R-56 shows later calls of the message what earlier ones wrote, and not the other way round", async () => {
    const seen: unknown[] = [];
    const outcome = await send(
      [
        calls(
          ["one", { text: "${{n}}" }],
          setting({ n: 4 }),
          ["two", { text: "${{n}}" }],
          ["archmax_get_variables", { name: "n" }],
        ),
      ],
      {
        two: ({ text }) => seen.push(text),
      },
    );

    expect(seen).toEqual(["4"]);
    expect(results(outcome)[0]).toMatchObject({ status: "error", refusal: "unresolved-reference" });
    expect(results(outcome)[3]?.text).toContain("4");
  });

  it("R-56 governs every call against the state the message was made in", async () => {
    const ran: string[] = [];
    const outcome = await send([calls(["archmax_advance", { to: "next", reason: "On." }], ["two"], ["one"])], {
      two: () => ran.push("two"),
      one: () => ran.push("one"),
    });

    expect(ran.sort()).toEqual(["one", "two"]);
    expect(outcome.state).toBe("next");
    expect(ofType(bench.events, "tool-called").every(({ state }) => state === "work")).toBe(true);
  });

  it.each<[string, Parameters<typeof calls>, string, string]>([
    [
      "a second advance",
      [
        ["archmax_advance", { to: "next", reason: "a" }],
        ["archmax_advance", { to: "other", reason: "b" }],
      ],
      "already-moved",
      "next",
    ],
    [
      "a reset after an advance",
      [
        ["archmax_advance", { to: "next", reason: "a" }],
        ["archmax_reset", { reason: "b" }],
      ],
      "already-moved",
      "next",
    ],
    [
      "a wait after an advance",
      [
        ["archmax_advance", { to: "next", reason: "a" }],
        ["archmax_wait", { reason: "b" }],
      ],
      "already-moved",
      "next",
    ],
    [
      "an advance after a reset",
      [
        ["archmax_reset", { reason: "a" }],
        ["archmax_advance", { to: "next", reason: "b" }],
      ],
      "already-moved",
      "work",
    ],
    [
      "an advance after a wait",
      [
        ["archmax_wait", { reason: "a" }],
        ["archmax_advance", { to: "next", reason: "b" }],
      ],
      "already-waiting",
      "work",
    ],
    [
      "a second wait",
      [
        ["archmax_wait", { reason: "a" }],
        ["archmax_wait", { reason: "b" }],
      ],
      "already-waiting",
      "work",
    ],
  ])("R-57 F-37 refuses %s", async (_what, made, refusal, state) => {
    const outcome = await send([calls(...made)]);
    const [first, second] = results(outcome);

    expect(first?.status).toBe("success");
    expect(second).toMatchObject({ status: "error", refusal });
    expect(outcome.state).toBe(state);
    if (refusal === "already-moved") expect(second?.text).toContain(state);
  });

  it("R-57 a refused attempt claims nothing", async () => {
    const outcome = await send([
      calls(["archmax_advance", { to: "nowhere", reason: "a" }], ["archmax_advance", { to: "next", reason: "b" }]),
    ]);

    expect(results(outcome).map(({ status }) => status)).toEqual(["error", "success"]);
    expect(outcome).toMatchObject({ state: "next" });
    expect(outcome.auditTrail.map(({ to }) => to)).toEqual(["work", "next"]);
  });

  it("R-8 R-9 appends one step per commit, and nothing for a refused move, a park or a raise", async () => {
    const outcome = await send([
      calls(["archmax_advance", { to: "nowhere", reason: "no" }]),
      calls(["archmax_advance", { to: "next", reason: "on" }]),
      calls(["archmax_reset", { reason: "again" }]),
      calls(["archmax_raise", { code: "stop", reason: "Enough." }]),
    ]);

    expect(outcome).toMatchObject({ kind: "failed" });
    expect(outcome.auditTrail).toEqual([
      { to: "work", kind: "trigger", reason: "manual", ts: bench.clock.now() },
      { to: "next", kind: "agent", reason: "on", ts: bench.clock.now() },
      { to: "work", kind: "reset", reason: "again", ts: bench.clock.now() },
    ]);
  });

  it("R-8 R-9 tells of every kind of step with its reason, its workflow and who decided, in the order of the calls", async () => {
    const spec = `
states:
  first: { type: code, script: scripts/first.js, triggers: { manual: }, transitions: [{ to: judge }] }
  judge: { type: grader, instructions: Judge., transitions: [{ to: work, description: Fine. }] }
  work:
    instructions: Work.
    tools: { allow: [archmax_workflow_helper, archmax_workflow_stuck, archmax_workflow_waiting] }
    on_error: rescue
    transitions: [{ to: review }]
  review: { type: human, instructions: Decide., transitions: [{ to: work, description: Again. }] }
  rescue: { instructions: Mend. }
`;
    const stuck = calls(["archmax_raise", { code: "stuck", reason: "No way." }]);
    const judged = advance("work", { reason: "It holds." });
    bench = await aBench({
      spec,
      files: {
        "workflows/case/scripts/first.js": `export default ({ tools }) => tools.archmax_advance({ to: "judge", reason: "Computed." });`,
        ...workflow("helper", worker("helper")),
        ...workflow("stuck", worker("stuck")),
        ...workflow("waiting", worker("waiting")),
      },
      answer: byModel({
        "test-model": [
          judged,
          calls(["archmax_workflow_waiting"], ["archmax_workflow_stuck"], ["archmax_workflow_helper"]),
          { text: "I wait for a letter." },
          toReview,
          { text: "Please." },
          waitForReply,
          calls(["archmax_reset", { reason: "Once more." }]),
          judged,
          calls(["archmax_workflow_stuck"]),
          { text: "I give up." },
          { text: "Mended." },
        ],
        helper: [{ text: "Done." }],
        stuck: [stuck, stuck],
        waiting: [waitForReply, { text: "It came." }],
      }),
    });
    const { send, deliver, decide } = bench.agent.workflow;
    await send("s1", { message: "Go" });
    await deliver("s1", { trigger: { id: "mail" } });
    await decide("s1", { target: "work", comment: "Longer.", decidedBy: "ann" });
    const { auditTrail, kind } = await deliver("s1", { trigger: { id: "mail" } });

    expect(kind).toBe("completed");
    const failed = expect.stringContaining("No way.");
    expect(auditTrail).toEqual(
      [
        { to: "first", kind: "trigger", reason: "manual" },
        { to: "judge", kind: "code", reason: "Computed." },
        { to: "work", kind: "grader", reason: "It holds." },
        { to: "work", kind: "sub-workflow", workflow: "stuck", status: "error", reason: failed },
        { to: "work", kind: "sub-workflow", workflow: "helper", status: "ok" },
        { to: "work", kind: "sub-workflow", workflow: "waiting", status: "ok" },
        { to: "review", kind: "agent", reason: "on to review" },
        { to: "work", kind: "human", reason: "Longer.", by: "ann" },
        { to: "work", kind: "trigger", reason: "mail" },
        { to: "first", kind: "reset", reason: "Once more." },
        { to: "judge", kind: "code", reason: "Computed." },
        { to: "work", kind: "grader", reason: "It holds." },
        { to: "work", kind: "sub-workflow", workflow: "stuck", status: "error", reason: failed },
        { to: "rescue", kind: "on_error", reason: failed },
      ].map((step) => ({ ...step, ts: bench.clock.now() })),
    );
  });

  it("R-58 finds the single tool of a collection by its short name", async () => {
    const outcome = await send([calls(["find"])], { crm__find: () => "found" });

    expect(results(outcome)).toMatchObject([{ text: "found", status: "success" }]);
  });

  it("R-58 answers a name that is no tool, without a `tool-blocked`", async () => {
    const outcome = await send([calls(["serach"])]);

    expect(results(outcome)).toMatchObject([
      { status: "error", refusal: "unknown-tool", text: expect.stringContaining("serach") },
    ]);
    expect(types(bench.events, "tool-blocked", "tool-called")).toEqual([]);
  });

  it("R-58 leaves the names that nothing grants to the kernel, though none is registered", async () => {
    const outcome = await send([calls(["task"], ["eval"], ["archmax_note"])]);

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual(Array(3).fill("blocked:tool.ungrantable"));
    expect(ofType(bench.events, "tool-blocked").map(({ tool: name }) => name)).toEqual([
      "task",
      "eval",
      "archmax_note",
    ]);
  });

  it("R-59 names what does not fit the schema, and runs nothing", async () => {
    const ran: string[] = [];
    const outcome = await send([calls(["one", { n: "four" }], ["archmax_advance", { to: "next" }])], {
      one: () => ran.push("one"),
    });

    expect(ran).toEqual([]);
    expect(results(outcome)).toMatchObject([
      { status: "error", text: expect.stringContaining("n") },
      { status: "error", text: expect.stringContaining("reason") },
    ]);
    expect(
      ofType(bench.events, "tool-called")
        .map((event) => event.tool)
        .sort(),
    ).toEqual(["archmax_advance", "one"]);
    expect(ofType(bench.events, "tool-result").every(({ status }) => status === "error")).toBe(true);
  });

  it("R-60 H-67 answers a tool that throws, keeps its siblings, and lets the model see it", async () => {
    const outcome = await send([calls(["fails"], ["one"])], {
      fails: () => {
        throw new Error("The index is down.");
      },
      one: () => "fine",
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "work" });
    expect(results(outcome)).toMatchObject([
      { status: "error", text: expect.stringContaining("The index is down.") },
      { status: "success", text: "fine" },
    ]);
    expect(ofType(bench.events, "tool-result").find((event) => event.tool === "fails")).toMatchObject({
      status: "error",
    });
    expect(JSON.stringify(bench.requests[1]?.body.messages)).toContain("The index is down.");
  });

  it("R-61 answers a blocked call with reason and mark, and runs nothing", async () => {
    const outcome = await send([advance("other"), calls(["one"])], {});
    const answer = outcome.messages.findLast(({ role }) => role === "tool");

    expect(answer).toMatchObject({ status: "error", additional_kwargs: { governance_blocked: true } });
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { tool: "one", state: "other", reason: answer?.content },
    ]);
    expect(ofType(bench.events, "tool-called").map((event) => event.tool)).toEqual(["archmax_advance"]);
  });

  it("H-36 a host's rule refuses what a state grants, and permits nothing", async () => {
    const judge = (call: { tool: string }) =>
      call.tool === "one" ? { decision: "block" as const, ruleId: "host.no-one", reason: "Not today." } : null;
    bench = await aBench({
      spec: TOOLED,
      tools: tooled({}),
      policyRules: [judge],
      replies: [calls(["one"], ["two"]), { text: "Done." }],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(results(outcome)).toMatchObject([
      { status: "error", text: expect.stringContaining("Not today.") },
      { status: "success" },
    ]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "host.no-one" }]);
  });
});

describe("what a trigger asks back", () => {
  const RETURNS = `
states:
  work:
    triggers:
      manual: { returns: [{ name: amount, type: integer, minimum: 1 }] }
      mail: { requires: [body] }
    instructions: Work.
    transitions: [{ to: next }, { to: review }]
  next:
    instructions: Next.
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: next, description: Go. }]
`;
  const sent = async (
    ...replies: Parameters<typeof aBench>[0] extends { replies?: infer R } | undefined ? NonNullable<R> : never
  ) => {
    bench = await aBench({ spec: RETURNS, replies });
    return bench.agent.workflow.send("s1", { message: "Go" });
  };

  it("W-133 refuses a write that does not conform, whole, and takes the corrected one", async () => {
    const outcome = await sent(calls(setting({ amount: "4", note: "n" })), calls(setting({ amount: 4 })), {
      text: "Done.",
    });

    expect(results(outcome)).toMatchObject([
      { status: "error", refusal: "return-type", text: expect.stringContaining("integer") },
      { status: "success" },
    ]);
    expect(outcome).toMatchObject({ kind: "completed", variables: { amount: { value: 4 } } });
    expect(outcome.variables).not.toHaveProperty("note");
  });

  it("R-52 W-134 W-137 rejects at the end, in whatever state, without a second attempt, and gates no transition", async () => {
    const outcome = await sent(advance("next"), { text: "Done." });

    expect(outcome).toMatchObject({
      kind: "rejected",
      state: "next",
      rejected: expect.stringMatching(/next.*amount.*manual/),
    });
    expect(bench.requests).toHaveLength(2);
  });

  it("R-28 W-134 W-135 holds a delivery to no `requires`, and the end to what the first trigger asks", async () => {
    await sent(waitForReply, { text: "Done." });

    expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } })).toMatchObject({
      kind: "rejected",
      rejected: expect.stringContaining("amount"),
      variables: { trigger: { value: "mail" } },
    });
  });

  it("R-52 W-136 does not hold a park, a raise or a failure to it", async () => {
    expect(await sent(toReview, { text: "Please." })).toMatchObject({ kind: "parked" });
    await bench.close();
    expect(await sent(calls(["archmax_raise", { code: "stop", reason: "Enough." }]))).toMatchObject({
      kind: "failed",
      exit: { code: "stop" },
    });
    await bench.close();
    await expect(sent({ status: 400 })).rejects.toThrow();
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });
});
