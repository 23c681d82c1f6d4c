import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ArrivalInput } from "../../lib/session/arrival.js";
import { SessionNotParkedError } from "../../lib/session/errors.js";
import { aBench, type Bench, type BenchOptions } from "../harness/agent.js";
import { calls, ofType } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

const firing = (n: number): ArrivalInput => ({ kind: "turn", message: `Event ${n}`, trigger: "manual" });
const accept = (input: ArrivalInput, key: string, source: "webhook" | "bus" | "api" = "webhook") =>
  bench.agent.accept("s1", input, { source, key });
const spoken = async () => {
  const outcome = await bench.stores.sessions.read("s1");
  const requests = bench.requests.map(({ body }) => body.messages.findLast(({ role }) => role === "user")?.content);
  return { requests, queued: outcome?.queued };
};

/** A session in the middle of its first model call, which `open` lets end. */
async function midTurn(options: BenchOptions) {
  const { opened, open } = gate();
  const { answer, ...rest } = options;
  bench = await aBench({
    ...rest,
    answer: async (request, ordinal) =>
      ordinal === 1 ? opened.then(() => answer!(request, 1)) : answer!(request, ordinal),
  });
  const turn = bench.agent.workflow.send("s1", { message: "Go" });
  await expect.poll(() => bench.requests.length).toBe(1);
  return { turn, open };
}

