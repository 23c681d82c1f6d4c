import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { byModel, caller, type Scripts, workflow } from "./delegating.js";
import { advance, benches, calls, notes, ofType, results, says, setting, types } from "./support.js";

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
  it("R-192 R-193 R-199 R-303 F-40 answers the call and is presented as the caller's own park", async () => {
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
      { tool: APPROVE, status: "success", text: expect.stringContaining("parked") },
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
  });

  it("R-194 R-195 F-41 runs on with a decision, and its result reaches the caller as a note", async () => {
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
