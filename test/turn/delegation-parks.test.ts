import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import type { Bench } from "../harness/agent.js";
import { writeTree } from "../harness/temporary.js";
import { byModel, caller, type Scripts, workflow } from "./delegating.js";
import { advance, benches, calls, notes, offered, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const APPROVE = "archmax_workflow_approve";

/** A workflow whose work a person looks at. */
function approving(model: string): string {
  return `
settings: { model: ${model} }
states:
  work:
    instructions: Work.
    triggers: { manual: { returns: [answer] } }
    transitions: [{ to: review, description: To a person. }]
  review:
    type: human
    title: Look at it
    instructions: Is this fine?
    evidence: [scratchpad/offer.md]
    transitions: [{ to: send, description: Fine. }, { to: work, description: Again. }]
  send:
    instructions: Send.
`;
}

const PARKS = [advance("review"), says("Please look.")];

async function parked(
  scripts: Scripts,
  { spec = caller("approve"), files = workflow("approve", approving("child")) } = {},
) {
  const bench = await open({ spec, files, answer: byModel(scripts) });
  const outcome = await bench.agent.workflow.send("s1", { message: "Have it approved." });
  return { bench, outcome, flow: bench.agent.workflow };
}

describe("a child that parks", () => {
  it("R-192 R-193 R-199 R-303 F-40 H-68 answers the call and is presented as the caller's own park", async () => {
    const { bench, outcome } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("A person has to look at it.")],
      child: PARKS,
    });

    expect(outcome).toMatchObject({
      kind: "parked",
      parkedChannel: "decision",
      state: "review",
      reply: "A person has to look at it.",
      delegation: { workflow: "approve", sessionId: "s1~1", dispatchId: "1", toolCallId: "c1", state: "desk" },
      pending: {
        seq: 1,
        state: "review",
        title: "Look at it",
        instructions: "Is this fine?",
        evidence: ["scratchpad/offer.md"],
        transitions: [{ to: "send" }, { to: "work" }],
      },
    });
    expect(results(outcome)).toMatchObject([
      { tool: APPROVE, status: "success", text: expect.stringMatching(/parked[\s\S]*result will arrive later/) },
    ]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "awaiting_decision",
      workflowState: "desk",
      state: "review",
      delegation: { sessionId: "s1~1" },
    });
    expect(types(bench.events, "sub-workflow-result", "parked")).toEqual(["parked", "sub-workflow-result", "parked"]);
    expect(ofType(bench.events, "sub-workflow-result")).toMatchObject([{ status: "parked", toolCallId: "c1" }]);
    expect(outcome.auditTrail).toMatchObject([{ kind: "trigger" }]);
    // the caller's own call, told that the work has just been handed over.
    const own = bench.requests.filter(({ body }) => body.model === "test-model");
    expect(JSON.stringify(own.at(-1)?.body)).toContain("has just been handed over");
  });

  it("R-297 is told of when its caller has committed that it has settled, and what it waits for", async () => {
    const seen: Promise<string>[] = [];
    let opened: Bench | null = null;
    opened = await open({
      spec: caller("approve"),
      files: workflow("approve", approving("child")),
      answer: byModel({ "test-model": [calls([APPROVE, {}, "c1"]), says("Wait.")], child: PARKS }),
      onEvent: ({ type, sessionId }) => {
        if (!opened || sessionId !== "s1" || !["sub-workflow-result", "parked"].includes(type)) return;
        const { sessions } = opened.stores;
        seen.push(
          sessions.read("s1").then((read) => {
            const isAnswered = read?.thread.some(({ value }) => JSON.stringify(value).includes("delegated"));
            return `${type}: ${isAnswered ? "answered" : "open"}, ${read?.record.status}`;
          }),
        );
      },
    });
    await opened.agent.workflow.send("s1", { message: "Go." });

    expect(await Promise.all(seen)).toEqual([
      "sub-workflow-result: answered, running",
      "parked: answered, awaiting_decision",
    ]);
  });

  it("R-194 R-195 R-266 F-41 runs on with a decision, and its result reaches the caller as a note", async () => {
    const { bench, flow } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks."), says("All done.")],
      child: [...PARKS, calls(setting({ answer: "yes" })), says("Sent it.")],
    });
    bench.events.length = 0;

    const outcome = await flow.decide("s1", { target: "send", comment: "Good", decidedBy: "ann" });

    expect(outcome).toMatchObject({ kind: "completed", disposition: "decide", reply: "All done.", state: "desk" });
    expect(notes(outcome)).toEqual(['[sub-workflow: approve] {"message":"Sent it.","returns":{"answer":"yes"}}']);
    expect(outcome.auditTrail).toMatchObject([
      { kind: "trigger" },
      { kind: "sub-workflow", to: "desk", workflow: "approve", status: "ok" },
    ]);
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.trail.map(({ kind, to }) => [kind, to])).toEqual([
      ["trigger", "work"],
      ["agent", "review"],
      ["human", "send"],
    ]);
    expect(ofType(bench.events, "decided")).toMatchObject([{ sessionId: "s1~1", subWorkflowDispatchId: "1" }]);
    expect(ofType(bench.events, "sub-workflow-result")).toMatchObject([
      { sessionId: "s1", status: "ok", returns: ["answer"] },
    ]);
    expect(bench.requests.filter(({ body }) => body.model === "child")).toHaveLength(4);
  });
});

