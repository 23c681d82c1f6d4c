import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { writeTree } from "../harness/temporary.js";
import { advance, benches, blocks, calls, notes, offered, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: { returns: [answer] }, mail: { requires: [must] } }
    title: The work
    transitions: [{ to: done }]
  done: { instructions: Close. }
`;

const wait = (until?: string, reason = "the parcel") =>
  calls(["archmax_wait", { reason, ...(until === undefined ? {} : { until }) }]);
const answer = setting({ answer: 1 });
const finish = [calls(answer), says("Done.")];

async function waiting(...then: ReturnType<typeof says>[]) {
  const bench = await open({ spec: SPEC, replies: [{ ...wait("2h"), text: "I wait." }, ...then] });
  const outcome = await bench.agent.workflow.send("s1", { message: "go" });
  return { bench, outcome, workflow: bench.agent.workflow };
}

describe("a park for an event", () => {
  it("R-118 R-119 R-130 has a record with the state, the agent's reason and the absolute time", async () => {
    const { bench, outcome } = await waiting();

    expect(outcome.pending).toEqual({
      channel: "input",
      parkId: expect.any(String),
      state: "work",
      title: "The work",
      reason: "the parcel",
      parkedAt: "2026-03-20T09:00:00.000Z",
      resumeAt: "2026-03-20T11:00:00.000Z",
    });
    expect(ofType(bench.events, "parked")).toMatchObject([{ resumeAt: "2026-03-20T11:00:00.000Z" }]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "awaiting_input",
      waitReason: "the parcel",
      resumeAt: "2026-03-20T11:00:00.000Z",
    });
  });

  it("R-104 R-119 makes no handoff call when the agent spoke since the last message", async () => {
    const { bench, outcome } = await waiting();

    expect(bench.requests).toHaveLength(1);
    expect(outcome.reply).toBe("I wait.");
  });

  it("R-104 R-106 R-105 makes one when it said nothing, stating the reason, with the waiting state's tools", async () => {
    const bench = await open({ spec: SPEC, replies: [wait(), says("I wait for the parcel.")] });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({ reply: "I wait for the parcel.", parkedChannel: "input" });
    expect(blocks(bench.requests[1]).volatile).toMatch(/waits for an event\. Reason given: the parcel/);
    expect(offered(bench.requests[1])).toEqual(offered(bench.requests[0]));
  });

  it("R-104 what was said before the last person's message does not count", async () => {
    const bench = await open({ spec: SPEC, replies: [says("One."), wait(), says("I wait for the parcel.")] });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.send("s1", { message: "more" });

    expect(outcome).toMatchObject({ kind: "parked", reply: "I wait for the parcel." });
    expect(bench.requests).toHaveLength(3);
  });

  it("R-105 R-108 makes it on the waiting state's model, and not as one of the state's calls", async () => {
    const spec = `settings: { model: house }${SPEC}`.replace(
      "done: {",
      "done: { model: strict, budget: { maxTurns: 2 },",
    );
    const bench = await open({
      spec,
      replies: [calls(answer), advance("done"), wait(), says("I wait for the parcel."), says("Closed.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } })).toMatchObject({ kind: "completed" });
    expect(bench.requests.map(({ body }) => body.model)).toEqual(["house", "house", "strict", "strict", "strict"]);
  });

  it("R-104 what was said before the last note does not count", async () => {
    const { bench, workflow } = await waiting(wait(undefined, "the second parcel"), says("Still waiting."));
    const outcome = await workflow.deliver("s1", { trigger: { id: "mail" } });

    expect(outcome).toMatchObject({ kind: "parked", reply: "Still waiting." });
    expect(bench.requests).toHaveLength(3);
  });

  it("R-119 finishes the batch's other calls first", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [{ ...calls(["archmax_wait", { reason: "r" }], setting({ a: 1 }), ["ls"]), text: "w" }],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({ status: "awaiting_input", variables: { a: { value: 1 } } });
    expect(results(outcome).map(({ status }) => status)).toEqual(["success", "success", "success"]);
  });
});

describe("a delivery", () => {
  it("R-122 W-144 commits everything at once and tells it in order", async () => {
    const { bench, outcome, workflow } = await waiting(...finish);
    const before = bench.events.length;
    const after = await workflow.deliver("s1", {
      trigger: { id: "parcel" },
      variables: { weight: { kg: 2 }, title: "The parcel" },
      message: "It came.",
    });

    expect(after).toMatchObject({ kind: "completed", disposition: "deliver", state: "work" });
    expect(after.variables).toMatchObject({
      trigger: { value: "parcel", locked: true },
      weight: { value: { kg: 2 }, locked: true },
      title: { value: "The parcel", locked: false },
    });
    expect(after.auditTrail.slice(outcome.auditTrail.length)).toMatchObject([
      { to: "work", kind: "trigger", reason: "parcel" },
    ]);
    const added = after.messages.slice(outcome.messages.length);
    expect(added[1]?.content).toMatch(/^\[event\][\s\S]*parcel[\s\S]*\{"kg":2\}/);
    expect(added[2]).toEqual({ id: expect.any(String), role: "user", content: "It came." });
    const told = bench.events.slice(before, before + 5);
    expect(told).toMatchObject([
      { type: "delivered", state: "work", trigger: "parcel", to: "work", sessionId: "s1" },
      { type: "variables-set", state: "work", names: ["weight", "title", "trigger"], locked: true },
      { type: "title-set", title: "The parcel" },
      { type: "park-message", state: "work", direction: "inbound", text: "It came." },
      { type: "state-enter", state: "work" },
    ]);
    for (const event of told) expect(event).not.toHaveProperty("callId");
    expect((await bench.agent.sessions.get("s1"))?.pending).toBeUndefined();
  });

  it("R-122 R-147 makes the trigger the session's current one, as a code state is told it", async () => {
    const bench = await open({
      spec: SPEC.replace("{ to: done }", "{ to: done, description: Close it. }").replace(
        "done: { instructions: Close. }",
        "done: { type: code, script: scripts/done.js }",
      ),
      files: {
        "workflows/case/scripts/done.js":
          "export default ({ trigger, tools }) => tools.archmax_set_variables({ variables: { seen: trigger } });",
      },
      replies: [{ ...wait(), text: "w" }, calls(answer), advance("done")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect((await bench.agent.workflow.deliver("s1", { trigger: { id: "parcel" } })).variables.seen?.value).toBe(
      "parcel",
    );
  });

  it("R-122 a blank message is none", async () => {
    const { bench, workflow } = await waiting(...finish);
    const outcome = await workflow.deliver("s1", { trigger: { id: "x" }, message: "  " });

    expect(outcome.messages.filter(({ role }) => role === "user")).toHaveLength(1);
    expect(types(bench.events, "park-message")).toEqual([]);
  });

  it("R-122 R-5 the trigger that opened the turn stays: its returns are owed", async () => {
    const { bench, workflow } = await waiting(says("No answer."));
    const outcome = await workflow.deliver("s1", { trigger: { id: "mail" } });

    expect(outcome.rejected).toMatch(/answer[\s\S]*manual/);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields).toMatchObject({
      trigger: "mail",
      turnTrigger: "manual",
    });
  });

  it("R-122 R-70 the session still begins where it began", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [advance("done"), { ...wait(), text: "w" }, calls(["archmax_reset", { reason: "again" }]), ...finish],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } });

    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "reset", to: "work" });
  });

  it("R-123 W-143 W-144 replaces even locked values, and leaves a name of the returns unlocked", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [{ ...calls(setting({ a: 1 }, true), ["archmax_wait", { reason: "r" }]), text: "w" }, says("ok")],
    });
    await bench.agent.workflow.send("s1", { message: "go", variables: { given: 1 } });
    const outcome = await bench.agent.workflow.deliver("s1", {
      trigger: { id: "x" },
      variables: { a: 2, given: 2, answer: 5 },
    });

    expect(outcome).toMatchObject({
      kind: "completed",
      variables: {
        a: { value: 2, locked: true },
        given: { value: 2, locked: true },
        answer: { value: 5, locked: false },
      },
    });
    const kept = (await loadState(bench.stores.sessions, "s1"))?.state.variables;
    expect([kept?.a?.lockedBy, kept?.given?.lockedBy, kept?.trigger?.lockedBy]).toEqual(["host", "host", "host"]);
  });

  it("R-123 W-142 a delivered title replaces the old one; a malformed one is skipped with a warning", async () => {
    const { bench, workflow } = await waiting({ ...wait(), text: "w" }, { ...wait(), text: "w" }, ...finish);
    await workflow.deliver("s1", { trigger: { id: "x" }, variables: { title: "Zero" } });
    await workflow.deliver("s1", { trigger: { id: "x" }, variables: { title: "One" } });
    const outcome = await workflow.deliver("s1", { trigger: { id: "x" }, variables: { title: "a\nb", other: 1 } });

    expect(outcome.variables).toMatchObject({ title: { value: "One", locked: false }, other: { value: 1 } });
    expect(ofType(bench.events, "warning")).toMatchObject([{ message: expect.stringMatching(/title/) }]);
  });

  it("R-124 the note cuts a long value with a way to read it; the stored value is whole", async () => {
    const { workflow } = await waiting(...finish);
    const text = "x".repeat(5_000);
    const outcome = await workflow.deliver("s1", { trigger: { id: "x" }, variables: { text } });

    expect(notes(outcome)[0]).toContain(`"${"x".repeat(1_999)}…`);
    expect(notes(outcome)[0]).toContain("archmax_get_variables");
    expect(outcome.variables.text?.value).toBe(text);
  });

  it("R-121 any trigger id resumes; a declared trigger's `requires` are not checked", async () => {
    for (const id of ["mail", "never-declared"]) {
      const { workflow } = await waiting(...finish);

      expect(await workflow.deliver("s1", { trigger: { id } })).toMatchObject({ kind: "completed" });
    }
  });

  it.each([
    ["MissingDeliveryTriggerError", { trigger: { id: " " } }],
    ["InvalidVariableNameError", { trigger: { id: "x" }, variables: { "Bad-Name": 1 } }],
    ["InvalidVariableNameError", { trigger: { id: "x" }, variables: { trigger: "y" } }],
  ])("R-120 W-139 throws %s before anything changes", async (name, delivery) => {
    const { bench, outcome, workflow } = await waiting();

    await expect(workflow.deliver("s1", delivery)).rejects.toMatchObject({ name });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_input", pending: outcome.pending });
    expect(await bench.agent.sessions.messageCount("s1")).toBe(outcome.messages.length);
  });

  it("R-120 R-126 throws SessionNotAwaitingInputError unless the session waits for input", async () => {
    const { workflow } = await waiting(...finish);
    await workflow.deliver("s1", { trigger: { id: "x" } });

    for (const id of ["s1", "unknown"]) {
      await expect(workflow.deliver(id, { trigger: { id: "x" } })).rejects.toMatchObject({
        name: "SessionNotAwaitingInputError",
      });
    }
  });

  it("R-111 a session that waits for an event takes no decision", async () => {
    const { bench, outcome, workflow } = await waiting();

    await expect(workflow.decide("s1", { target: "done" })).rejects.toMatchObject({ name: "SessionNotParkedError" });
    expect((await bench.agent.sessions.get("s1"))?.pending).toEqual(outcome.pending);
  });

  it("R-125 R-164 W-170 the same visit goes on: model calls before and after the park count together", async () => {
    const spec = SPEC.replace("title: The work", "budget: { maxTurns: 2 }");
    const bench = await open({ spec, replies: [{ ...wait(), text: "w" }, calls(setting({ a: 1 }))] });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } });

    expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringMatching(/work[\s\S]*2/) });
    expect(types(bench.events, "state-leave")).toHaveLength(1);
  });

  it("R-125 R-76 works in a terminal state", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [calls(answer), advance("done"), { ...wait(), text: "w" }, says("Closed.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "x" } })).toMatchObject({
      kind: "completed",
      state: "done",
    });
  });

  it("R-118 R-126 parking again makes a new record", async () => {
    const { outcome, workflow } = await waiting({ ...wait(), text: "again" });
    const again = await workflow.deliver("s1", { trigger: { id: "x" } });

    expect(again.pending).not.toHaveProperty("resumeAt");
    expect(again.pending?.parkId).not.toBe(outcome.pending?.parkId);
  });

  it("R-128 works on a parked session of a disabled workflow", async () => {
    const { bench } = await waiting(...finish);
    writeTree(bench.rootDir, { "workflows/case/workflow.yaml": `disabled: true\n${SPEC}` });
    const other = await bench.again();

    expect(await other.workflow.deliver("s1", { trigger: { id: "x" } })).toMatchObject({ kind: "completed" });
  });

  it("R-129 to a state that the edit removed is applied in full and goes on at the entry, with a warning of both", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [advance("done"), { ...wait(), text: "w" }, ...finish],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    writeTree(bench.rootDir, {
      "workflows/case/workflow.yaml": SPEC.replaceAll("done", "closing"),
    });
    const other = await bench.again();
    const outcome = await other.workflow.deliver("s1", { trigger: { id: "x" }, variables: { a: 1 }, message: "Hi." });

    expect(outcome).toMatchObject({ kind: "completed", state: "work", variables: { a: { value: 1 } } });
    expect(notes(outcome)).toHaveLength(1);
    expect(outcome.messages).toContainEqual(expect.objectContaining({ role: "user", content: "Hi." }));
    expect(ofType(bench.events, "warning")).toMatchObject([{ message: expect.stringMatching(/done[\s\S]*work/) }]);
    expect(bench.events.findLast(({ type }) => type === "state-enter")).toMatchObject({ state: "work" });
  });
});

