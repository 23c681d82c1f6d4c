import { afterEach, describe, expect, it } from "vitest";
import type { ParkwayError } from "../../lib/session/errors.js";
import { aBench, type Bench, type BenchOptions } from "../harness/agent.js";
import { calls, ofType } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

async function open(options: BenchOptions): Promise<Bench["agent"]["workflow"]> {
  bench = await aBench(options);
  return bench.agent.workflow;
}

/** Everything the stores hold of a session, files included. */
async function stored(sessionId = "s1"): Promise<unknown> {
  const read = await bench.stores.sessions.read(sessionId);
  return structuredClone({
    record: read?.record,
    thread: read?.thread,
    files: await bench.stores.files.list(sessionId),
  });
}

/** Enough replies to bring a `REVIEWED` session to its decision. */
const untilReview = [toReview, { text: "Please decide." }];

describe("one id, one conversation", () => {
  it("R-1 goes on with the transcript of its id, however many slashes it began with, and with no other", async () => {
    const workflow = await open({ spec: ANSWERS, answer: always("Yes.") });

    await workflow.send("s1", { message: "One" });
    const again = await workflow.send("//s1", { message: "Two" });
    const other = await workflow.send("s2", { message: "Three" });

    expect(again.messages.map((message) => message.content)).toEqual(["One", "Yes.", "Two", "Yes."]);
    expect(other.messages.map((message) => message.content)).toEqual(["Three", "Yes."]);
    expect((await bench.agent.sessions.list()).map((summary) => summary.sessionId).sort()).toEqual(["s1", "s2"]);
  });

  it.each([
    ["an empty id", "", "empty"],
    ["slashes only", "/", "empty"],
    ["a dotted segment", "a/../b", '".."'],
    ["a backslash", "a\\b", "backslash"],
    ["a control character", "a\u0000b", "control character"],
    ["an area", "scratchpad/x", '"scratchpad"'],
    ["a mount", "skills/x", '"skills"'],
    ["no child's shape", "a~0", '"~"'],
    ["513 bytes", "x".repeat(513), "512 bytes"],
  ])("R-2 F-100 takes no input and shows nothing for %s, says why, and writes nothing", async (_what, id, reason) => {
    const { send, decide, reply, deliver, resolveSession } = await open({ spec: ANSWERS, answer: always("Yes.") });
    const entrances = [
      () => send(id, { message: "Hi" }),
      () => send(id, { message: "Hi", files: { scan: { name: "a.txt", content: "a" } } }),
      () => decide(id, { target: "x" }),
      () => reply(id, "Hi"),
      () => deliver(id, { trigger: { id: "manual" } }),
      () => resolveSession({ sessionId: id }),
      () => bench.agent.accept(id, { kind: "turn", message: "Hi" }),
      () => bench.agent.sessions.get(id),
      () => bench.agent.sessions.messageCount(id),
      () => bench.agent.sessions.delete(id),
      () => bench.agent.sessions.seed(id, { "a.txt": "a" }),
    ];

    const refused = { name: "SessionStoreIdError", sessionId: id, message: expect.stringContaining(reason) };
    for (const enter of entrances) await expect(enter(), String(enter)).rejects.toMatchObject(refused);
    expect(await bench.stores.sessions.list()).toEqual([]);
  });

  it("R-3 takes no input for a child's id, naming its root, and lets a host look at it", async () => {
    const { send, decide, reply, deliver, resolveSession } = await open({ spec: ANSWERS, answer: always("Yes.") });
    const named = (name: string) => ({ name, message: expect.stringContaining('"s1"') });

    await expect(send("s1~1~2", { message: "Hi" })).rejects.toMatchObject(named("SessionNotResumableError"));
    await expect(deliver("s1~1", { trigger: { id: "x" } })).rejects.toMatchObject(named("SessionNotResumableError"));
    await expect(decide("s1~1", { target: "x" })).rejects.toMatchObject(named("SessionNotParkedError"));
    await expect(reply("s1~1", "Hi")).rejects.toMatchObject(named("SessionNotParkedError"));
    await expect(resolveSession({ sessionId: "s1~1" })).rejects.toMatchObject(named("SessionNotResumableError"));
    await expect(bench.agent.accept("s1~1", { kind: "turn", message: "Hi" })).rejects.toMatchObject(
      named("SessionNotResumableError"),
    );
    expect(await bench.agent.sessions.get("s1~1")).toBeNull();
    expect(await bench.agent.sessions.delete("s1~1")).toBe(false);
  });
});

