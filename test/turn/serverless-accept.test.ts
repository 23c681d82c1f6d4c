/** What accepting an arrival promises, seen from the engine (chapter S, 22 and 23). */
import { describe, expect, it } from "vitest";
import type { ArrivalInput } from "../../lib/session/arrival.js";
import { sha256Hex, UPLOADS } from "../../lib/session/index.js";
import { benches, calls, ofType, says } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

const open = benches();
const turn = (message?: string): ArrivalInput => ({ kind: "turn", ...(message !== undefined ? { message } : {}) });

describe("accepting", () => {
  it("S-3 S-9 S-15 queues behind a running turn, and the receipt tells each of the arrival's statuses", async () => {
    const { opened, open: letGo } = gate();
    const bench = await open({ spec: ANSWERS, answer: () => opened.then(() => says("Yes.")) });
    const running = await bench.agent.accept("s1", turn("One"), { key: "one" });
    const worked = bench.agent.work("s1");
    // The first call of a file loads the model library.
    await expect.poll(() => bench.requests.length, { timeout: 10_000 }).toBe(1);

    const queued = await bench.agent.accept("s1", turn("Two"), { key: "two" });

    expect(queued).toMatchObject({ status: "queued", seq: 2 });
    expect(await bench.agent.receipt(running.arrivalId)).toMatchObject({ status: "running" });
    letGo();
    await worked;
    for (const [key, receipt] of Object.entries({ one: running, two: queued })) {
      const repeated = await bench.agent.accept("s1", turn(key === "one" ? "One" : "Two"), { key });
      expect(repeated).toMatchObject({ arrivalId: receipt.arrivalId, status: "settled", outcome: { reply: "Yes." } });
    }
    expect(bench.requests).toHaveLength(2);
  });

  it("S-4 checks the input of a caller's key, and takes a provider's key again whatever body it brings", async () => {
    const bench = await open({ spec: ANSWERS, replies: [] });
    const { accept } = bench.agent;
    const first = await accept("s1", turn("One"), { key: "k", source: "webhook" });
    await accept("s1", turn("One"), { key: "k" });

    expect(await accept("s1", turn("Changed"), { key: "k", source: "webhook" })).toEqual(first);
    await expect(accept("s1", turn("Changed"), { key: "k" })).rejects.toMatchObject({
      name: "IdempotencyConflictError",
    });
  });

  it.each<[string, string, ArrivalInput, string]>([
    ["an id that names no session", "a/../b", turn("x"), "SessionStoreIdError"],
    ["a child's id", "s1~1", turn("x"), "SessionNotResumableError"],
    [
      "a bad variable name",
      "s1",
      { ...turn("x"), variables: { "A b": 1 } } as ArrivalInput,
      "InvalidVariableNameError",
    ],
    ["a delivery without a trigger", "s1", { kind: "delivery", trigger: " " }, "MissingDeliveryTriggerError"],
    ["a blank reply", "s1", { kind: "reply", message: " " }, "EmptyMessageError"],
    ["a decision without a target", "s1", { kind: "decision", target: " " }, "InvalidDecisionTargetError"],
  ])("S-8 refuses %s before anything is stored", async (_what, sessionId, input, name) => {
    const bench = await open({ spec: ANSWERS, replies: [] });

    await expect(bench.agent.accept(sessionId, input, { key: "k" })).rejects.toMatchObject({ name });

    expect(await bench.agent.accept("s1", turn("x"), { key: "k" })).toMatchObject({ seq: 1, status: "queued" });
  });

  it.each<[string, ArrivalInput, string]>([
    ["a decision where nothing is parked", { kind: "decision", target: "send" }, "SessionNotParkedError"],
    ["a delivery to nobody who waits", { kind: "delivery", trigger: "mail" }, "SessionNotAwaitingInputError"],
    ["a reply to nobody who asked", { kind: "reply", message: "x" }, "SessionNotParkedError"],
    ["an undeclared trigger", { kind: "turn", message: "x", trigger: "nobody" }, "UnknownTriggerError"],
  ])("S-8 S-18 settles %s as refused under the lease, and takes the next", async (_what, input, name) => {
    const bench = await open({ spec: REVIEWED, replies: [says("Yes.")] });
    const refused = await bench.agent.accept("s1", input);
    const next = await bench.agent.accept("s1", turn("Go"));

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(refused.arrivalId)).toMatchObject({ status: "refused", error: { name } });
    expect(await bench.agent.receipt(next.arrivalId)).toMatchObject({ status: "settled" });
    expect(await bench.stores.sessions.deadLetters(bench.clock.now())).toEqual([]);
  });

  it.each(["webhook", "bus", "redrive", "api"] as const)(
    "S-18 keeps the input of a refused or disabled firing from %s, where nobody reads an answer",
    async (source) => {
      const bench = await open({ spec: `disabled: true\n${ANSWERS}`, replies: [] });
      await bench.agent.accept("s1", turn("Go"), { source, key: "1" });
      await bench.agent.accept("s1", { kind: "delivery", trigger: "mail" }, { source, key: "2" });

      await bench.agent.work("s1");

      const letters = await bench.stores.sessions.deadLetters(bench.clock.now());
      expect(letters.map(({ arrival }) => arrival.seq).sort()).toEqual(source === "api" ? [] : [1, 2]);
      expect(bench.requests).toEqual([]);
    },
  );

  it("S-15 S-90 settles what its turn threw as an error, at once, with what it came to", async () => {
    const bench = await open({ spec: ANSWERS, replies: [{ status: 400, error: { message: "Bad request." } }] });
    const { arrivalId } = await bench.agent.accept("s1", turn("Go"));

    expect(await bench.agent.work("s1")).toMatchObject({ left: "idle", settled: [{ arrivalId }] });

    expect(await bench.agent.receipt(arrivalId)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("Bad request.") },
      outcome: { kind: "failed", exit: { success: false, code: "turn-error" } },
    });
  });

  it("S-10 keeps a file's bytes outside of the inbox, and places them when the turn opens", async () => {
    const { opened, open: letGo } = gate();
    const bench = await open({ spec: ANSWERS, answer: () => opened.then(() => says("Yes.")) });
    const first = bench.agent.workflow.send("s1", { message: "One" });
    await expect.poll(() => bench.requests.length).toBe(1);
    const second = (await bench.again()).workflow.send("s1", {
      message: "Two",
      files: { scan: { name: "scan.txt", content: "the bytes" } },
    });
    await expect.poll(async () => (await bench.stores.sessions.read("s1"))?.queued).toBe(1);

    const [upload] = await bench.stores.files.listShared(UPLOADS, { after: "", limit: 2 });
    expect(upload?.path).toContain(sha256Hex("the bytes"));
    expect(new TextDecoder().decode((await bench.stores.files.readShared(upload?.path ?? "")) ?? undefined)).toBe(
      "the bytes",
    );
    expect(await bench.stores.files.list("s1")).toEqual([]);
    letGo();
    await first;
    const ticking = setInterval(() => bench.clock.advance(100), 5);
    await second;
    clearInterval(ticking);
    const placed = await bench.stores.files.read("s1", "scratchpad/attachments/scan.txt");
    expect(new TextDecoder().decode(placed?.bytes)).toBe("the bytes");
  });

  it.each([
    ["gone", undefined],
    ["another", "other bytes"],
  ])("S-10 S-75 gives up an arrival whose upload is %s, names it, and guesses nothing", async (_what, stored) => {
    const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Before" });
    const before = await bench.agent.sessions.get("s1");
    const key = ".parkway/uploads/x";
    if (stored !== undefined) await bench.stores.files.writeShared(key, new TextEncoder().encode(stored));
    const files = { scan: { name: "scan.txt", key, sizeBytes: 4, sha256: sha256Hex("true") } };
    const arrival = await bench.agent.accept("s1", { kind: "turn", message: "Go", files });

    await bench.agent.work("s1");
    const { record } = (await bench.stores.sessions.read("s1"))!;
    expect(record.lastFailure).toMatch(/"s1" cannot be read \(.parkway\/uploads\/x\)/);
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      bench.clock.advance(10 * 60_000);
      await bench.agent.work("s1");
    }

    expect(await bench.agent.receipt(arrival.arrivalId)).toMatchObject({ status: "dead" });
    expect(await bench.stores.sessions.deadLetters(bench.clock.now())).toMatchObject([{ attempts: 5 }]);
    expect(await bench.agent.sessions.get("s1")).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(await bench.stores.files.list("s1")).toEqual([]);
  });

  it("S-13 loses nothing when no doorbell rings, nor when one rings twice or for nothing", async () => {
    const rung: string[] = [];
    const doorbell = { ring: async (id: string) => void rung.push(id) };
    const bench = await open({ spec: ANSWERS, answer: always("Yes."), host: { doorbell } });
    const { arrivalId } = await bench.agent.accept("s1", turn("Go"));

    expect(rung).toEqual(["s1"]);
    expect(await bench.agent.wake()).toEqual({ due: 1, woken: 0 });
    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "settled" });
    expect(await Promise.all([bench.agent.work("s1"), bench.agent.work("s1"), bench.agent.work("none")])).toMatchObject(
      [{ settled: [] }, { settled: [] }, { settled: [] }],
    );
    expect(bench.requests).toHaveLength(1);
  });

  it("S-14 takes a session that has only an inbox for one that has not run", async () => {
    const bench = await open({ spec: ANSWERS, replies: [] });
    await bench.agent.accept("s1", turn("Go"));

    expect(await bench.agent.sessions.get("s1")).toBeNull();
    expect(await bench.agent.sessions.list()).toEqual([]);
  });
});