describe("what meets a running turn", () => {
  it("F-4 is stored, and delivered where the session waits then", async () => {
    const { turn, open } = await midTurn({
      spec: WAITS,
      answer: (_request, ordinal) => (ordinal === 1 ? waitForReply : { text: "Thanks." }),
    });
    const receipt = await accept({ kind: "delivery", trigger: "mail", variables: { n: 1 } }, "e1");

    expect(receipt.status).toBe("queued");
    open();

    expect(await turn).toMatchObject({ kind: "parked", disposition: "turn" });
    await bench.agent.work("s1");
    expect(await bench.agent.receipt(receipt.arrivalId)).toMatchObject({
      status: "settled",
      outcome: { disposition: "deliver", kind: "completed" },
    });
  });

  it("F-4 opens a further turn where the session has finished, whatever its trigger", async () => {
    const { turn, open } = await midTurn({ spec: ANSWERS, answer: always("Yes.") });
    const receipt = await accept({ kind: "turn", message: "More", trigger: "nobody" }, "e1");
    open();
    await turn;
    await bench.agent.work("s1");

    expect(await bench.agent.receipt(receipt.arrivalId)).toMatchObject({
      status: "settled",
      outcome: { disposition: "turn", kind: "completed" },
    });
  });

  it("F-4 settles as refused where it fits nowhere, and is kept with the reason", async () => {
    const { turn, open } = await midTurn({ spec: ANSWERS, answer: always("Yes.") });
    const receipt = await accept({ kind: "delivery", trigger: "mail" }, "e1");
    open();
    await turn;
    await bench.agent.work("s1");

    expect(await bench.agent.receipt(receipt.arrivalId)).toMatchObject({
      status: "refused",
      error: { name: "SessionNotAwaitingInputError" },
    });
    expect(await bench.stores.sessions.deadLetters(bench.clock.now())).toMatchObject([
      { arrival: { id: receipt.arrivalId }, reason: expect.stringContaining("completed") },
    ]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("R-12 F-8 a decision changes nothing and settles as refused", async () => {
    const { turn, open } = await midTurn({ spec: REVIEWED, answer: always("Yes.") });
    const receipt = await accept({ kind: "decision", target: "send" }, "d1", "api");
    open();

    expect((await turn).auditTrail).toHaveLength(1);
    await bench.agent.work("s1");
    expect(await bench.agent.receipt(receipt.arrivalId)).toMatchObject({
      status: "refused",
      error: { name: "SessionNotParkedError" },
    });
    expect(await bench.agent.sessions.messageCount("s1")).toBe(2);
  });

  it("H-129 a refusal is the same class for who asks after it was settled", async () => {
    const { turn, open } = await midTurn({ spec: REVIEWED, answer: always("Yes.") });
    await accept({ kind: "decision", target: "send" }, "d1", "api");
    open();
    await turn;
    await bench.agent.work("s1");

    const again = bench.agent.workflow.decide("s1", { target: "send" }, { idempotencyKey: "d1" });

    await expect(again).rejects.toBeInstanceOf(SessionNotParkedError);
    await expect(again).rejects.toMatchObject({ code: "session-not-parked", sessionId: "s1" });
  });

  it("F-7 messages in quick succession give one answered turn each in the order sent", async () => {
    bench = await aBench({
      spec: ANSWERS,
      answer: ({ body }) => ({ text: `To: ${String(body.messages.findLast(({ role }) => role === "user")?.content)}` }),
    });
    const { send } = bench.agent.workflow;

    const ticking = setInterval(() => bench.clock.advance(100), 5);
    const sent = ["One", "Two", "Three", "Four"];
    const outcomes = await Promise.all(sent.map((message) => send("s1", { message })));
    clearInterval(ticking);

    expect(outcomes.map(({ reply }) => reply)).toEqual(sent.map((message) => `To: ${message}`));
    const said = outcomes.at(-1)?.messages.map(({ content }) => content);
    expect(said).toEqual(sent.flatMap((message) => [message, `To: ${message}`]));
  });

  it("F-6 F-12 ten at once give ten turns in order of acceptance, without another event", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes.") });
    for (let n = 10; n >= 1; n -= 1)
      await accept({ ...firing(n), variables: { sent_at: `2026-03-${n + 10}` } } as ArrivalInput, `e${n}`);

    const report = await bench.agent.work("s1");

    expect(report.settled.map(({ outcome }) => outcome?.kind)).toEqual(Array(10).fill("completed"));
    expect(await spoken()).toEqual({ requests: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `Event ${n}`), queued: 0 });
    expect(ofType(bench.events, "state-enter")).toHaveLength(10);
  });
});

describe("what meets a person's decision", () => {
  const parked = async (...more: NonNullable<BenchOptions["replies"]>) => {
    bench = await aBench({ spec: REVIEWED, replies: [toReview, { text: "Please." }, ...more] });
    return bench.agent.workflow.send("s1", { message: "Go" });
  };

  it("F-5 an event stays stored, is counted, moves nothing, and is taken up after the decision", async () => {
    const { pending } = await parked({ text: "Sent." }, { text: "And now the order." });
    const event = await accept({ kind: "turn", trigger: "ordered" }, "e1");
    await bench.agent.work("s1");

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision", pending, queued: 1 });
    expect(bench.requests).toHaveLength(2);
    await bench.agent.workflow.decide("s1", { target: "send" });
    await bench.agent.work("s1");

    expect(await bench.agent.receipt(event.arrivalId)).toMatchObject({
      status: "settled",
      outcome: { reply: "And now the order." },
    });
    expect(await bench.agent.sessions.get("s1")).not.toHaveProperty("queued");
  });

  it("F-33 H-63 a message is answered, and the record afterwards is the one before", async () => {
    const { pending } = await parked({
      text: "Short.",
      ...calls(["archmax_advance", { to: "send", reason: "Sure." }]),
    });
    bench.clock.advance(60_000);

    const outcome = await bench.agent.workflow.reply("s1", "How long?");

    expect(outcome).toMatchObject({ kind: "parked", disposition: "reply", reply: "Short.", state: "review" });
    expect(outcome.pending).toEqual(pending);
    expect((await bench.agent.sessions.get("s1"))?.pending).toEqual(pending);
    expect(outcome.auditTrail).toHaveLength(2);
  });

  it("F-30 of two decisions at the same moment exactly one commits", async () => {
    const { pending } = await parked({ text: "Sent." }, { text: "Sent." });
    const agents = [await bench.again(), await bench.again()];
    const ticking = setInterval(() => bench.clock.advance(100), 5);

    const ends = await Promise.allSettled(
      agents.map((agent) => agent.workflow.decide("s1", { target: "send", park: pending?.parkId ?? "" })),
    );
    clearInterval(ticking);

    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(ends.find((end) => end.status === "rejected")).toMatchObject({ reason: { name: "SessionNotParkedError" } });
    const { auditTrail } = await bench.agent.workflow.send("s1", { message: "And?" });
    expect(auditTrail.filter(({ kind }) => kind === "human")).toHaveLength(1);
  });

  it("F-31 H-62 asks nobody again once a person has decided, and records by whom", async () => {
    bench = await aBench({
      spec: REVIEWED.replace("instructions: Send it.", "instructions: Send it.\n    requires: [never_set]"),
      replies: [toReview, { text: "Please." }, { text: "Sent." }],
      policyRules: [
        ({ tool }) =>
          tool === "archmax_advance" && bench.requests.length > 2
            ? { decision: "block", ruleId: "no", reason: "No." }
            : null,
      ],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });

    const outcome = await bench.agent.workflow.decide("s1", {
      target: "send",
      comment: "Go.",
      decidedBy: "lead by mail",
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "send" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "human", to: "send", reason: "Go.", by: "lead by mail" });
    expect(ofType(bench.events, "decided")).toMatchObject([{ state: "review", to: "send", decidedBy: "lead by mail" }]);
  });

  it("F-32 H-71 writes no human step for time passing or a cancellation", async () => {
    await parked({ text: "Sent." });
    bench.clock.advance(40 * 86_400_000);
    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
    await bench.stores.sessions.cancel("s1", bench.clock.now());
    await bench.agent.work("s1");

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
    expect(bench.requests).toHaveLength(2);
    const { auditTrail } = await bench.agent.workflow.decide("s1", { target: "send" });
    expect(auditTrail.filter(({ kind }) => kind === "human")).toHaveLength(1);
  });

  it("F-32 writes no human step for an event, nor for a wake-up", async () => {
    const wait = calls(["archmax_wait", { reason: "Mail.", until: "1h" }]);
    bench = await aBench({
      spec: WAITS,
      replies: [wait, { text: "I wait." }, wait, { text: "Still." }, { text: "Done." }],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } });
    bench.clock.advance(3_600_000);
    expect(await bench.agent.wake()).toEqual({ due: 1, woken: 1 });

    const trail = await bench.agent.sessions.trail("s1");
    expect(trail.map(({ kind, reason }) => [kind, reason])).toEqual([
      ["trigger", "manual"],
      ["trigger", "mail"],
      ["trigger", "timer"],
    ]);
  });

  it("F-34 reads back the record as it was written, in any script", async () => {
    bench = await aBench({
      spec: REVIEWED.replace("Decide whether it may go out.", '"決めてください – „ja“ oder نعم?\\nTwo lines."').replace(
        "description: It may go out.",
        'description: "Schön 🙂"',
      ),
      replies: [
        calls(["archmax_advance", { to: "review", reason: "Готово", evidence: ["scratchpad/ä b.md"] }]),
        { text: "Please." },
      ],
    });

    const { pending } = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(pending).toMatchObject({
      instructions: "決めてください – „ja“ oder نعم?\nTwo lines.",
      evidence: ["scratchpad/draft.md", "scratchpad/ä b.md"],
      transitions: [{ description: "Schön 🙂" }, {}],
    });
    expect((await (await bench.again()).sessions.get("s1"))?.pending).toEqual(pending);
  });

  it("F-35 H-69 names nothing of the process that parked", async () => {
    const { pending } = await parked();

    expect(Object.keys(pending ?? {}).sort()).toEqual([
      "channel",
      "evidence",
      "instructions",
      "parkId",
      "parkedAt",
      "seq",
      "state",
      "title",
      "transitions",
    ]);
    for (const place of [bench.rootDir, String(process.pid)])
      expect(JSON.stringify({ ...pending, parkId: "" })).not.toContain(place);
  });

  it("F-36 refuses a transition that an edit removed, lists the others, and leaves the park", async () => {
    const { pending } = await parked();
    writeFileSync(
      join(bench.rootDir, "workflows/case/workflow.yaml"),
      REVIEWED.replace("      - { to: send, type: approve, description: It may go out. }\n", "").replace(
        "    instructions: Send it.",
        "    instructions: Send it.\n    triggers: { other: }",
      ),
    );
    const edited = await bench.again();

    await expect(edited.workflow.decide("s1", { target: "send" })).rejects.toMatchObject({
      name: "InvalidDecisionTargetError",
      validTargets: ["work"],
    });

    expect((await edited.sessions.get("s1"))?.pending).toEqual(pending);
  });
});