it("R-194 the caller is running while its child runs on", async () => {
  const answer = byModel({
    "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks."), says("All done.")],
    child: [...PARKS, says("Sent.")],
  });
  const seen: unknown[] = [];
  const bench: Bench = await open({
    spec: caller("approve"),
    files: workflow("approve", approving("child")),
    answer: async (request) => {
      if (request.body.model === "child") seen.push((await bench.agent.sessions.get("s1"))?.status);
      return answer(request);
    },
  });
  await bench.agent.workflow.send("s1", { message: "Have it approved." });

  await bench.agent.workflow.decide("s1", { target: "send" });

  expect(seen).toEqual(["running", "running", "running"]);
});

describe("several parked children", () => {
  const two = {
    spec: caller("approve", "other"),
    files: { ...workflow("approve", approving("child")), ...workflow("other", approving("second")) },
  };

  it("R-101 R-193 R-195 A-77 F-42 are presented one at a time, in the order of their calls, and an answer reaches the presented one", async () => {
    const { bench, outcome, flow } = await parked(
      {
        "test-model": [
          calls([APPROVE, {}, "c1"], ["archmax_workflow_other", {}, "c2"]),
          says("Two of them."),
          says("The other."),
          says("All done."),
        ],
        child: [...PARKS, says("First sent.")],
        second: [...PARKS, says("Second sent.")],
      },
      two,
    );
    expect(outcome.delegation).toMatchObject({ sessionId: "s1~1", toolCallId: "c1" });

    const next = await flow.decide("s1", { target: "send" });
    expect(next).toMatchObject({
      kind: "parked",
      delegation: { sessionId: "s1~2", toolCallId: "c2" },
      pending: { seq: 2 },
    });
    expect(notes(next)).toEqual([expect.stringContaining("First sent.")]);
    expect((await bench.agent.sessions.get("s1~2"))?.status).toBe("awaiting_decision");

    const last = await flow.decide("s1", { target: "send" });
    expect(last).toMatchObject({ kind: "completed", reply: "All done." });
    expect(notes(last)).toEqual([expect.stringContaining("First sent."), expect.stringContaining("Second sent.")]);
  });

  it("R-192 S-66 the batch's other calls settle as ever", async () => {
    const { outcome } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"], [...setting({ a: 1 }), "c2"]), says("Wait.")],
      child: PARKS,
    });

    expect(outcome.variables).toMatchObject({ a: { value: 1 } });
  });

  it("R-196 one that parks again keeps its place, with its new record", async () => {
    const { flow } = await parked(
      {
        "test-model": [
          calls([APPROVE, {}, "c1"], ["archmax_workflow_other", {}, "c2"]),
          says("Two of them."),
          says("Again."),
        ],
        child: [...PARKS, advance("review", { evidence: ["scratchpad/second.md"] }), says("Please look again.")],
        second: PARKS,
      },
      two,
    );

    const again = await flow.decide("s1", { target: "work" });

    expect(again).toMatchObject({
      kind: "parked",
      delegation: { sessionId: "s1~1" },
      pending: { seq: 2, evidence: ["scratchpad/offer.md", "scratchpad/second.md"] },
      reply: "Again.",
    });
  });
});

