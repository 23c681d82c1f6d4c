import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import {
  advance,
  benches,
  blocks,
  calls,
  notes,
  offered,
  ofType,
  results,
  says,
  setting,
  system,
  types,
} from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: { returns: [answer] } }
    transitions: [{ to: review }]
  review:
    type: human
    title: Look at it
    instructions: Decide on the offer.
    evidence: [/scratchpad/offer.md]
    approvers: [sales, "lead:emea"]
    tools: { forbid: [grep] }
    transitions:
      - { to: work, description: Send it back, type: refine }
      - { to: send, description: Send the offer }
      - { to: second, description: Ask somebody else }
  second:
    type: human
    instructions: Decide as well.
    transitions: [{ to: send, description: Fine }]
  send:
    instructions: Send.
`;

const parkedAt = "2026-03-20T09:00:00.000Z";
const park = [advance("review"), says("Please look at the offer.")];
const finish = [calls(setting({ answer: 42 })), says("Sent.")];

async function parked(...then: ReturnType<typeof says>[]) {
  const bench = await open({ spec: SPEC, replies: [...park, ...then] });
  const outcome = await bench.agent.workflow.send("s1", { message: "Make an offer." });
  return { bench, outcome, workflow: bench.agent.workflow };
}

describe("parking at a human state", () => {
  it("R-98 R-101 W-58 W-66 W-69 presents a record of the state as it is declared", async () => {
    const { bench, outcome } = await parked();

    expect(outcome).toMatchObject({
      kind: "parked",
      status: "awaiting_decision",
      state: "review",
      parkedChannel: "decision",
    });
    expect(outcome.pending).toEqual({
      channel: "decision",
      parkId: expect.any(String),
      state: "review",
      title: "Look at it",
      instructions: "Decide on the offer.",
      transitions: [
        { to: "work", description: "Send it back", type: "refine" },
        { to: "send", description: "Send the offer" },
        { to: "second", description: "Ask somebody else" },
      ],
      evidence: ["scratchpad/offer.md"],
      approvers: ["sales", "lead:emea"],
      parkedAt,
      seq: 1,
    });
    const [event] = ofType(bench.events, "parked");
    expect(event).toMatchObject({ state: "review", sessionId: "s1", awaiting: "decision" });
    expect(event).not.toHaveProperty("callId");
  });

  it("R-99 R-104 makes exactly one call, whose text is the park's message", async () => {
    const { bench, outcome } = await parked();

    expect(bench.requests).toHaveLength(2);
    expect(outcome.reply).toBe("Please look at the offer.");
    expect(outcome.messages.at(-1)).toMatchObject({ role: "assistant", content: "Please look at the offer." });
  });

  it("R-104 is told with a call whatever the agent has said, and once for every reply", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [
        { ...advance("review"), ...says("It is written.") },
        says("Please look."),
        says("It is 40."),
        says("As I said, 40."),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const { reply } = bench.agent.workflow;

    expect(outcome.reply).toBe("It is written.\n\nPlease look.");
    expect(bench.requests).toHaveLength(2);
    expect(await reply("s1", "How much?")).toMatchObject({ kind: "parked", reply: "It is 40." });
    expect(await reply("s1", "How much?")).toMatchObject({ kind: "parked", reply: "As I said, 40." });
    expect(bench.requests).toHaveLength(4);
  });

  it("R-105 R-106 W-272 F-58 the call has the static block, the state's tools, and nothing of the graph", async () => {
    const bench = await open({ spec: SPEC, replies: park });
    await bench.agent.workflow.send("s1", { message: "Make an offer.", variables: { customer: "Ada" } });
    const { fixed, volatile } = blocks(bench.requests[1]);

    expect(volatile).toMatch(/just been handed over/);
    expect(volatile).not.toMatch(/send|second|Decide on|Ways out|Variables|customer|Contract|Skills|answer/);
    expect(fixed).toBe(blocks(bench.requests[0]).fixed);
    expect(offered(bench.requests[1])).toEqual(offered(bench.requests[0]).filter((tool) => tool !== "grep"));
  });

  it("R-107 W-272 refuses every call of it and suspends, whether or not there is text", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [advance("review"), calls(setting({ a: 1 }), ["archmax_advance", { to: "send", reason: "r" }], ["ls"])],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome).slice(1)).toMatchObject(
      ["archmax_set_variables", "archmax_advance", "ls"].map((tool) => ({ tool, refusal: "blocked:tool.reply-only" })),
    );
    expect(outcome).toMatchObject({ status: "awaiting_decision", reply: "", state: "review" });
    expect(outcome.variables.a).toBeUndefined();
    expect(bench.requests).toHaveLength(2);
    expect(ofType(bench.events, "tool-blocked").map(({ rule }) => rule)).toEqual(Array(3).fill("tool.reply-only"));
  });

  it("R-107 the path rules come before", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [advance("review"), calls(["read_file", { file_path: "../x" }], ["read_file", { file_path: 7 }])],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "tool-blocked").map(({ rule }) => rule)).toEqual([
      "zone.escapes",
      "tool.path-argument",
    ]);
  });

  it("R-107 R-94 R-175 nothing else about a call is asked: a reference, a workflow, arguments that cannot be read", async () => {
    const tool = "archmax_workflow_check";
    const bench = await open({
      spec: SPEC.replace(
        "transitions: [{ to: review }]",
        `tools: { allow: [${tool}] }\n    transitions: [{ to: review }]`,
      ),
      replies: [
        advance("review"),
        {
          toolCalls: [
            { name: "ls", args: { path: "${{unset}}" } },
            { name: tool, args: { order: "${{unset}}" } },
            { name: "ls", args: "{ not JSON" },
          ],
        },
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    const refusals = results(outcome).slice(1);
    expect(refusals.map(({ refusal }) => refusal)).toEqual(Array(3).fill("blocked:tool.reply-only"));
    expect(types(bench.events, "tool-blocked")).toHaveLength(3);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.dispatchCount).toBeUndefined();
  });

  it("R-108 the call is a step, its tokens count, and it checks no returns", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    const bench = await open({
      spec: SPEC,
      replies: [
        { ...advance("review"), usage },
        { ...says("Look."), usage },
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 3 });

    expect(outcome).toMatchObject({ status: "awaiting_decision", usage: { inputTokens: 20, outputTokens: 2 } });
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.stepsUsed).toBe(3);
    expect(ofType(bench.events, "model-usage").map(({ state }) => state)).toEqual(["work", "review"]);
  });

  it("R-108 R-47 a handoff over the step limit fails the turn", async () => {
    const bench = await open({ spec: SPEC, replies: park });

    await expect(bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 2 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
  });

  it("R-108 R-53 a handoff that throws fails the turn with the park dropped", async () => {
    const bench = await open({ spec: SPEC, replies: [advance("review"), { status: 400, error: { message: "no" } }] });

    await expect(bench.agent.workflow.send("s1", { message: "go" })).rejects.toThrow(/no/);
    const session = await bench.agent.sessions.get("s1");
    expect(session).toMatchObject({ status: "failed", workflowState: "review", exit: { code: "turn-error" } });
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields).not.toHaveProperty("park");
  });

  it("R-103 F-35 the record does not change with replies, time, or an edit of the spec", async () => {
    const { bench, outcome } = await parked(says("It is 40."), says("Still 40."));
    await bench.agent.workflow.reply("s1", "How much is it?");
    bench.clock.advance(86_400_000);
    const edited = SPEC.replace("title: Look at it", "title: Look again")
      .replace("Decide on the offer.", "Decide on the new offer.")
      .replace("[/scratchpad/offer.md]", "[scratchpad/other.md]")
      .replace('[sales, "lead:emea"]', "[legal]")
      .replace("Send the offer }", "Send what there is, type: approve }");
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), edited);
    const other = await bench.again();
    const after = await other.workflow.reply("s1", "And now?");

    expect(after.pending).toEqual(outcome.pending);
    expect((await other.sessions.get("s1"))?.pending).toEqual(outcome.pending);
  });

  it("R-5 R-32 R-112 a reply is answered under the spec in force, which is recorded and stored", async () => {
    const { bench } = await parked(says("It is 40."));
    const edited = `title: Offers\n${SPEC}`;
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), edited);
    const { sessions, workflow, getSpecSnapshot } = await bench.again();
    const { specHash } = workflow.machine;
    await workflow.reply("s1", "How much is it?");

    expect((await sessions.get("s1"))?.specHash).toBe(specHash);
    expect(await getSpecSnapshot(specHash)).toMatchObject({ title: "Offers" });
  });

  it("R-101 R-102 R-103 evidence of one advance is not on the next record of the state, which has the next `seq`", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [
        advance("review", { evidence: ["scratchpad/extra.md"] }),
        says("Look."),
        advance("review"),
        says("Look again."),
      ],
    });
    const first = await bench.agent.workflow.send("s1", { message: "go" });
    const second = await bench.agent.workflow.decide("s1", { target: "work" });

    expect(first.pending).toMatchObject({ evidence: ["scratchpad/offer.md", "scratchpad/extra.md"], seq: 1 });
    expect(second.pending).toMatchObject({ evidence: ["scratchpad/offer.md"], seq: 2 });
    expect(first.pending?.parkId).not.toBe(second.pending?.parkId);
  });

  it("R-98 R-102 R-103 a decision that leads back to its own state makes a fresh record, without what was attached", async () => {
    const bench = await open({
      spec: SPEC.replace("- { to: send, description: Send the offer }", "- { to: review, description: Ask once more }"),
      replies: [advance("review", { evidence: ["scratchpad/extra.md"] }), says("Look."), says("Look again.")],
    });
    const first = await bench.agent.workflow.send("s1", { message: "go" });
    const second = await bench.agent.workflow.decide("s1", { target: "review" });

    expect(first.pending).toMatchObject({ evidence: ["scratchpad/offer.md", "scratchpad/extra.md"], seq: 1 });
    expect(second).toMatchObject({ kind: "parked", reply: "Look again." });
    expect(second.pending).toMatchObject({ evidence: ["scratchpad/offer.md"], seq: 2 });
    expect(ofType(bench.events, "parked")).toHaveLength(2);
  });

  it("R-98 R-99 R-106 every way in parks: a code state's advance and an on_error route say that a note led here", async () => {
    const spec = (code: string) => `
