/** Sub-workflows whose callers, targets and arguments do what nobody expects of them. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { advance, benches, calls, notes, ofType, results, says, setting } from "./support.js";

const open = benches();
const ASK = "archmax_workflow_ask";
const APPROVE = "archmax_workflow_approve";

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
    instructions: Is this fine?
    transitions: [{ to: send, description: Fine. }]
  send:
    instructions: Send.
`;
}
const PARKS = [advance("review"), says("Please look.")];

describe("a parked child whose workflow is gone", () => {
  it("R-194 R-186 S-72 fails its call, and the caller goes on", async () => {
    const bench = await open({
      spec: caller("approve"),
      files: workflow("approve", approving("child")),
      answer: byModel({
        "test-model": [calls([APPROVE, {}, "c1"]), says("A person looks."), says("Without it.")],
        child: PARKS,
      }),
    });
    const flow = bench.agent.workflow;
    await flow.send("s1", { message: "Go" });
    rmSync(join(bench.rootDir, "workflows/approve"), { recursive: true });
    const outcome = await (await bench.again()).workflow.decide("s1", { target: "send" });
    expect(notes(outcome)).toEqual([
      expect.stringMatching(/^\[sub-workflow: approve\] archmax_workflow_approve failed \(error\)/),
    ]);
    expect(outcome.kind).toBe("rejected");
  });

  it("R-197 a reply is answered", async () => {
    const bench = await open({
      spec: caller("approve"),
      files: workflow("approve", approving("child")),
      answer: byModel({
        "test-model": [calls([APPROVE, {}, "c1"]), says("A person looks."), says("I hear you.")],
        child: PARKS,
      }),
    });
    const flow = bench.agent.workflow;
    await flow.send("s1", { message: "Go" });
    rmSync(join(bench.rootDir, "workflows/approve"), { recursive: true });
    expect(await (await bench.again()).workflow.send("s1", { message: "Well?" })).toMatchObject({
      kind: "parked",
      reply: "I hear you.",
    });
  });
});

describe("arguments", () => {
  it("R-177 R-175 R-81 a name that is none, prototype's included, is refused and named", async () => {
    const raw = '{"__proto__": {"polluted": 1}, "constructor": "c"}';
    const bench = await open({
      spec: caller("ask"),
      files: workflow("ask", worker("child")),
      answer: byModel({
        "test-model": [calls([ASK, JSON.parse(raw), "c1"]), calls([ASK, { constructor: "c" }, "c2"]), says("Done.")],
        child: [says("Told.")],
      }),
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });
    expect(results(outcome)[0]).toMatchObject({ status: "error", text: expect.stringContaining("__proto__") });
    expect(results(outcome)[1]).toMatchObject({ status: "success", text: "Told." });
    const child = (await loadState(bench.stores.sessions, "s1~1"))!.state;
    expect(Object.hasOwn(child.variables, "constructor")).toBe(true);
  });

  it("R-174 a grader's keep their types too", async () => {
    const bench = await open({
      spec: `
states:
  desk:
    instructions: Prepare.
    triggers: { manual: }
    transitions: [{ to: check, description: On. }]
  check:
    type: grader
    instructions: Ask.
    tools: { allow: [${ASK}] }
    transitions: [{ to: end, description: Fine. }]
  end: { instructions: End. }
`,
      files: workflow("ask", worker("child", "{ requires: [{ name: count, type: number }] }")),
      answer: byModel({
        "test-model": [
          calls(setting({ n: 7 }), ["archmax_advance", { to: "check", reason: "on" }]),
          calls([ASK, { count: "${{n}}" }, "g1"]),
          calls([ASK, { count: "${{none}}" }, "g2"]),
          advance("end"),
          says("Done."),
        ],
        child: [says("Told.")],
      }),
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });
    expect(ofType(bench.events, "tool-blocked").map(({ callId, rule }) => [callId, rule])).toEqual([
      ["g2", "delegation:unresolved-param"],
    ]);
    expect(outcome.kind).toBe("completed");
  });
});

describe("a parked child", () => {
  it("R-201 R-193 stands before its caller's end in a terminal code state", async () => {
    const bench = await open({
      spec: `
states:
  desk:
    instructions: Have it approved.
    tools: { allow: [${APPROVE}] }
    triggers: { manual: }
    transitions: [{ to: note, description: On. }]
  note:
    type: code
    script: scripts/note.js
`,
      files: {
        ...workflow("approve", approving("child")),
        "workflows/case/scripts/note.js": "export default async function () {}",
      },
      answer: byModel({
        "test-model": [
          calls([APPROVE, {}, "c1"], ["archmax_advance", { to: "note", reason: "on" }, "c2"]),
          says("A person looks."),
        ],
        child: [...PARKS, says("Sent.")],
      }),
    });
    const parked = await bench.agent.workflow.send("s1", { message: "Go" });
    expect(parked).toMatchObject({ kind: "parked", delegation: { sessionId: "s1~1" } });
    const outcome = await bench.agent.workflow.decide("s1", { target: "send" });
    expect(outcome).toMatchObject({ kind: "completed" });
    expect(notes(outcome)).toEqual([
      "[sub-workflow: approve] " +
        JSON.stringify({ message: "Sent.", returns: { answer: null, note: "The workflow did not set: answer." } }),
    ]);
  });
});

describe("a child that parks beside", () => {
  const SENT = `[sub-workflow: approve] ${JSON.stringify({
    message: "Sent.",
    returns: { answer: null, note: "The workflow did not set: answer." },
  })}`;
  const LATER = "archmax_workflow_later";
  const desk = (more = "") => `
states:
  desk:
    instructions: Have it approved.
    tools: { allow: [${APPROVE}, ${LATER}, archmax_wait, { tool: read_file, args: { file_path: "x/\${{nope}}" } }] }
    triggers: { manual: }
    ${more}
  fallback:
    instructions: Fall back.
`;
  const files = {
    ...workflow("approve", approving("child")),
    ...workflow("later", worker("later", "", "tools: { allow_always: [archmax_wait] }")),
  };

  it("R-192 R-193 R-57 a wait of its caller's is presented when that is over", async () => {
    const bench = await open({
      spec: desk(),
      files,
      answer: byModel({
        "test-model": [
          calls([APPROVE, {}, "c1"], ["archmax_wait", { reason: "mail" }, "c2"]),
          says("Waits."),
          says("A person looks."),
          says("Done."),
        ],
        child: [...PARKS, says("Sent.")],
      }),
    });
    const flow = bench.agent.workflow;
    const waits = await flow.send("s1", { message: "Go" });
    expect(waits).toMatchObject({ kind: "parked", parkedChannel: "input" });
    expect(waits.delegation).toBeUndefined();
    const presented = await flow.deliver("s1", { trigger: { id: "mail" } });
    expect(presented).toMatchObject({ kind: "parked", parkedChannel: "decision", delegation: { sessionId: "s1~1" } });
    const outcome = await flow.decide("s1", { target: "send" });
    expect(outcome).toMatchObject({ kind: "completed", reply: "Done." });
    expect(notes(outcome)).toContain(SENT);
  });

  it("R-192 R-168 a call that fails the state is presented in the state that the failure leads to", async () => {
    const bench = await open({
      spec: desk("on_error: fallback"),
      files,
      answer: byModel({
        "test-model": [
          calls([APPROVE, {}, "c1"], ["read_file", { file_path: "x/a" }, "c2"]),
          says("A person looks."),
          says("Done."),
        ],
        child: [...PARKS, says("Sent.")],
      }),
    });
    const flow = bench.agent.workflow;
    const presented = await flow.send("s1", { message: "Go" });
    expect(presented).toMatchObject({ kind: "parked", delegation: { sessionId: "s1~1", state: "desk" } });
    const outcome = await flow.decide("s1", { target: "send" });
    expect(outcome).toMatchObject({ kind: "completed", reply: "Done.", state: "fallback" });
    expect(notes(outcome)).toContain(SENT);
  });

  it("R-195 S-58 another that waits: two wakers wake the first once, and the next is presented", async () => {
    const bench = await open({
      spec: desk(),
      files,
      answer: byModel({
        "test-model": [calls([LATER, {}, "c1"], [APPROVE, {}, "c2"]), says("Waits."), says("A person."), says("Done.")],
        later: [
          calls(["archmax_wait", { reason: "mail", until: "2020-01-01T00:00:00Z" }]),
          says("I wait."),
          says("Woken."),
        ],
        child: [...PARKS, says("Sent.")],
      }),
    });
    const flow = bench.agent.workflow;
    const first = await flow.send("s1", { message: "Go" });
    expect(first).toMatchObject({ kind: "parked", parkedChannel: "input", delegation: { sessionId: "s1~1" } });
    await expect(flow.decide("s1", { target: "send" })).rejects.toThrow();
    await Promise.all([bench.agent.wake(), (await bench.again()).wake()]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "awaiting_decision",
      delegation: { sessionId: "s1~2" },
    });
    const outcome = await flow.decide("s1", { target: "send" });
    expect(notes(outcome)).toEqual(["[sub-workflow: later] Woken.", SENT]);
  });
});

describe("an id that leaves no room", () => {
  it("H-91 R-179 refuses the dispatch, and the turn goes on", async () => {
    const id = "x".repeat(511);
    const bench = await open({
      spec: caller("ask"),
      files: workflow("ask", worker("child")),
      answer: byModel({ "test-model": [calls([ASK, {}, "c1"]), says("Done.")], child: [says("Told.")] }),
    });
    const outcome = await bench.agent.workflow.send(id, { message: "Go" });
    expect(results(outcome)).toMatchObject([{ status: "error", refusal: "delegation:depth-exceeded" }]);
    expect(await loadState(bench.stores.sessions, `${id}~1`)).toBeNull();
  });
});