describe("a presented park", () => {
  it("R-193 W-172 does not count towards the maxParks of the calling state", async () => {
    const { flow } = await parked(
      {
        "test-model": [
          calls([APPROVE, {}, "c1"]),
          says("Somebody looks."),
          says("Once more."),
          calls(["archmax_wait", { reason: "for the parcel" }]),
          says("It waits."),
        ],
        child: [...PARKS, ...PARKS, says("Sent.")],
      },
      {
        spec: caller("approve").replace("desk:", "desk:\n    budget: { maxParks: 1 }"),
        files: workflow("approve", approving("child")),
      },
    );
    expect(await flow.decide("s1", { target: "work" })).toMatchObject({ kind: "parked", state: "review" });

    const own = await flow.decide("s1", { target: "send" });

    expect(own).toMatchObject({ kind: "parked", parkedChannel: "input", state: "desk" });
    expect(own).not.toHaveProperty("delegation");
  });

  it("R-197 a message is answered by the caller, and nothing of it reaches the child", async () => {
    const { bench, flow } = await parked({
      "test-model": [
        calls([APPROVE, {}, "c1"]),
        says("Somebody looks."),
        says("It is about the offer."),
        says("Soon."),
      ],
      child: PARKS,
    });

    const reply = await flow.send("s1", { message: "What is it about?" });

    expect(reply).toMatchObject({ kind: "parked", disposition: "reply", reply: "It is about the offer." });
    const own = bench.requests.filter(({ body }) => body.model === "test-model");
    expect(offered(own.at(-1))).toEqual(offered(own[0]));
    expect(ofType(bench.events, "park-message").at(-1)).toMatchObject({ sessionId: "s1", direction: "outbound" });
    expect(await flow.reply("s1", "Is it about to end?")).toMatchObject({ kind: "parked", reply: "Soon." });
    expect(JSON.stringify((await loadState(bench.stores.sessions, "s1~1"))?.state.messages)).not.toContain("about");
  });

  it("R-194 R-112 a decision that the child does not offer changes nothing", async () => {
    const { bench, flow } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks.")],
      child: PARKS,
    });

    await expect(flow.decide("s1", { target: "desk" })).rejects.toMatchObject({ code: "invalid-decision-target" });
    await expect(flow.decide("s1", { target: "send", seq: 7 })).rejects.toMatchObject({ code: "stale-decision" });
    await expect(flow.decide("s1~1", { target: "send" })).rejects.toMatchObject({ code: "session-not-parked" });
    expect((await bench.agent.sessions.get("s1"))?.status).toBe("awaiting_decision");
  });

  it("R-194 R-112 a decision is held to the child's spec as it stands now", async () => {
    const { bench, flow } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks.")],
      child: PARKS,
    });
    const edited = approving("child").replace("{ to: send, description: Fine. }, ", "");
    writeTree(bench.rootDir, workflow("approve", edited));

    await expect(flow.decide("s1", { target: "send" })).rejects.toMatchObject({
      code: "invalid-decision-target",
      validTargets: ["work"],
    });
  });

  const WAITS = `
settings: { model: child }
states:
  work:
    instructions: Work.
    triggers: { manual: }
`;
  const wait = calls(["archmax_wait", { reason: "for the parcel", until: "1h" }]);

  it("R-194 R-197 a delivery, and its message, goes to the child", async () => {
    const { bench, outcome, flow } = await parked(
      {
        "test-model": [calls([APPROVE, {}, "c1"]), says("It waits."), says("Arrived.")],
        child: [wait, says("I wait."), says("Got it.")],
      },
      { spec: caller("approve"), files: workflow("approve", WAITS) },
    );
    expect(outcome).toMatchObject({
      kind: "parked",
      parkedChannel: "input",
      pending: { reason: "for the parcel", resumeAt: "2026-03-20T10:00:00.000Z" },
      delegation: { sessionId: "s1~1" },
    });

    const done = await flow.deliver("s1", {
      trigger: { id: "parcel" },
      variables: { code: 7 },
      message: "Here it is.",
    });

    expect(done).toMatchObject({ kind: "completed", disposition: "deliver", reply: "Arrived." });
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.variables).toMatchObject({ code: { value: 7 } });
    expect(JSON.stringify(child?.messages)).toContain("Here it is.");
    expect(JSON.stringify(done.messages)).not.toContain("Here it is.");
    expect(done.variables).not.toHaveProperty("code");
    expect(ofType(bench.events, "delivered")).toMatchObject([{ sessionId: "s1~1" }]);
  });

  it("S-66 R-193 is woken at its time, on the caller's own due mark", async () => {
    const { bench } = await parked(
      {
        "test-model": [calls([APPROVE, {}, "c1"]), says("It waits."), says("Arrived.")],
        child: [wait, says("I wait."), says("Got it.")],
      },
      { spec: caller("approve"), files: workflow("approve", WAITS) },
    );
    const due = await bench.stores.sessions.due(bench.clock.now() + 3_600_000, { limit: 10 });
    expect(due.map(({ sessionId }) => sessionId)).toEqual(["s1"]);
    bench.clock.advance(3_600_000);

    await bench.agent.wake();

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
    expect(await bench.agent.sessions.get("s1~1")).toMatchObject({ status: "completed" });
  });

  it("R-198 R-199 A-77 a grandchild's goes up to the root, and an answer goes down", async () => {
    const { bench, outcome, flow } = await parked(
      {
        "test-model": [calls(["archmax_workflow_middle", {}, "c1"]), says("Somebody looks."), says("All done.")],
        middle: [calls([APPROVE, {}, "m1"]), says("Below me."), says("Passed on.")],
        child: [...PARKS, says("Sent.")],
      },
      {
        spec: caller("middle"),
        files: {
          ...workflow("approve", approving("child")),
          ...workflow("middle", `settings: { model: middle }${caller("approve")}`),
        },
      },
    );
    expect(outcome).toMatchObject({
      kind: "parked",
      state: "review",
      delegation: { workflow: "approve", sessionId: "s1~1~1", dispatchId: "1~1", toolCallId: "c1", state: "desk" },
    });
    expect(await bench.agent.sessions.get("s1~1")).toMatchObject({
      status: "awaiting_decision",
      delegation: { workflow: "approve", sessionId: "s1~1~1", toolCallId: "m1" },
    });

    const done = await flow.decide("s1", { target: "send" });

    expect(done).toMatchObject({ kind: "completed", reply: "All done." });
    expect(notes(done)).toEqual(["[sub-workflow: middle] Passed on."]);
    expect(notes((await loadState(bench.stores.sessions, "s1~1"))!.state)).toEqual([
      expect.stringContaining("[opening]"),
      '[sub-workflow: approve] {"message":"Sent.","returns":{"answer":null,"note":"The workflow did not set: answer."}}',
    ]);
    expect((await bench.agent.sessions.get("s1~1~1"))?.status).toBe("completed");
  });

  it("R-195 R-187 a failure of what ran on is recorded and routes", async () => {
    const { flow } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks."), says("Never mind.")],
      child: [...PARKS, calls(["archmax_raise", { code: "lost", reason: "It is lost." }])],
    });

    const outcome = await flow.decide("s1", { target: "send" });

    expect(notes(outcome)).toEqual([
      expect.stringMatching(/^\[sub-workflow: approve\] archmax_workflow_approve failed \(raised\).*lost/),
    ]);
    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "sub-workflow", status: "error" });
  });

  it("R-200 R-3 a child is listed and read, and takes no input of its own", async () => {
    const { bench, flow } = await parked({
      "test-model": [calls([APPROVE, {}, "c1"]), says("Somebody looks.")],
      child: PARKS,
    });

    expect((await bench.agent.sessions.list()).map(({ sessionId }) => sessionId).sort()).toEqual(["s1", "s1~1"]);
    await expect(flow.send("s1~1", { message: "Hello" })).rejects.toMatchObject({ code: "session-not-resumable" });
  });
});