states:
  gate:
    type: code
    script: scripts/gate.js
    triggers: { manual: }
    on_error: ask
    transitions: [{ to: ask }]
  ask:
    type: human
    instructions: Decide.
    transitions: [{ to: end, description: End }]
  end: { instructions: End. }
${code}`;
    for (const [script, kind] of [
      [`export default ({ tools }) => tools.archmax_advance({ to: "ask", reason: "over 100" });`, "code"],
      [`export default () => { throw new Error("down"); };`, "error"],
    ] as const) {
      const bench = await open({
        spec: spec(""),
        files: { "workflows/case/scripts/gate.js": script },
        replies: [says("Please decide.")],
      });
      const outcome = await bench.agent.workflow.send("s1", { message: "go" });

      expect(outcome).toMatchObject({ status: "awaiting_decision", state: "ask", reply: "Please decide." });
      expect(notes(outcome)[0]).toMatch(new RegExp(`^\\[${kind}\\]`));
      expect(system(bench.requests[0])).toMatch(/runtime note routed the session here/);
    }
  });
});

describe("a model-free machine", () => {
  const FREE = `
states:
  ask:
    type: human
    title: Approve it
    instructions: Is this fine?
    triggers: { manual: }
    transitions: [{ to: done, description: Yes }]
  done:
    type: code
    script: scripts/done.js