describe("a wait", () => {
  it("R-5 W-109 takes any trigger id, which becomes the variable and the current trigger", async () => {
    bench = await aBench({ spec: WAITS, replies: [waitForReply, { text: "Thanks." }] });
    await bench.agent.workflow.send("s1", { message: "Go" });

    const outcome = await bench.agent.workflow.deliver("s1", { trigger: { id: "no state declares it" } });

    expect(outcome).toMatchObject({
      kind: "completed",
      state: "work",
      variables: { trigger: { value: "no state declares it", locked: true } },
    });
  });

  it("H-64 takes a second delivery of the same event for what it is", async () => {
    bench = await aBench({ spec: WAITS, replies: [waitForReply, { text: "Thanks." }] });
    const { send, deliver } = bench.agent.workflow;
    await send("s1", { message: "Go" });
    await deliver("s1", { trigger: { id: "mail" } });

    await expect(deliver("s1", { trigger: { id: "mail" } })).rejects.toMatchObject({
      name: "SessionNotAwaitingInputError",
      status: "completed",
    });
  });

  it("H-71 an earlier event resumes it before its time", async () => {
    bench = await aBench({
      spec: WAITS,
      replies: [
        { text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1d" }]) },
        { text: "Thanks." },
      ],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } })).toMatchObject({ kind: "completed" });
    bench.clock.advance(2 * 86_400_000);
    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
  });
});