describe("order", () => {
  it("S-19 holds a firing that is no reply, passes it, counts it, and gives it up after 30 days", async () => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please."), says("Soon.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const firing = await bench.agent.accept("s1", { kind: "turn", trigger: "ordered" }, { source: "bus", key: "e" });
    const message = await bench.agent.accept(
      "s1",
      { kind: "turn", message: "How long?" },
      { source: "webhook", key: "m" },
    );

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(message.arrivalId)).toMatchObject({
      outcome: { disposition: "reply", reply: "Soon." },
    });
    expect(await bench.agent.receipt(firing.arrivalId)).toMatchObject({ status: "queued" });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ queued: 1, status: "awaiting_decision" });
    bench.clock.advance(30 * 86_400_000 - 1);
    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
    bench.clock.advance(1);
    expect(await bench.agent.wake()).toEqual({ due: 1, woken: 0 });
    expect(await bench.stores.sessions.deadLetters(bench.clock.now())).toMatchObject([
      { arrival: { id: firing.arrivalId } },
    ]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
    expect(bench.requests).toHaveLength(3);
  });

  it("S-19 looks at what it held again as soon as the session is parked there no more, though it is parked elsewhere", async () => {
    const bench = await open({
      spec: REVIEWED,
      replies: [toReview, says("Please."), waitForReply, says("Ordered.")],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const firing = await bench.agent.accept("s1", { kind: "turn", trigger: "ordered" }, { source: "bus", key: "e" });
    await bench.agent.work("s1");
    expect(await bench.agent.receipt(firing.arrivalId)).toMatchObject({ status: "queued" });

    await bench.agent.workflow.decide("s1", { target: "send" });
    await bench.agent.work("s1");

    expect(await bench.agent.receipt(firing.arrivalId)).toMatchObject({
      status: "settled",
      outcome: { disposition: "deliver", reply: "Ordered." },
    });
  });

  it("S-21 S-57 goes on with a turn that was cut before what is queued, and cuts none without a limit", async () => {
    const bench = await open({
      spec: WAITS,
      replies: [
        calls(["archmax_get_variables"]),
        says("First."),
        says("Second."),
        calls(["archmax_get_variables"]),
        says("Third."),
      ],
    });
    const { accept, work } = bench.agent;
    await accept("s1", turn("One"));
    expect(await work("s1", { drainAt: 0 })).toMatchObject({ left: "handed-over", settled: [] });
    await accept("s1", turn("Two"));

    const report = await work("s1");

    expect(report.settled.map(({ outcome }) => outcome?.reply)).toEqual(["First.", "Second."]);
    bench.clock.advance(365 * 86_400_000);
    await accept("s1", turn("Three"));
    expect(await work("s1")).toMatchObject({ left: "idle", settled: [{ outcome: { reply: "Third." } }] });
  });
});