`;
  const files = { "workflows/case/scripts/done.js": "export default () => {};" };

  it("R-100 W-82 composes the handoff, and answers a reply with the same text", async () => {
    const bench = await open({ spec: FREE, files });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const reply = await bench.agent.workflow.reply("s1", "What is it?");

    expect(outcome).toMatchObject({ kind: "parked", reply: "Approve it\n\nIs this fine?" });
    expect(reply).toMatchObject({ kind: "parked", reply: "Approve it\n\nIs this fine?" });
    expect(ofType(bench.events, "park-message").map(({ direction }) => direction)).toEqual(["inbound", "outbound"]);
    expect(await bench.agent.workflow.decide("s1", { target: "done" })).toMatchObject({ kind: "completed" });
  });

  it.each([
    ["an agent state", "done: { instructions: Close. }"],
    ["a grader state", "done: { type: grader, instructions: Judge. }"],
  ])("R-100 W-82 composes nothing where there is %s and no model", async (_what, done) => {
    const bench = await open({
      spec: FREE.replace(/done:\n {4}type: code\n {4}script: scripts\/done.js/, done),
      files,
    });

    await expect(bench.agent.workflow.send("s1", { message: "go" })).rejects.toThrow(/model/);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
    expect(await bench.agent.sessions.messageCount("s1")).toBe(1);
  });

  it("W-82 uses a configured model as usual", async () => {
    const bench = await open({ spec: FREE, files, replies: [says("In my words.")] });

    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({ reply: "In my words." });
  });
});

describe("reply", () => {
  it("R-109 R-106 appends the person's words, answers with one call, and leaves the park as it was", async () => {
    const { bench, outcome, workflow } = await parked(says("It is 40."), says("Yes."));
    const before = bench.events.length;
    const reply = await workflow.reply("s1", "How much?");
    const told = bench.events.slice(before);

    expect(reply).toMatchObject({ kind: "parked", disposition: "reply", reply: "It is 40.", state: "review" });
    expect(reply.pending).toEqual(outcome.pending);
    expect(reply.auditTrail).toEqual(outcome.auditTrail);
    expect(reply.variables).toEqual(outcome.variables);
    expect(reply.messages.slice(outcome.messages.length)).toMatchObject([
      { role: "user", content: "How much?" },
      { role: "assistant", content: "It is 40." },
    ]);
    expect(reply.messages.at(-2)).not.toHaveProperty("additional_kwargs");
    expect(ofType(told, "park-message")).toMatchObject([
      { state: "review", sessionId: "s1", direction: "inbound", text: "How much?" },
      { state: "review", direction: "outbound", text: "It is 40." },
    ]);
    expect(bench.requests).toHaveLength(3);
    expect(system(bench.requests[2])).toMatch(/person has just written/);
    expect(await workflow.send("s1", { message: "Sure?" })).toMatchObject({ disposition: "reply", reply: "Yes." });
  });

  it("R-109 tells nothing outbound when the call produced no text", async () => {
    const { bench, workflow } = await parked(calls(["ls"]));
    await workflow.reply("s1", "How much?");

    expect(ofType(bench.events, "park-message").map(({ direction }) => direction)).toEqual(["inbound"]);
  });

  it("R-110 is never read as a decision", async () => {
    const { workflow } = await parked(says("Noted, but please decide above."), says("As I said."));

    expect(await workflow.reply("s1", "send")).toMatchObject({ status: "awaiting_decision", state: "review" });
    expect(await workflow.send("s1", { message: "send" })).toMatchObject({ disposition: "reply", state: "review" });
  });

  it("R-108 one that throws leaves park, record and status, and throws to the caller", async () => {
    const { bench, outcome, workflow } = await parked({ status: 400, error: { message: "no" } }, says("It is 40."));

    await expect(workflow.reply("s1", "How much?")).rejects.toThrow(/no/);
    const session = await bench.agent.sessions.get("s1");
    expect(session).toMatchObject({ status: "awaiting_decision", pending: outcome.pending });
    expect(session?.exit).toBeUndefined();
    expect(await workflow.reply("s1", "How much?")).toMatchObject({ reply: "It is 40.", kind: "parked" });
  });
});

describe("decide", () => {
  it("R-113 R-270 W-66 W-69 moves with a human trail step and a note that tells all of it", async () => {
    const { bench, workflow } = await parked(...finish);
    const before = bench.events.length;
    const outcome = await workflow.decide("s1", { target: " send ", comment: "Looks good.", decidedBy: "ada" });

    expect(outcome).toMatchObject({ kind: "completed", disposition: "decide", state: "send" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "send", kind: "human", reason: "Looks good.", by: "ada" });
    const [note] = notes(outcome);
    for (const fact of ["[decision]", "review", "send", "Send the offer", "Looks good."]) expect(note).toContain(fact);
    expect(bench.events.slice(before, before + 3)).toMatchObject([
      { type: "decided", state: "review", to: "send", sessionId: "s1", decidedBy: "ada" },
      { type: "state-leave", state: "review", next: "send" },
      { type: "state-enter", state: "send" },
    ]);
    expect((await bench.agent.sessions.get("s1"))?.pending).toBeUndefined();
  });

  it("R-113 R-114 presents the comment of a `refine` as the correction to make, of another as the person's comment", async () => {
    const { workflow } = await parked(advance("review"), says("Look again."), ...finish);
    const back = await workflow.decide("s1", { target: "work", comment: "Make it 35." });
    const on = await workflow.decide("s1", { target: "send", comment: "Thanks." });

    expect(notes(back).at(-1)).toMatch(/refine[\s\S]*Correct this: Make it 35\./);
    expect(notes(on).at(-1)).toMatch(/Their comment: Thanks\./);
    expect(notes(on).at(-1)).not.toContain("Correct");
  });

  it("R-113 a decision without a comment has no `reason` and names nobody", async () => {
    const { workflow } = await parked(...finish);
    const outcome = await workflow.decide("s1", { target: "send", comment: "  " });

    expect(outcome.auditTrail.at(-1)).toEqual({ to: "send", kind: "human", ts: expect.any(Number) });
  });

  it("R-113 R-164 begins a visit of its own, whose model calls are counted anew", async () => {
    const spec = SPEC.replace("instructions: Work.", "instructions: Work.\n    budget: { maxTurns: 1 }");
    const bench = await open({ spec, replies: [...park, advance("review"), says("Once more.")] });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(await bench.agent.workflow.decide("s1", { target: "work" })).toMatchObject({ status: "awaiting_decision" });
  });

  it("R-111 on a session that is not parked throws, and changes nothing", async () => {
    const bench = await open({ spec: SPEC, replies: finish });

    await expect(bench.agent.workflow.decide("s1", { target: "send" })).rejects.toMatchObject({
      name: "SessionNotParkedError",
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    await expect(bench.agent.workflow.decide("s1", { target: "send" })).rejects.toMatchObject({
      name: "SessionNotParkedError",
    });
  });

  it.each(["", "  ", "nowhere", "review"])("R-111 refuses the target %j with the valid ones", async (target) => {
    const { bench, outcome, workflow } = await parked();

    await expect(workflow.decide("s1", { target })).rejects.toMatchObject({
      name: "InvalidDecisionTargetError",
      target: target.trim(),
      validTargets: ["work", "send", "second"],
    });
    expect((await bench.agent.sessions.get("s1"))?.pending).toEqual(outcome.pending);
    expect(bench.requests).toHaveLength(2);
  });

  it("R-120 a session that waits for a person takes no delivery", async () => {
    const { bench, outcome, workflow } = await parked();

    await expect(workflow.deliver("s1", { trigger: { id: "x" } })).rejects.toMatchObject({
      name: "SessionNotAwaitingInputError",
    });
    expect((await bench.agent.sessions.get("s1"))?.pending).toEqual(outcome.pending);
  });

  it("R-117 refuses an answer to another record of the state, by `park` or by `seq`, and needs neither", async () => {
    const { outcome: first, workflow } = await parked(...park, ...finish);
    const outcome = await workflow.decide("s1", { target: "work" });

    for (const stale of [{ seq: 1 }, { park: first.pending?.parkId }]) {
      await expect(workflow.decide("s1", { target: "send", ...stale })).rejects.toMatchObject({
        name: "StaleDecisionError",
        expected: Object.values(stale)[0],
        actual: "seq" in stale ? 2 : outcome.pending?.parkId,
      });
    }
    const right = { target: "send", park: outcome.pending?.parkId };
    expect(await workflow.decide("s1", right)).toMatchObject({ kind: "completed" });
  });

  it("R-115 R-106 into a human state parks at once on a fresh record with its own handoff", async () => {
    const { bench, workflow } = await parked(says("Somebody else should look."));
    const outcome = await workflow.decide("s1", { target: "second" });

    expect(outcome).toMatchObject({ state: "second", pending: { seq: 2, state: "second" } });
    expect(bench.requests).toHaveLength(3);
    expect(system(bench.requests[2])).toMatch(/runtime note routed the session here/);
    expect(types(bench.events, "parked", "decided")).toEqual(["parked", "decided", "parked"]);
  });

  it("R-115 R-131 into a terminal code state ends the session without a model call", async () => {
    const bench = await open({
      spec: SPEC.replace("  send:\n    instructions: Send.", "  send: { type: code, script: scripts/send.js }").replace(
        "{ returns: [answer] }",
        "",
      ),
      files: { "workflows/case/scripts/send.js": "export default () => {};" },
      replies: park,
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(await bench.agent.workflow.decide("s1", { target: "send" })).toMatchObject({ kind: "completed", reply: "" });
    expect(bench.requests).toHaveLength(2);
  });

  it("R-116 continues the turn: the returns owed are those of the trigger that opened it", async () => {
    const { workflow } = await parked(says("Sent, without an answer."));
    const outcome = await workflow.decide("s1", { target: "send" });

    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(outcome.rejected).toMatch(/answer[\s\S]*manual/);
  });

  it("R-116 R-127 continues the turn: the waits before it count", async () => {
    const wait = { ...calls(["archmax_wait", { reason: "the parcel" }]), text: "I wait." };
    const spec = SPEC.replace("instructions: Work.", "instructions: Work.\n    budget: { maxParks: 1 }");
    const bench = await open({ spec, replies: [wait, ...park, wait] });
    const { workflow } = bench.agent;
    await workflow.send("s1", { message: "go" });
    await workflow.deliver("s1", { trigger: { id: "parcel" } });

    expect(await workflow.decide("s1", { target: "work" })).toMatchObject({
      kind: "rejected",
      rejected: expect.stringMatching(/may wait 1 times/),
    });
  });

  it("R-112 F-36 runs under the spec in force: a target the edit removed is refused with those still usable", async () => {
    const { bench } = await parked(...finish);
    const edited = SPEC.replace("{ to: second, description: Ask somebody else }", "{ to: added, description: New }");
    const other = await againWith(bench, `${edited}  added: { instructions: It is new. }\n`);

    for (const target of ["second", "added"]) {
      await expect(other.workflow.decide("s1", { target })).rejects.toMatchObject({
        name: "InvalidDecisionTargetError",
        validTargets: ["work", "send"],
      });
    }
    expect(await other.workflow.decide("s1", { target: "send" })).toMatchObject({ kind: "completed", state: "send" });
  });

  it("R-112 where the edit removed the state, the record's targets that still are states are usable", async () => {
    const { bench } = await parked(...finish);
    const other = await againWith(
      bench,
      `