it("R-129 goes on at the entry of the trigger that opened the turn, not at the default one", async () => {
  const spec = `${SPEC.replace(", mail: { requires: [must] }", "")}  intake:
    instructions: Take it in.
    triggers: { mail: }
    transitions: [{ to: done }]
`;
  const bench = await open({ spec, replies: [advance("done"), { ...wait(), text: "w" }, says("Taken in.")] });
  await bench.agent.workflow.send("s1", { message: "go", trigger: { id: "mail" } });
  writeTree(bench.rootDir, { "workflows/case/workflow.yaml": spec.replaceAll("done", "closing") });
  const other = await bench.again();

  expect(await other.workflow.deliver("s1", { trigger: { id: "manual" } })).toMatchObject({ state: "intake" });
});

describe("a time", () => {
  it("R-78 R-130 holds nothing back: an earlier delivery resumes, a later one too", async () => {
    const early = await waiting(...finish);
    expect(await early.workflow.deliver("s1", { trigger: { id: "x" } })).toMatchObject({ kind: "completed" });

    const late = await waiting(...finish);
    late.bench.clock.advance(30 * 86_400_000);
    expect(await late.workflow.deliver("s1", { trigger: { id: "x" } })).toMatchObject({ kind: "completed" });
  });

  it("F-24 one that is past is woken by the next sweep", async () => {
    const bench = await open({ spec: SPEC, replies: [{ ...wait("2020-01-01"), text: "w" }, ...finish] });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    expect(outcome).toMatchObject({ kind: "parked" });
    await bench.agent.wake();

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });
});