describe("races at a park", () => {
  const parked = async (...more: Parameters<typeof open>[0]["replies"] & object) => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please."), ...more] });
    return { bench, ...(await bench.agent.workflow.send("s1", { message: "Go" })) };
  };

  it("S-67 S-68 applies the earlier of two decisions; the later is judged against what the session has become", async () => {
    const { bench, pending } = await parked(toReview, says("Please again."));
    const { accept, receipt, work } = bench.agent;
    const park = pending!.parkId;
    const first = await accept("s1", { kind: "decision", target: "work", park, comment: "Shorter." });
    const second = await accept("s1", { kind: "decision", target: "send", park });

    await work("s1");

    expect(await receipt(first.arrivalId)).toMatchObject({ status: "settled", outcome: { kind: "parked" } });
    expect(await receipt(second.arrivalId)).toMatchObject({ status: "refused", error: { name: "StaleDecisionError" } });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "awaiting_decision",
      workflowState: "review",
    });
  });

  it("S-68 refuses a decision that carries the number of the park before", async () => {
    const { bench, pending } = await parked(toReview, says("Please again."));
    const { accept, receipt, work } = bench.agent;
    const { seq } = pending as { seq: number };
    await accept("s1", { kind: "decision", target: "work", seq });
    const second = await accept("s1", { kind: "decision", target: "send", seq });

    await work("s1");

    expect(await receipt(second.arrivalId)).toMatchObject({ status: "refused", error: { name: "StaleDecisionError" } });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
  });

  it("S-67 S-68 refuses the later decision as not parked where the session has finished", async () => {
    const { bench } = await parked(says("Sent."));
    await bench.agent.accept("s1", { kind: "decision", target: "send" });
    const second = await bench.agent.accept("s1", { kind: "decision", target: "work" });

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(second.arrivalId)).toMatchObject({
      status: "refused",
      error: { name: "SessionNotParkedError" },
    });
    expect((await bench.agent.sessions.trail("s1")).filter(({ kind }) => kind === "human")).toHaveLength(1);
  });

  it("S-69 never takes a decision for an event, nor a wake-up for an answer", async () => {
    const bench = await open({
      spec: REVIEWED,
      replies: [
        { text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1h" }]) },
        toReview,
        says("Please."),
      ],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const before = await bench.agent.sessions.get("s1");
    await expect(bench.agent.workflow.decide("s1", { target: "send" })).rejects.toMatchObject({
      name: "SessionNotParkedError",
    });
    expect(await bench.agent.sessions.get("s1")).toEqual(before);

    bench.clock.advance(3_600_000);
    await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } });

    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
    expect(bench.requests).toHaveLength(3);
  });

  it("S-62 S-70 applies one of a delivery and the wake-up; the delivery that comes too late is refused", async () => {
    const wait = { text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1h" }]) };
    const bench = await open({ spec: WAITS, replies: [wait, says("Event."), wait, says("Time.")] });
    const { accept, work, wake, receipt } = bench.agent;
    await bench.agent.workflow.send("s1", { message: "Go" });
    const early = await accept("s1", { kind: "delivery", trigger: "mail" });
    bench.clock.advance(3_600_000);
    await wake();
    await bench.agent.workflow.send("s1", { message: "Again" });
    bench.clock.advance(3_600_000);
    await wake();
    const late = await accept("s1", { kind: "delivery", trigger: "mail" });
    await work("s1");

    expect(await receipt(early.arrivalId)).toMatchObject({ status: "settled", outcome: { reply: "Event." } });
    expect(await receipt(late.arrivalId)).toMatchObject({ status: "refused" });
    expect(ofType(bench.events, "delivered").map(({ trigger }) => trigger)).toEqual(["mail", "timer"]);
  });

  it("S-71 answers a message before the decision as a reply, and opens a turn with one after it", async () => {
    const { bench } = await parked(says("Soon."), says("Sent."), says("And this."));
    const { accept, receipt, work } = bench.agent;
    const asked = await accept("s1", turn("How long?"));
    await accept("s1", { kind: "decision", target: "send" });
    const after = await accept("s1", turn("More"));

    await work("s1");

    expect(await receipt(asked.arrivalId)).toMatchObject({
      outcome: { disposition: "reply", reply: "Soon.", kind: "parked" },
    });
    expect(await receipt(after.arrivalId)).toMatchObject({ outcome: { disposition: "turn", reply: "And this." } });
  });

  it("S-71 delivers a message to what the decision led to", async () => {
    const { bench } = await parked(waitForReply, says("Thanks."));
    await bench.agent.accept("s1", { kind: "decision", target: "work" });
    const after = await bench.agent.accept("s1", turn("Here it is"));

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(after.arrivalId)).toMatchObject({
      outcome: { disposition: "deliver", reply: "Thanks." },
    });
  });
});

