/** What the events of a turn hold, field by field, and when they come. */
import { describe, expect, it } from "vitest";
import type { EngineEvent, EventType } from "../../lib/session/events.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { aGraded } from "./graded.js";
import { advance, benches, calls, ofType, says, setting, types } from "./support.js";

const open = benches();

/** Fields of every event, told of in R-289. */
const STAMPS = ["type", "level", "ts", "seq", "sessionId", "subWorkflowDispatchId"];

function payloads(events: readonly EngineEvent[], type: EventType): Record<string, unknown>[] {
  return ofType(events, type).map((event) =>
    Object.fromEntries(Object.entries(event).filter(([name]) => !STAMPS.includes(name))),
  );
}

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: , mail: }
    tools: { allow: [probe] }
    transitions: [{ to: check, description: Written. }]
  check:
    type: code
    script: scripts/check.js
    tools: { allow: [probe] }
    transitions: [{ to: grade, description: It holds. }]
    on_error: mend
  grade:
    type: grader
    instructions: It is good.
    tools: { allow: [probe] }
    transitions: [{ to: ask, description: Good. }]
    on_error: mend
  ask: { type: human, instructions: Decide., transitions: [{ to: done, description: Fine. }] }
  mend: { instructions: Mend. }
  done: { instructions: Close. }
`;

const CHECK = `export default async ({ tools }) => {
  console.log("one");
  console.log("two");
  await tools.probe({ n: 1 });
  await tools.archmax_advance({ to: "grade", reason: "It holds." });
};`;

type Replies = Pick<Parameters<typeof aGraded>[1], "agent" | "grader">;

/** A tool that takes 5 ms of the bench's clock. */
function probe(bench: () => Bench) {
  return toolsFromMap({
    probe: {
      description: "Looks.",
      inputSchema: { type: "object" },
      handler: ({ fail }) => {
        bench().clock.advance(5);
        if (fail) throw new Error("down");
        return "seen";
      },
    },
  });
}

async function started({ script = CHECK, ...replies }: Replies & { script?: string }) {
  let made: Bench | undefined;
  const { bench } = await aGraded(open, {
    spec: SPEC,
    files: { "workflows/case/scripts/check.js": script },
    tools: probe(() => made!),
    ...replies,
  });
  made = bench;
  return { bench, events: bench.events, workflow: bench.agent.workflow };
}

const WAITS = `
states:
  work:
    instructions: Work.
    triggers: { manual: , mail: }
    transitions: [{ to: next }]
  next: { instructions: Go on. }