describe("what an input does", () => {
  it("R-10 R-11 H-57 H-58 H-63 H-64 leads a session through all four, by `send` alone", async () => {
    const spec = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    transitions: [{ to: review }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: work, description: Again. }]
`;
    const { send } = await open({
      spec,
      replies: [toReview, { text: "Please decide." }, { text: "It is short." }, waitForReply, { text: "Thanks." }],
    });

    const turn = await send("s1", { message: "Go" });
    const reply = await send("s1", { message: "How long is it?" });
    const decision = await send("s1", { decision: { target: "work", comment: "Longer." } });
    const delivery = await send("s1", {
      delivery: { trigger: { id: "mail" }, variables: { mail: "long" }, message: "Here." },
    });

    expect([turn, reply, decision, delivery].map(({ disposition, kind }) => [disposition, kind])).toEqual([
      ["turn", "parked"],
      ["reply", "parked"],
      ["decide", "parked"],
      ["deliver", "completed"],
    ]);
    expect(delivery.auditTrail.map(({ to, kind, reason }) => [to, kind, reason])).toEqual([
      ["work", "trigger", "manual"],
      ["review", "agent", "on to review"],
      ["work", "human", "Longer."],
      ["work", "trigger", "mail"],
    ]);
    expect(delivery.variables.mail).toEqual({ value: "long", locked: true });
  });

  it("R-10 `decide`, `reply` and `deliver` are the same under their own names", async () => {
    const { send, decide, reply, deliver } = await open({
      spec: REVIEWED,
      replies: [...untilReview, { text: "It is short." }, waitForReply, { text: "Thanks." }],
    });

    await send("s1", { message: "Go" });
    expect(await reply("s1", "How long?")).toMatchObject({
      disposition: "reply",
      kind: "parked",
      reply: "It is short.",
    });
    expect(await decide("s1", { target: "work" })).toMatchObject({
      disposition: "decide",
      kind: "parked",
      parkedChannel: "input",
    });
    expect(await deliver("s1", { trigger: { id: "mail" } })).toMatchObject({
      disposition: "deliver",
      kind: "completed",
    });
  });

  it("R-10 takes with a decision its park, its number and who decided, and with a call its limit, signal and model", async () => {
    const { send, decide } = await open({
      spec: REVIEWED,
      replies: [...untilReview, toReview, { text: "Once more." }, { text: "Sent." }],
    });
    const parked = await send("s1", { message: "Go" });
    const { parkId: park = "" } = parked.pending ?? {};

    await expect(decide("s1", { target: "work", park: "park-0" })).rejects.toMatchObject({
      name: "StaleDecisionError",
    });
    await expect(send("s1", { decision: { target: "work", seq: 2 } })).rejects.toMatchObject({
      name: "StaleDecisionError",
    });
    await expect(decide("s1", { target: "work" }, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
    await expect(decide("s1", { target: "work" }, { model: " " })).rejects.toThrow(TypeError);
    const again = await decide("s1", { target: "work", comment: "Longer.", park, seq: 1, decidedBy: "ann" });
    expect(again.auditTrail.at(-2)).toMatchObject({ to: "work", kind: "human", reason: "Longer.", by: "ann" });
    const sent = await send("s1", { decision: { target: "send", decidedBy: "bob" } }, { model: "other-model" });
    expect(sent.auditTrail.at(-1)).toMatchObject({ to: "send", kind: "human", by: "bob" });
    expect(bench.requests.map(({ body }) => body.model).slice(-2)).toEqual(["test-model", "other-model"]);
    await expect(send("s1", { message: "More" }, { recursionLimit: 0 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
  });

  it("R-11 H-58 delivers a turn's input to a session that waits, files and all", async () => {
    const { send } = await open({ spec: WAITS, replies: [waitForReply, { text: "Thanks." }] });

    await send("s1", { message: "Go" });
    const outcome = await send("s1", {
      message: "Here.",
      trigger: { id: "mail" },
      variables: { n: 1 },
      files: { scan: { name: "a.txt", content: "ä" } },
    });

    expect(outcome).toMatchObject({ disposition: "deliver", kind: "completed" });
    expect(outcome.variables).toMatchObject({
      n: { value: 1, locked: true },
      scan: { value: "scratchpad/attachments/a.txt", locked: true },
      trigger: { value: "mail", locked: true },
    });
    expect(outcome.messages.at(-2)).toMatchObject({ role: "user", content: "Here." });
  });

  it("R-14 seeds and adopts nothing where a turn becomes a reply, and says so once", async () => {
    const { send } = await open({ spec: REVIEWED, replies: [...untilReview, ...Array(4).fill({ text: "Fine." })] });

    await send("s1", { message: "Go" });
    bench.events.length = 0;
    await send("s1", { message: "Hm?" });
    expect(ofType(bench.events, "warning")).toEqual([]);
    await send("s1", { message: "Hm?", variables: { only: 1 } });
    await send("s1", { message: "Hm?", trigger: { id: "ordered" } });
    expect(ofType(bench.events, "warning").map(({ message }) => /only|trigger/.exec(message)?.[0])).toEqual([
      "only",
      "trigger",
    ]);
    bench.events.length = 0;
    const outcome = await send("s1", { message: "Hm?", trigger: { id: "ordered" }, variables: { n: 1 } });

    expect(outcome).toMatchObject({ disposition: "reply" });
    expect(Object.keys(outcome.variables)).toEqual(["trigger"]);
    expect(outcome.variables.trigger).toMatchObject({ value: "manual" });
    const warnings = ofType(bench.events, "warning");
    expect(warnings).toHaveLength(1);
    for (const ignored of ["trigger", "n"]) expect(warnings[0]?.message).toContain(ignored);
  });

  it("R-15 delivers under the assembly's default trigger where the input names none", async () => {
    await open({ spec: WAITS, replies: [waitForReply, waitForReply, { text: "Thanks." }] });
    const { send } = (await bench.again({ trigger: { id: "ordered" } })).workflow;
    await send("s1", { message: "Go", trigger: { id: "manual" } });

    expect((await send("s1", { message: "Here." })).variables.trigger).toEqual({ value: "ordered", locked: true });
    const named = await send("s1", { message: "Here.", trigger: { id: "mail" } });
    expect(named.variables.trigger).toEqual({ value: "mail", locked: true });
  });

  it("R-13 H-59 H-63 takes no blank message where one is needed", async () => {
    const { send, reply } = await open({ spec: REVIEWED, replies: untilReview });

    await expect(send("s1", { message: " " })).rejects.toMatchObject({ name: "EmptyMessageError" });
    await expect(send("s1", {})).rejects.toMatchObject({ name: "EmptyMessageError" });
    await send("s1", { message: "Go" });
    await expect(reply("s1", "\n")).rejects.toMatchObject({ name: "EmptyMessageError" });
  });

  it("R-13 H-59 W-113 reads the message at the trigger's path", async () => {
    const { send } = await open({ spec: WAITS, answer: always("Yes.") });

    const outcome = await send("s1", { trigger: { id: "ordered" }, variables: { order: { note: "From the order" } } });

    expect(outcome.messages[0]).toMatchObject({ role: "user", content: "From the order" });
  });
});

describe("checks before anything is touched", () => {
  const WRONG: [string, (workflow: Bench["agent"]["workflow"]) => Promise<unknown>, string][] = [
    ["a delivery", (workflow) => workflow.deliver("s1", { trigger: { id: "x" } }), "SessionNotAwaitingInputError"],
    ["a delivery without a trigger", (workflow) => workflow.deliver("s1", {} as never), "MissingDeliveryTriggerError"],
    [
      "a delivery of a blank trigger",
      (workflow) => workflow.deliver("s1", { trigger: { id: " " } }),
      "MissingDeliveryTriggerError",
    ],
    [
      "a delivery of `trigger`",
      (workflow) => workflow.deliver("s1", { trigger: { id: "x" }, variables: { trigger: 1 } }),
      "InvalidVariableNameError",
    ],
    ["an unknown target", (workflow) => workflow.decide("s1", { target: "nowhere" }), "InvalidDecisionTargetError"],
    ["a decision without a target", (workflow) => workflow.decide("s1", {} as never), "InvalidDecisionTargetError"],
    ["a stale park", (workflow) => workflow.decide("s1", { target: "send", park: "park-9" }), "StaleDecisionError"],
    ["a stale number", (workflow) => workflow.decide("s1", { target: "send", seq: 9 }), "StaleDecisionError"],
    ["a blank reply", (workflow) => workflow.reply("s1", ""), "EmptyMessageError"],
    [
      "a bad variable name",
      (workflow) => workflow.send("s1", { message: "Hm", variables: { "A-1": 1 } }),
      "InvalidVariableNameError",
    ],
    [
      "a file",
      (workflow) => workflow.send("s1", { message: "Hm", files: { scan: { name: "a.txt", content: "a" } } }),
      "InvalidTurnFileError",
    ],
  ];

  it.each(WRONG)(
    "R-12 H-65 H-129 leaves a parked session byte for byte as it was after %s",
    async (_what, enter, name) => {
      const workflow = await open({ spec: REVIEWED, replies: untilReview });
      await workflow.send("s1", { message: "Go" });
      const before = await stored();

      await expect(enter(workflow)).rejects.toMatchObject({ name });

      expect(await stored()).toEqual(before);
      expect(bench.requests).toHaveLength(2);
    },
  );

  it.each<[string, (workflow: Bench["agent"]["workflow"]) => Promise<unknown>, string]>([
    ["a decision", (workflow) => workflow.decide("s1", { target: "send" }), "SessionNotParkedError"],
    ["a reply", (workflow) => workflow.reply("s1", "Hm"), "SessionNotParkedError"],
    ["a delivery", (workflow) => workflow.deliver("s1", { trigger: { id: "x" } }), "SessionNotAwaitingInputError"],
    [
      "an undeclared trigger",
      (workflow) => workflow.send("s1", { message: "Hm", trigger: { id: "nobody" } }),
      "UnknownTriggerError",
    ],
    [
      "a title that is none",
      (workflow) => workflow.send("s1", { message: "Hm", variables: { title: " " } }),
      "InvalidTitleError",
    ],
  ])("R-11 R-12 W-101 makes no session of %s to an unknown id", async (_what, enter, name) => {
    const workflow = await open({ spec: REVIEWED, replies: [] });

    await expect(enter(workflow)).rejects.toMatchObject({ name });

    expect(await stored()).toMatchObject({ record: undefined });
    expect(await bench.agent.sessions.get("s1")).toBeNull();
  });

  it("R-12 names what was found in the error itself", async () => {
    const { send, decide } = await open({ spec: REVIEWED, replies: untilReview });
    await send("s1", { message: "Go" });

    const error = (await decide("s1", { target: "review" }).catch((thrown) => thrown)) as ParkwayError;

    expect(error).toMatchObject({ target: "review", validTargets: ["send", "work"], code: "invalid-decision-target" });
    expect(error.message).toContain("send, work");
  });
});

describe("the outcome", () => {
  it("R-16 H-68 tells of a completed turn", async () => {
    const { send } = await open({
      spec: ANSWERS,
      replies: [{ text: "Yes.", usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }],
    });

    const outcome = await send("s1", { message: "Hi" });

    expect(outcome).toEqual({
      kind: "completed",
      disposition: "turn",
      status: "completed",
      state: "answer",
      reply: "Yes.",
      exit: { success: true },
      usage: { inputTokens: 9, outputTokens: 3, cacheReadTokens: 0, cacheCreationTokens: 0 },
      auditTrail: [{ to: "answer", kind: "trigger", reason: "manual", ts: bench.clock.now() }],
      variables: { trigger: { value: "manual", locked: true } },
      messages: [
        { id: "m0", role: "user", content: "Hi" },
        { id: expect.stringMatching(/^m1/), role: "assistant", content: "Yes." },
      ],
    });
  });

  it("R-16 H-68 H-69 tells of a parked turn with the record, and neither exit nor rejection", async () => {
    const { send } = await open({ spec: REVIEWED, replies: untilReview });

    const outcome = await send("s1", { message: "Go" });

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
      title: "The review",
      instructions: "Decide whether it may go out.",
      transitions: [
        { to: "send", type: "approve", description: "It may go out." },
        { to: "work", type: "refine", description: "Change it." },
      ],
      evidence: ["scratchpad/draft.md"],
      parkedAt: new Date(bench.clock.now()).toISOString(),
      seq: 1,
    });
    expect(outcome).not.toHaveProperty("exit");
    expect(outcome).not.toHaveProperty("rejected");
    expect(outcome).not.toHaveProperty("usage");
  });

  it("R-16 H-69 tells of a wait, with an absolute time", async () => {
    const { send } = await open({
      spec: WAITS,
      replies: [{ text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1d" }]) }],
    });

    const { pending, parkedChannel } = await send("s1", { message: "Go" });

    expect(parkedChannel).toBe("input");
    expect(pending).toEqual({
      channel: "input",
      parkId: expect.any(String),
      state: "work",
      reason: "Tomorrow.",
      parkedAt: "2026-03-20T09:00:00.000Z",
      resumeAt: "2026-03-21T09:00:00.000Z",
    });
  });

  it("R-16 H-68 tells of a raised end", async () => {
    const { send } = await open({
      spec: ANSWERS,
      replies: [calls(["archmax_raise", { code: "no-order", reason: "There is none." }])],
    });

    const outcome = await send("s1", { message: "Go" });

    expect(outcome).toMatchObject({
      kind: "failed",
      status: "failed",
      exit: { success: false, code: "no-order", reason: "There is none." },
    });
    expect(Object.keys(outcome.exit ?? {}).sort()).toEqual(["code", "reason", "success"]);
  });

  it("R-17 F-62 replies with the texts of this leg only, beside calls and at the handoff too", async () => {
    const { send, decide } = await open({
      spec: REVIEWED,
      replies: [
        { text: "Looking.", ...calls(["ls", { path: "/" }]) },
        { text: "Written.", ...toReview },
        { text: "Please decide." },
        { text: "Sent." },
      ],
    });

    expect((await send("s1", { message: "Go" })).reply).toBe("Looking.\n\nWritten.\n\nPlease decide.");
    expect((await decide("s1", { target: "send" })).reply).toBe("Sent.");
  });

  it("R-17 F-61 F-62 ends normally with the empty string where nothing was said, in one call and with one warning", async () => {
    const { send } = await open({ spec: ANSWERS, replies: [{ text: "" }, { text: "Now." }] });

    const silent = await send("s1", { message: "Hi" });
    expect(silent).toMatchObject({ kind: "completed", reply: "" });
    expect(silent.messages).toHaveLength(1);
    expect(bench.requests).toHaveLength(1);
    expect(ofType(bench.events, "warning")).toHaveLength(1);

    await send("s1", { message: "Again" });
    const sent = bench.requests[1]?.body.messages.filter(({ role }) => role !== "system" && role !== "developer");
    expect(sent?.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("R-18 R-53 H-67 rejects with the error of a turn that threw, after its failure was committed", async () => {
    const { send } = await open({
      spec: ANSWERS,
      replies: [{ status: 400, error: { message: "No such model." } }, { text: "Yes." }],
    });

    await expect(send("s1", { message: "Hi" })).rejects.toThrow("No such model.");

    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "answer",
      exit: { code: "turn-error", state: "answer", reason: expect.stringContaining("No such model.") },
    });
    expect(await send("s1", { message: "Again" })).toMatchObject({ kind: "completed", reply: "Yes." });
  });
});

describe("fresh processes", () => {
  it("F-13 R-309 works from nothing but the stores, with a new agent for every call", async () => {
    bench = await aBench({
      spec: REVIEWED,
      replies: [
        calls(["archmax_set_variables", { variables: { n: 1 } }]),
        toReview,
        { text: "Please decide." },
        { text: "Short." },
        waitForReply,
        toReview,
        { text: "Again." },
        { text: "Sent." },
      ],
    });
    const next = async () => (await bench.again()).workflow;

    await (await next()).send("s1", { message: "Go" });
    await (await next()).reply("s1", "How long?");
    await (await next()).decide("s1", { target: "work" });
    await (await next()).deliver("s1", { trigger: { id: "mail" } });
    const outcome = await (await next()).decide("s1", { target: "send" });

    expect(outcome).toMatchObject({ kind: "completed", reply: "Sent.", variables: { n: { value: 1, locked: false } } });
    expect(outcome.auditTrail.map((step) => step.kind)).toEqual([
      "trigger",
      "agent",
      "human",
      "trigger",
      "agent",
      "human",
    ]);
    await expect((await bench.again()).sessions.get("s1")).resolves.toMatchObject({
      status: "completed",
      workflowState: "send",
    });
  });
});