describe("deleting", () => {
  it("S-73 S-86 accepts nothing while it goes on, and the id names a new session afterwards", async () => {
    const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Go" });
    await bench.stores.sessions.beginDelete("s1", bench.clock.now());

    await expect(bench.agent.accept("s1", turn("Now"))).rejects.toMatchObject({
      name: "SessionBusyError",
      retryable: true,
    });
    expect(await bench.agent.sessions.delete("s1")).toBe(true);

    const { messages } = await bench.agent.workflow.send("s1", { message: "New" });
    expect(messages.map(({ content }) => content)).toEqual(["New", "Yes."]);
  });

  it("S-84 S-87 refuses what waited, and answers a late repetition without a new session", async () => {
    const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
    const settled = await bench.agent.accept("s1", turn("Secret words"), { key: "a" });
    await bench.agent.work("s1");
    const queued = await bench.agent.accept("s1", turn("More"), { key: "b" });

    await bench.agent.sessions.delete("s1");

    expect(await bench.agent.receipt(queued.arrivalId)).toMatchObject({ status: "refused" });
    const again = await bench.agent.accept("s1", turn("Secret words"), { key: "a" });
    expect(again).toMatchObject({
      arrivalId: settled.arrivalId,
      status: "settled",
      outcome: { kind: "completed", reply: "" },
    });
    expect(await bench.stores.sessions.read("s1")).toBeNull();
  });
});