`;

async function waiting(...replies: NonNullable<BenchOptions["replies"]>) {
  const bench = await open({ spec: WAITS, replies });
  return { bench, events: bench.events, workflow: bench.agent.workflow };
}

describe("R-291 what the events hold", () => {
  it("R-291 of moves, code states, grader states, replies and decisions", async () => {
    const { events, workflow } = await started({
      agent: [
        calls(["archmax_advance", { to: "check", reason: "Ready." }, "go"]),
        says("Please."),
        says("Today."),
        says("Closed."),
      ],
      grader: [calls(["probe", { n: 2 }, "look"]), calls(["archmax_advance", { to: "ask", reason: "Good." }, "judge"])],
    });
    await workflow.send("s1", { message: "go" });
    await workflow.reply("s1", "Until when?");
    await workflow.decide("s1", { target: "done", decidedBy: "ada" });

    expect(payloads(events, "workflow-reset")).toEqual([{ entry: "work" }]);
    expect(payloads(events, "advance")).toEqual([
      { from: "__start__", to: "work" },
      { from: "work", to: "check", reason: "Ready.", callId: "go" },
      { from: "check", to: "grade", reason: "It holds.", callId: expect.any(String) },
      { from: "grade", to: "ask", reason: "Good.", callId: expect.any(String) },
    ]);
    expect(payloads(events, "state-enter").map(({ state }) => state)).toEqual([
      "work",
      "check",
      "grade",
      "ask",
      "done",
    ]);
    expect(payloads(events, "state-leave")).toEqual([
      { state: "work", next: "check" },
      { state: "check", next: "grade" },
      { state: "grade", next: "ask" },
      { state: "ask", next: "done" },
      { state: "done", next: "done" },
    ]);
    expect(payloads(events, "code-start")).toEqual([{ state: "check", script: "scripts/check.js" }]);
    expect(payloads(events, "code-output")).toEqual([
      { state: "check", line: "one" },
      { state: "check", line: "two" },
    ]);
    expect(payloads(events, "code-result")).toEqual([{ state: "check", status: "ok", durationMs: 5 }]);
    expect(payloads(events, "grader-start")).toEqual([{ state: "grade" }]);
    expect(payloads(events, "grader-result")).toEqual([{ state: "grade", status: "ok", durationMs: 5 }]);
    expect(ofType(events, "parked")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "parked")).toEqual([{ state: "ask", awaiting: "decision" }]);
    expect(payloads(events, "park-message")).toEqual([
      { state: "ask", direction: "inbound", text: "Until when?" },
      { state: "ask", direction: "outbound", text: "Today." },
    ]);
    expect(ofType(events, "decided")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "decided")).toEqual([{ state: "ask", to: "done", decidedBy: "ada" }]);
  });

  it("R-291 of calls that are run, fail and are refused, and of text and usage", async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 2,
      total_tokens: 11,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    const { events, workflow } = await started({
      agent: [
        { ...calls(["probe", { n: 1 }, "a"], ["probe", { fail: true }, "b"], ["ls", { path: "../x" }, "c"]), usage },
        says("Over."),
      ],
      grader: [],
    });
    await workflow.send("s1", { message: "go" });
    const shown = { state: "work", tool: "probe" };

    expect(payloads(events, "tool-called")).toEqual([
      { ...shown, callId: "a", args: { n: 1 } },
      { ...shown, callId: "b", args: { fail: true } },
    ]);
    expect(payloads(events, "tool-result")).toEqual(
      expect.arrayContaining([
        { ...shown, callId: "a", status: "success", durationMs: expect.any(Number), output: "seen", truncated: false },
        { ...shown, callId: "b", status: "error", durationMs: expect.any(Number), output: "down", truncated: false },
      ]),
    );
    expect(payloads(events, "tool-blocked")).toEqual([
      {
        state: "work",
        tool: "ls",
        callId: "c",
        args: { path: "../x" },
        reason: expect.stringContaining("../x"),
        rule: "zone.escapes",
      },
    ]);
    expect(payloads(events, "agent-text-delta")[0]).toEqual({
      state: "work",
      text: expect.any(String),
      messageId: expect.any(String),
    });
    expect(payloads(events, "agent-text")).toEqual([{ state: "work", text: "Over.", messageId: expect.any(String) }]);
    expect(payloads(events, "model-usage")).toEqual([
      {
        state: "work",
        inputTokens: 9,
        outputTokens: 2,
        cacheReadTokens: 4,
        cacheCreationTokens: 0,
        model: expect.any(String),
      },
    ]);
  });

  it("R-291 of failures, their routes, and a raise", async () => {
    const { events, workflow } = await started({
      agent: [advance("check"), calls(["archmax_raise", { code: "no-way", reason: "It cannot be done." }, "up"])],
      grader: [],
      script: `export default async () => { throw new Error("broken"); };`,
    });
    await workflow.send("s1", { message: "go" });

    expect(payloads(events, "code-result")).toEqual([
      { state: "check", status: "error", durationMs: 0, reason: expect.stringContaining("broken") },
    ]);
    expect(payloads(events, "state-error-routed")).toEqual([
      { state: "check", to: "mend", reason: expect.stringContaining("broken") },
    ]);
    expect(ofType(events, "raised")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "raised")).toEqual([
      { state: "mend", code: "no-way", reason: "It cannot be done.", callId: "up" },
    ]);
    expect(payloads(events, "state-leave").at(-1)).toEqual({ state: "mend", next: "mend" });
  });

  it("R-291 of a grader that fails", async () => {
    const { events, workflow } = await started({ agent: [advance("check"), says("Mended.")], grader: [says("Hm.")] });
    await workflow.send("s1", { message: "go" });

    expect(payloads(events, "grader-result")).toEqual([
      { state: "grade", status: "error", durationMs: expect.any(Number), reason: expect.any(String) },
    ]);
  });

  it("R-291 of a wait and of the delivery that ends it", async () => {
    const { events, workflow } = await waiting(
      { ...calls(["archmax_wait", { reason: "The parcel.", until: "2h" }, "hold"]), text: "I wait." },
      says("Here."),
    );
    await workflow.send("s1", { message: "go" });
    events.splice(
      0,
      events.findIndex(({ type }) => type === "parked"),
    );
    await workflow.deliver("s1", {
      trigger: { id: "mail" },
      message: "It came.",
      variables: { weight: 3, title: "Parcel" },
    });

    expect(ofType(events, "parked")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "parked")).toEqual([
      {
        state: "work",
        awaiting: "input",
        reason: "The parcel.",
        resumeAt: "2026-03-20T11:00:00.000Z",
        callId: "hold",
      },
    ]);
    expect(ofType(events, "park-message")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "park-message")).toEqual([{ state: "work", direction: "inbound", text: "It came." }]);
    expect(ofType(events, "delivered")).toMatchObject([{ sessionId: "s1" }]);
    expect(payloads(events, "delivered")).toEqual([{ state: "work", trigger: "mail", to: "work" }]);
    expect(payloads(events, "state-enter")).toEqual([{ state: "work" }]);
    expect(payloads(events, "variables-set")).toEqual([
      { state: "work", names: ["weight", "title", "trigger"], locked: true },
    ]);
    expect(payloads(events, "title-set")).toEqual([{ title: "Parcel", state: "work" }]);
  });

  it("R-291 of a seed, a write, a reset, and a turn that opens where the session stands", async () => {
    const { events, workflow } = await waiting(
      calls([...setting({ a: 1, title: "New" }), "set"]),
      advance("next"),
      calls(["archmax_reset", { reason: "Again." }, "back"]),
      advance("next"),
      says("Done."),
      says("Named."),
      says("Still done."),
    );
    await workflow.send("s1", { message: "go", variables: { given: 1 } });
    await workflow.send("s2", { message: "go", variables: { title: "Old" } });
    await workflow.send("s1", { message: "more" });

    expect(payloads(events, "variables-set")).toEqual([
      { names: ["given"], locked: true },
      { state: "work", names: ["a", "title"], locked: false, callId: "set" },
      { names: ["title"], locked: true },
    ]);
    expect(payloads(events, "title-set")).toEqual([{ title: "New", state: "work", callId: "set" }, { title: "Old" }]);
    expect(payloads(events, "workflow-reset")).toEqual(Array(3).fill({ entry: "work" }));
    expect(payloads(events, "advance").filter(({ from }) => from === "__start__")).toEqual([
      { from: "__start__", to: "work" },
      { from: "__start__", to: "work" },
      { from: "__start__", to: "next" },
    ]);
  });

  it("R-291 R-293 R-296 of delegated work that ends, parks and fails", async () => {
    let made: Bench | undefined;
    const desk = caller("good", "slow", "bad").replace(/tools:/, "budget: { maxTurns: 9 }\n    tools:");
    made = await open({
      spec: desk,
      files: {
        ...workflow("good", `${worker("good", "{ returns: [answer, other] }")}    tools: { allow: [probe] }\n`),
        ...workflow("slow", worker("slow")),
        ...workflow("bad", worker("bad")),
      },
      tools: probe(() => made!),
      answer: byModel({
        "test-model": [
          calls(["archmax_workflow_good", { prompt: "Go." }, "x"]),
          calls(["archmax_workflow_bad", { prompt: "Go." }, "y"]),
          calls(["archmax_workflow_slow", { prompt: "Go." }, "z"]),
          says("They work."),
        ],
        good: [calls(["probe"], setting({ answer: 1 })), says("Done.")],
        bad: [calls(["archmax_raise", { code: "no", reason: "Impossible." }])],
        slow: [{ ...calls(["archmax_wait", { reason: "Later." }]), text: "I wait." }],
      }),
    });
    await made.agent.workflow.send("s1", { message: "go" });
    const { events } = made;
    const of = (name: string, dispatchId: string, toolCallId: string) => ({
      state: "desk",
      workflow: name,
      dispatchId,
      toolCallId,
    });

    expect(payloads(events, "sub-workflow-start")).toEqual([
      { ...of("good", "1", "x"), depth: 1, chain: ["case", "good"] },
      { ...of("bad", "2", "y"), depth: 1, chain: ["case", "bad"] },
      { ...of("slow", "3", "z"), depth: 1, chain: ["case", "slow"] },
    ]);
    expect(payloads(events, "sub-workflow-result")).toEqual([
      { ...of("good", "1", "x"), status: "ok", durationMs: 5, returns: ["answer"] },
      { ...of("bad", "2", "y"), status: "error", durationMs: 0, reason: expect.stringContaining("Impossible.") },
      { ...of("slow", "3", "z"), status: "parked", durationMs: 0 },
    ]);
  });

  it("R-291 of completion checks, and of an assembly", async () => {
    const verdicts = [{ ok: false, reason: "Too short." }, { ok: true }];
    const bench = await open({
      spec: WAITS,
      files: { "skills/tone/SKILL.md": "---\nname: tone\ndescription: How to write.\n---\nBe kind.\n" },
      completion: { maxAttempts: 3, verify: () => verdicts.shift()! },
      replies: [says("Done."), says("Done at length.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const { events } = bench;

    expect(types(events).slice(0, 3).sort()).toEqual(["graph-topology", "prompt-shaping", "skills-loaded"]);
    expect(payloads(events, "skills-loaded")).toEqual([{ names: ["tone"] }]);
    expect(payloads(events, "graph-topology")).toEqual([
      { topology: expect.objectContaining({ nodes: expect.anything() }) },
    ]);
    expect(payloads(events, "prompt-shaping")).toEqual([{ cache: "none", withheld: [] }]);
    expect(payloads(events, "completion-failed")).toEqual([
      { state: "work", attempt: 1, maxAttempts: 3, reason: "Too short." },
    ]);
    expect(payloads(events, "completion-passed")).toEqual([{ state: "work", attempt: 2 }]);
  });

  it("R-291 of a diagnostic", async () => {
    const { events, workflow } = await waiting({ text: "" });
    await workflow.send("s1", { message: "go" });

    expect(payloads(events, "warning")).toEqual([{ scope: expect.any(String), message: expect.any(String) }]);
  });
});
