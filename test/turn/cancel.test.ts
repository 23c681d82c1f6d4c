import { afterEach, describe, expect, it } from "vitest";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import { aBench, type Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { calls, ofType, results } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

const never = () => new Promise<never>(() => {});
const stop = new Error("The customer hung up.");

const SLOW = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [slow, quick] }
    transitions: [{ to: next }]
  next:
    instructions: Next.
`;

/** `slow` waits until its signal aborts; what it saw is told. */
function slowTools(seen: unknown[], reached: () => void) {
  const tool = (handler: ToolDescriptor["handler"]): ToolDescriptor => ({
    description: "A tool.",
    inputSchema: { type: "object" },
    handler,
  });
  return toolsFromMap({
    slow: tool(
      (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            seen.push(signal.reason);
            reject(new Error("Stopped."));
          });
          reached();
        }),
    ),
    quick: tool(() => "quick"),
  });
}

describe("aborting a turn's signal", () => {
  it("R-10 R-53 R-305 stops the model request, fails the session where it stands, and rejects with the abort's reason", async () => {
    bench = await aBench({
      spec: ANSWERS,
      answer: ({ body }) => (body.messages.at(-1)?.content === "Again" ? { text: "Yes." } : never()),
    });
    const { send } = bench.agent.workflow;
    const aborter = new AbortController();
    const turn = send("s1", { message: "Go" }, { signal: aborter.signal });
    await expect.poll(() => bench.requests.length).toBe(1);

    aborter.abort(stop);

    await expect(turn).rejects.toBe(stop);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "answer",
      exit: { code: "turn-cancelled", reason: stop.message, state: "answer" },
    });
    const next = await send("s1", { message: "Again" });
    expect(next).toMatchObject({ kind: "completed", state: "answer" });
    expect(next.messages.map(({ content }) => content)).toEqual(["Go", "Again", "Yes."]);
  });

  it("R-60 R-305 F-17 stops a running tool, keeps what is answered, and answers every call of the message", async () => {
    const { opened, open } = gate();
    const seen: unknown[] = [];
    bench = await aBench({
      spec: SLOW,
      tools: slowTools(seen, open),
      replies: [calls(["quick"], ["slow"], ["archmax_advance", { to: "next", reason: "On." }]), { text: "Yes." }],
    });
    const { send } = bench.agent.workflow;
    const aborter = new AbortController();
    const turn = send("s1", { message: "Go" }, { signal: aborter.signal });
    await opened;
    await expect.poll(() => ofType(bench.events, "tool-result").some(({ tool }) => tool === "quick")).toBe(true);

    aborter.abort(stop);

    await expect(turn).rejects.toBe(stop);
    expect(seen).toEqual([stop]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "work",
      exit: { code: "turn-cancelled" },
    });
    const next = await send("s1", { message: "Again" });
    expect(next).toMatchObject({ kind: "completed", state: "work" });
    expect(results(next).map(({ tool, status }) => [tool, status])).toEqual([
      ["quick", "success"],
      ["slow", "error"],
      ["archmax_advance", "error"],
    ]);
    expect(next.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "trigger"]);
  });

  it("R-305 F-17 starts no call of a message once the abort is there", async () => {
    const ran: string[] = [];
    const aborter = new AbortController();
    const tool = (name: string): ToolDescriptor => ({
      description: "A tool.",
      inputSchema: { type: "object" },
      handler: () => ran.push(name),
    });
    bench = await aBench({
      spec: SLOW,
      tools: toolsFromMap({ slow: tool("slow"), quick: tool("quick") }),
      replies: [{ text: "Calling.", ...calls(["slow"], ["quick"]) }, { text: "Yes." }],
      onEvent: (event) => {
        if (event.type === "agent-text" && event.text === "Calling.") aborter.abort(stop);
      },
    });
    const { send } = bench.agent.workflow;

    await expect(send("s1", { message: "Go" }, { signal: aborter.signal })).rejects.toBe(stop);

    expect(ran).toEqual([]);
    expect(results(await send("s1", { message: "Again" })).map(({ status }) => status)).toEqual(["error", "error"]);
  });

  it("R-305 stops a script and the tool it waits for", async () => {
    const { opened, open } = gate();
    const seen: unknown[] = [];
    bench = await aBench({
      spec: "states: { pay: { type: code, triggers: { manual: }, script: scripts/pay.js, tools: { allow: [slow] } } }",
      files: {
        "workflows/case/scripts/pay.js":
          "export default async function ({ tools }) { try { await tools.slow({}); } catch {} }\n",
      },
      tools: slowTools(seen, open),
      replies: [],
    });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go" }, { signal: aborter.signal });
    await opened;

    aborter.abort(stop);

    await expect(turn).rejects.toBe(stop);
    expect(seen).toEqual([stop]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "pay",
      exit: { code: "turn-cancelled" },
    });
  });

  it("R-306 changes nothing after the turn's last commit", async () => {
    const aborter = new AbortController();
    bench = await aBench({
      spec: ANSWERS,
      answer: always("Yes."),
      onEvent: (event) => {
        if (event.type === "state-leave") aborter.abort(stop);
      },
    });

    expect(await bench.agent.workflow.send("s1", { message: "Go" }, { signal: aborter.signal })).toMatchObject({
      kind: "completed",
    });
    expect(aborter.signal.aborted).toBe(true);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("R-306 F-33 leaves the park as it was where it stops a reply", async () => {
    bench = await aBench({
      spec: REVIEWED,
      answer: ({ body }, ordinal) =>
        ordinal === 1
          ? toReview
          : ordinal === 2
            ? { text: "Please." }
            : body.messages.at(-1)?.content === "Slow?"
              ? never()
              : { text: "Short." },
    });
    const { send, reply, decide } = bench.agent.workflow;
    const parked = await send("s1", { message: "Go" });
    const aborter = new AbortController();
    const asked = reply("s1", "Slow?", { signal: aborter.signal });
    await expect.poll(() => bench.requests.length).toBe(3);

    aborter.abort(stop);

    await expect(asked).rejects.toBe(stop);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "awaiting_decision",
      pending: parked.pending,
    });
    expect(await reply("s1", "How long?")).toMatchObject({ kind: "parked", reply: "Short.", pending: parked.pending });
    expect(await decide("s1", { target: "send" })).toMatchObject({ kind: "completed" });
  });

  it("R-12 R-305 leaves the session as it was where the signal was aborted before anything began", async () => {
    bench = await aBench({ spec: REVIEWED, replies: [toReview, { text: "Please." }] });
    const { send, decide } = bench.agent.workflow;
    const signal = AbortSignal.abort(stop);

    await expect(send("s1", { message: "Go" }, { signal })).rejects.toBe(stop);
    expect(await bench.stores.sessions.read("s1")).toBeNull();
    const { pending } = await send("s1", { message: "Go" });
    const before = await bench.stores.sessions.read("s1");
    await expect(decide("s1", { target: "send" }, { signal })).rejects.toBe(stop);

    expect((await bench.stores.sessions.read("s1"))?.record).toEqual(before?.record);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision", pending });
    expect(await bench.agent.work("s1")).toMatchObject({ settled: [] });
  });

  it("R-12 R-305 leaves a park as it was where the abort comes before the decision is applied", async () => {
    const aborter = new AbortController();
    const sessions = wrapStore(createMemorySessionStore(), async (op, run) => {
      const result = await run();
      if (op.name === "claim" && bench.requests.length === 2) aborter.abort(stop);
      return result;
    });
    bench = await aBench({
      spec: REVIEWED,
      replies: [toReview, { text: "Please." }, { text: "Sent." }],
      stores: { sessions, files: createMemoryFileStore() },
    });
    const { send, decide } = bench.agent.workflow;
    const { pending } = await send("s1", { message: "Go" });

    await expect(decide("s1", { target: "send" }, { signal: aborter.signal })).rejects.toBe(stop);

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision", pending });
    expect(await decide("s1", { target: "send" })).toMatchObject({ kind: "completed", reply: "Sent." });
  });

  it("R-305 takes back what waits behind another's turn, and leaves that turn alone", async () => {
    const { opened, open } = gate();
    bench = await aBench({ spec: ANSWERS, answer: () => opened.then(() => ({ text: "Yes." })) });
    const first = bench.agent.workflow.send("s1", { message: "One" });
    await expect.poll(() => bench.requests.length).toBe(1);
    const aborter = new AbortController();
    const second = (await bench.again()).workflow.send("s1", { message: "Two" }, { signal: aborter.signal });
    await expect.poll(async () => (await bench.stores.sessions.read("s1"))?.queued).toBeGreaterThan(0);
    aborter.abort(stop);
    await expect(second).rejects.toBe(stop);

    open();

    expect(await first).toMatchObject({ kind: "completed", reply: "Yes." });
    expect(await bench.agent.work("s1")).toMatchObject({ settled: [] });
    expect(bench.requests).toHaveLength(1);
  });
});

describe("cancelling from another process", () => {
  const cancel = () => bench.stores.sessions.cancel("s1", bench.clock.now());

  it("R-305 F-17 reaches a turn in the middle of a model call within two seconds, and only that turn", async () => {
    bench = await aBench({
      spec: WAITS,
      answer: ({ body }) => (body.messages.at(-1)?.content === "Again" ? { text: "Yes." } : never()),
    });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => bench.requests.length).toBe(1);
    const queued = await bench.agent.accept("s1", { kind: "turn", message: "Again" });

    expect(await cancel()).toBe(true);
    bench.clock.advance(2_000);

    await expect(turn).rejects.toMatchObject({ code: "turn-cancelled" });
    expect(await bench.agent.receipt(queued.arrivalId)).toMatchObject({
      status: "settled",
      outcome: { kind: "completed", reply: "Yes." },
    });
    expect((await bench.stores.sessions.read("s1"))?.record).toMatchObject({ cancelRequested: false, lease: null });
  });

  it("R-305 F-17 reaches a running tool through its signal", async () => {
    const { opened, open } = gate();
    const seen: unknown[] = [];
    bench = await aBench({ spec: SLOW, tools: slowTools(seen, open), replies: [calls(["slow"]), { text: "Yes." }] });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await opened;

    await cancel();
    bench.clock.advance(2_000);

    await expect(turn).rejects.toMatchObject({ code: "turn-cancelled" });
    expect(seen).toMatchObject([{ code: "turn-cancelled" }]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
    expect(await bench.agent.workflow.send("s1", { message: "Again" })).toMatchObject({ kind: "completed" });
  });

  it("S-20 is seen at the next step boundary, however little time has passed", async () => {
    const tools = toolsFromMap({
      slow: { description: "Slow.", inputSchema: { type: "object" }, handler: async () => String(await cancel()) },
    });
    bench = await aBench({ spec: SLOW, tools, replies: [calls(["slow"]), { text: "Yes." }] });

    await expect(bench.agent.workflow.send("s1", { message: "Go" })).rejects.toMatchObject({ code: "turn-cancelled" });
    expect(bench.requests).toHaveLength(1);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
  });

  it("R-305 stops nothing where nothing runs", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(await cancel()).toBe(false);
    expect(await bench.agent.workflow.send("s1", { message: "More" })).toMatchObject({ kind: "completed" });
  });
});

describe("a turn that waits for its model", () => {
  it("S-20 S-24 F-1 looks for a cancellation every two seconds, and writes only at a third of its lease", async () => {
    const looks: string[] = [];
    const sessions = wrapStore(createMemorySessionStore(), (op, run) => {
      if (op.name === "isCancelled" || op.name === "renew") looks.push(op.name);
      return run();
    });
    bench = await aBench({ spec: ANSWERS, answer: never, stores: { sessions, files: createMemoryFileStore() } });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => bench.requests.length).toBe(1);

    for (let beat = 1; beat <= 20; beat += 1) {
      bench.clock.advance(2_000);
      await expect.poll(() => looks.length).toBe(beat);
    }
    expect(looks.map((name, index) => (name === "renew" ? (index + 1) * 2 : 0)).filter(Boolean)).toEqual([20, 40]);

    await bench.stores.sessions.cancel("s1", bench.clock.now());
    bench.clock.advance(2_000);
    await expect(turn).rejects.toMatchObject({ code: "turn-cancelled" });
  });
});