states:
  work: { instructions: Work., triggers: { manual: { returns: [answer] } }, transitions: [{ to: send }] }
  send: { instructions: Send. }
`,
    );

    await expect(other.workflow.decide("s1", { target: "second" })).rejects.toMatchObject({
      validTargets: ["work", "send"],
    });
    expect(await other.workflow.decide("s1", { target: "send" })).toMatchObject({ kind: "completed" });
  });

  it("R-128 decide and reply work on a parked session of a disabled workflow", async () => {
    const { bench } = await parked(says("It is 40."), says("Euros."), ...finish);
    const other = await againWith(bench, `disabled: true\n${SPEC}`);

    expect(await other.workflow.reply("s1", "How much?")).toMatchObject({ kind: "parked" });
    expect(await other.workflow.send("s1", { message: "Of what?" })).toMatchObject({ kind: "parked", reply: "Euros." });
    expect(await other.workflow.decide("s1", { target: "send" })).toMatchObject({ kind: "completed" });
    expect(await other.workflow.send("s1", { message: "again" })).toMatchObject({ kind: "rejected" });
  });
});

/** Another process, after the workflow was edited. */
async function againWith(bench: Awaited<ReturnType<typeof open>>, spec: string) {
  const { writeTree } = await import("../harness/temporary.js");
  writeTree(bench.rootDir, { "workflows/case/workflow.yaml": spec });
  return bench.again();
}
