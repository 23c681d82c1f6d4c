import { afterEach, describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import { aBench, type Bench } from "../harness/agent.js";
import { givenChildren } from "../harness/builders.js";
import { advance, calls, ofType } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

const TWO_STEPS = `
states:
  read:
    triggers: { manual: }
    instructions: Read it.
    transitions: [{ to: write }]
  write:
    instructions: Write it.
`;

describe("which session a firing belongs to", () => {
  const NAMED = `
states:
  work:
    triggers:
      manual:
      mail: { session: mail.thread }
    instructions: Work.
    transitions: [{ to: review }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: work, description: Go. }]
`;
  const variables = {
    mail: { thread: "from-trigger", list: [{ id: "one" }, { id: " two " }] },
    a: "from-assembly",
    f: "from-firing",
  };

  it.each<[string, object, string]>([
    ["the id", { sessionId: "by-id", sessionPath: "f" }, "by-id"],
    ["the firing's path", { sessionPath: "f" }, "from-firing"],
    ["the assembly's path", {}, "from-assembly"],
    ["an index from the end", { sessionPath: "mail.list.-1.id" }, "two"],
    ["a stripped id", { sessionId: "/by-id" }, "by-id"],
  ])("R-4 R-22 R-23 W-106 H-34 H-60 is named by %s", async (_what, firing, sessionId) => {
    bench = await aBench({ spec: NAMED, replies: [], sessionPath: "a" });

    expect(await bench.agent.workflow.resolveSession({ trigger: "mail", variables, ...firing })).toEqual({
      sessionId,
      disposition: "turn",
      startState: "work",
      native: false,
    });
  });

  it("R-22 W-106 H-60 is named by the trigger's path where nothing else says so", async () => {
    bench = await aBench({ spec: NAMED, replies: [] });

    expect((await bench.agent.workflow.resolveSession({ trigger: "mail", variables })).sessionId).toBe("from-trigger");
  });

  it("R-4 R-22 R-26 W-106 H-61 is minted where nothing names it, without a warning", async () => {
    bench = await aBench({ spec: NAMED, replies: [] });
    const resolve = () => bench.agent.workflow.resolveSession({ variables });
    const [one, two] = [await resolve(), await resolve()];

    expect(one).toMatchObject({
      native: true,
      sessionId: expect.stringMatching(/^session-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    });
    expect(two.sessionId).not.toBe(one.sessionId);
    expect(ofType(bench.events, "warning")).toEqual([]);
  });

  it.each([
    ["nothing there", {}],
    ["blank text", { mail: { thread: " " } }],
    ["what is no id", { mail: { thread: true } }],
    ["no number", { mail: { thread: Number.NaN } }],
  ])("R-24 R-25 W-105 H-60 is minted with one warning where the path leads to %s", async (_what, given) => {
    bench = await aBench({ spec: NAMED, replies: [] });

    expect((await bench.agent.workflow.resolveSession({ trigger: "mail", variables: given })).native).toBe(true);
    expect(ofType(bench.events, "warning")).toMatchObject([{ message: expect.stringMatching(/mail\.thread.*mail/) }]);
  });

  it("R-24 W-105 takes a number, and refuses an id that cannot be one rather than replace it", async () => {
    bench = await aBench({ spec: NAMED, replies: [] });
    const { resolveSession } = bench.agent.workflow;

    expect((await resolveSession({ sessionPath: "n", variables: { n: 1_000_000 } })).sessionId).toBe("1000000");
    await expect(resolveSession({ sessionPath: "n", variables: { n: "a/../b" } })).rejects.toMatchObject({
      name: "SessionStoreIdError",
    });
  });

  it.each(["${{mail.thread}}", "mail..thread", ""])(
    "R-23 H-34 H-60 refuses the malformed path %j of a caller",
    async (sessionPath) => {
      bench = await aBench({ spec: NAMED, replies: [] });

      await expect(bench.agent.workflow.resolveSession({ sessionPath, variables })).rejects.toMatchObject({
        name: "InvalidSessionPathError",
        path: sessionPath,
      });
    },
  );

  it("R-26 R-27 W-107 W-110 H-61 says what the firing will do, runs no model and changes nothing", async () => {
    bench = await aBench({ spec: NAMED, replies: [waitForReply, toReview, { text: "Please." }, { text: "Done." }] });
    const { resolveSession, send, deliver, decide } = bench.agent.workflow;
    const resolve = (trigger?: string) => resolveSession({ sessionId: "s1", ...(trigger ? { trigger } : {}) });

    await expect(resolve("nobody")).rejects.toMatchObject({ name: "UnknownSessionTriggerError", trigger: "nobody" });
    expect(await bench.stores.sessions.read("s1")).toBeNull();
    expect(await resolve()).toEqual({ sessionId: "s1", disposition: "turn", startState: "work", native: false });
    await send("s1", { message: "Go" });
    expect(await resolve("nobody")).toEqual({ sessionId: "s1", disposition: "resume", state: "work", native: false });
    await deliver("s1", { trigger: { id: "mail" } });
    expect(await resolve("nobody")).toEqual({ sessionId: "s1", disposition: "reply", state: "review", native: false });
    await decide("s1", { target: "work" });
    expect(await resolve("nobody")).toEqual({
      sessionId: "s1",
      disposition: "turn",
      startState: "work",
      native: false,
    });
    expect(bench.requests).toHaveLength(4);
  });

  it("R-26 R-30 says that a session which completed in a terminal code state opens at the entry again", async () => {
    bench = await aBench({
      spec: `
states:
  ask: { triggers: { manual: }, instructions: Ask., transitions: [{ to: pay, description: Pay. }] }
  pay: { type: code, script: scripts/pay.js }
`,
      files: { "workflows/case/scripts/pay.js": "export default () => {};" },
      replies: [advance("pay")],
    });
    const { resolveSession, send } = bench.agent.workflow;

    expect(await send("s1", { message: "Go" })).toMatchObject({ kind: "completed", state: "pay" });
    expect(await resolveSession({ sessionId: "s1" })).toMatchObject({ disposition: "turn", startState: "ask" });
  });

  it("R-26 H-61 does not resolve to a session in the middle of a turn", async () => {
    const { opened, open } = gate();
    bench = await aBench({ spec: NAMED, answer: () => opened.then(() => ({ text: "Done." })) });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => bench.requests.length).toBe(1);

    await expect(bench.agent.workflow.resolveSession({ sessionId: "s1" })).rejects.toMatchObject({
      name: "SessionNotResumableError",
      sessionId: "s1",
      status: "running",
    });

    open();
    await turn;
  });

  it("H-56 W-99 resolves a trigger to its entry state", async () => {
    bench = await aBench({ spec: REVIEWED, replies: [], trigger: { id: "ordered" } });
    const { resolveTrigger } = bench.agent.workflow;

    expect(resolveTrigger()).toEqual({ id: "ordered", state: "work" });
    expect(resolveTrigger("manual")).toEqual({ id: "manual", state: "work" });
    expect(() => resolveTrigger("nobody")).toThrow(
      expect.objectContaining({ name: "UnknownTriggerError", declared: ["manual", "ordered"] }),
    );
  });
});

describe("looking at sessions", () => {
  it("R-300 H-75 H-77 lists every session that ran, the latest first, and narrows", async () => {
    bench = await aBench({
      spec: WAITS,
      replies: [
        { text: "Done." },
        { text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1d" }]) },
        waitForReply,
      ],
    });
    const { send } = bench.agent.workflow;
    for (const id of ["done", "timed", "open"]) {
      await send(id, { message: "Go" });
      bench.clock.advance(1_000);
    }
    await bench.agent.accept("unrun", { kind: "turn", message: "Go" });
    const { list } = bench.agent.sessions;
    const ids = async (filter?: Parameters<typeof list>[0]) => (await list(filter)).map(({ sessionId }) => sessionId);

    expect(await ids()).toEqual(["open", "timed", "done"]);
    expect(await ids({ status: "awaiting_input" })).toEqual(["open", "timed"]);
    expect(await ids({ limit: 1 })).toEqual(["open"]);
    expect(await ids({ dueBefore: bench.clock.now() })).toEqual([]);
    expect(await ids({ dueBefore: bench.clock.now() + 86_400_000 })).toEqual(["timed"]);
    expect((await list())[1]).toEqual({
      sessionId: "timed",
      status: "awaiting_input",
      classification: "open",
      workflow: "case",
      createdAt: "2026-03-20T09:00:01.000Z",
      updatedAt: "2026-03-20T09:00:01.000Z",
      workflowState: "work",
      specHash: bench.agent.workflow.machine.specHash,
      state: "work",
      waitReason: "Tomorrow.",
      resumeAt: "2026-03-21T09:00:01.000Z",
      variables: { trigger: { value: "manual", locked: true } },
    });
  });

  it("R-300 H-76 H-77 F-34 gets one with the record it waits on, and null for one that has not run", async () => {
    bench = await aBench({ spec: REVIEWED, replies: [toReview, { text: "Please." }] });
    const { pending } = await bench.agent.workflow.send("s1", { message: "Go" });
    const { sessions } = await bench.again();
    await bench.agent.accept("unrun", { kind: "turn", message: "Go" });

    expect(await sessions.get("s1")).toMatchObject({ status: "awaiting_decision", state: "review", pending });
    expect(await sessions.get("unknown")).toBeNull();
    expect(await sessions.get("unrun")).toBeNull();
  });

  it("H-76 counts the transcript", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes.") });
    const { messages } = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(await bench.agent.sessions.messageCount("s1")).toBe(messages.length);
    expect(await bench.agent.sessions.messageCount("unknown")).toBe(0);
  });

  it("R-300 H-68 H-77 H-116 carries the whole session's usage and cost across parks and processes", async () => {
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 10,
      total_tokens: 1_010,
      prompt_tokens_details: { cached_tokens: 400 },
    };
    bench = await aBench({
      spec: WAITS,
      replies: [
        { ...waitForReply, usage },
        { text: "Thanks.", usage },
      ],
      pricing: { "test-model": { input: 3, output: 15, cacheRead: 0.3 } },
    });
    await bench.agent.workflow.send("s1", { message: "Go" });

    const outcome = await (await bench.again()).workflow.deliver("s1", { trigger: { id: "x" } });

    const total = {
      inputTokens: 2_000,
      outputTokens: 20,
      cacheReadTokens: 800,
      cacheCreationTokens: 0,
      costUsd: 0.00414,
    };
    expect(outcome.usage).toEqual(total);
    expect((await bench.agent.sessions.get("s1"))?.usage).toEqual(total);
    expect(ofType(bench.events, "model-usage")[0]).toMatchObject({
      model: "test-model",
      inputTokens: 1_000,
      costUsd: 0.00207,
    });
  });

  it("H-116 tells of a running session what each call so far has used", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const seen: unknown[] = [];
    const replies = [
      calls(["archmax_get_variables"]),
      advance("write"),
      calls(["archmax_get_variables"]),
      { text: "Done." },
    ];
    bench = await aBench({
      spec: TWO_STEPS,
      answer: async (_request, number) => {
        seen.push((await bench.agent.sessions.get("s1"))?.usage?.inputTokens);
        return { ...replies[number - 1]!, usage };
      },
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(seen).toEqual([undefined, 10, 20, 30]);
    expect(outcome.usage).toMatchObject({ inputTokens: 40, outputTokens: 8 });
    expect((await bench.agent.sessions.get("s1"))?.usage).toEqual(outcome.usage);
  });

  it("H-116 F-62 counts nothing where no usage came", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes."), pricing: { default: { input: 1 } } });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome).not.toHaveProperty("usage");
    expect(await bench.agent.sessions.get("s1")).not.toHaveProperty("usage");
    expect(ofType(bench.events, "model-usage")).toEqual([]);
  });
});

describe("removing and seeding", () => {
  it("R-7 R-301 H-78 keeps everything until a deletion, which leaves an empty id", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [
        calls(["write_file", { file_path: "/scratchpad/a.md", content: "A" }]),
        { text: "One.", usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } },
        { text: "Two." },
      ],
    });
    const { send } = bench.agent.workflow;
    await send("s1", { message: "Go", variables: { n: 1 } });
    const kept = await bench.agent.sessions.get("s1");

    expect(kept).toMatchObject({
      status: "completed",
      variables: { n: { value: 1 }, trigger: { value: "manual" } },
      usage: { inputTokens: 9, outputTokens: 3 },
    });
    expect(await bench.agent.sessions.messageCount("s1")).toBe(4);
    expect(await bench.agent.sessions.trail("s1")).toMatchObject([{ to: "answer", kind: "trigger" }]);
    expect(await bench.stores.files.list("s1")).toHaveLength(1);

    expect(await bench.agent.sessions.delete("s1")).toBe(true);
    expect(await bench.agent.sessions.delete("s1")).toBe(false);
    expect(await bench.agent.sessions.get("s1")).toBeNull();
    expect(await bench.stores.files.list("s1")).toEqual([]);
    const fresh = await send("s1", { message: "Again" });
    expect(fresh.messages.map(({ content }) => content)).toEqual(["Again", "Two."]);
    expect(fresh.variables).not.toHaveProperty("n");
  });

  it("R-312 H-78 touches nothing of a session whose id begins with the same text", async () => {
    bench = await aBench({
      spec: ANSWERS,
      answer: ({ body }) =>
        body.messages.some(({ role }) => role === "tool")
          ? { text: "Yes." }
          : calls(["write_file", { file_path: "/scratchpad/a.md", content: "A" }]),
    });
    const others = ["run7/cases/x", "run70"];
    for (const id of ["run7", ...others]) await bench.agent.workflow.send(id, { message: "Go" });

    expect((await bench.stores.files.list("run7")).map(({ path }) => path)).toEqual(["scratchpad/a.md"]);
    expect(await bench.agent.sessions.delete("run7")).toBe(true);

    for (const id of others) {
      expect(await bench.agent.sessions.get(id)).toMatchObject({ status: "completed" });
      expect(await bench.stores.files.list(id)).toHaveLength(1);
    }
  });

  it("R-301 S-88 H-78 leaves children, with their files, unless they are to go along", async () => {
    bench = await aBench({ spec: ANSWERS, answer: () => ({ text: "Done." }) });
    const { agent, stores } = bench;
    const children = ["s1~1", "s1~1~1"];
    const prepare = async () => {
      await agent.workflow.send("s1", { message: "Go" });
      await givenChildren(stores.sessions, "s1", children, { now: Date.now() });
      for (const id of children) await stores.files.write(id, "scratchpad/a.md", new Uint8Array(1));
    };
    await prepare();
    expect(await agent.sessions.delete("s1")).toBe(true);
    expect((await agent.sessions.list()).map(({ sessionId }) => sessionId).sort()).toEqual(children);
    expect(await stores.files.list("s1~1~1")).toHaveLength(1);
    expect(await agent.sessions.delete("s1~1", { children: true })).toBe(true);

    await prepare();
    expect(await agent.sessions.delete("s1", { children: true })).toBe(true);
    expect(await agent.sessions.list()).toEqual([]);
    for (const id of children) expect(await stores.files.list(id)).toEqual([]);
  });

  it("H-78 removes nothing while a turn runs", async () => {
    const { opened, open } = gate();
    bench = await aBench({ spec: ANSWERS, answer: () => opened.then(() => ({ text: "Done." })) });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => bench.requests.length).toBe(1);

    await expect(bench.agent.sessions.delete("s1")).rejects.toMatchObject({
      name: "SessionNotResumableError",
      sessionId: "s1",
    });

    open();
    expect(await turn).toMatchObject({ kind: "completed", messages: [{}, {}] });
  });

  it("R-302 H-79 writes session files before a turn, which the turn finds", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [calls(["read_file", { file_path: "/scratchpad/order.json" }]), { text: "Read." }],
    });
    await bench.agent.sessions.seed("s1", { "scratchpad/order.json": { id: 7 }, "notes.md": "N" });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome.messages.find(({ role }) => role === "tool")?.content).toContain('"id": 7');
    expect((await bench.stores.files.list("s1")).map(({ path }) => path)).toEqual([
      "notes.md",
      "scratchpad/order.json",
    ]);
  });

  it.each(["skills/x/SKILL.md", "artifacts/a.json", "checkpoints/a", "../a.md", "workflows/a"])(
    "R-302 H-79 writes nothing where one key is %s",
    async (key) => {
      bench = await aBench({ spec: ANSWERS, replies: [] });

      await expect(bench.agent.sessions.seed("s1", { "a.md": "A", [key]: "B" })).rejects.toMatchObject({
        name: "InvalidSessionPathError",
        path: key,
      });

      expect(await bench.stores.files.list("s1")).toEqual([]);
    },
  );

  it("H-131 a host's word on a tool's effect reaches the call", async () => {
    const seen: unknown[] = [];
    const tools = toolsFromMap({
      pay: {
        description: "Pays.",
        inputSchema: { type: "object" },
        handler: (_input, { idempotencyKey, attempt }) => seen.push([idempotencyKey, attempt]),
      },
    });
    bench = await aBench({
      spec: ANSWERS.replace("Answer.\n", "Answer.\n    tools: { allow: [pay] }\n"),
      tools,
      toolEffects: { pay: { readOnly: true } },
      replies: [calls(["pay"]), { text: "Paid." }, calls(["pay"]), { text: "Paid." }],
    });
    const journaled = async (id: string) =>
      (await bench.stores.sessions.read(id))?.thread.filter(({ key }) => key.startsWith("J")).length;

    await bench.agent.workflow.send("repeatable", { message: "Go" });
    await (await bench.again({ toolEffects: {} })).workflow.send("once", { message: "Go" });

    expect(seen).toHaveLength(2);
    expect([await journaled("repeatable"), await journaled("once")]).toEqual([0, 1]);
    await expect(bench.again({ toolEffects: { ls: { readOnly: true } } })).rejects.toThrow(TypeError);
    await expect(bench.again({ toolEffects: { nobody: { readOnly: true } } })).rejects.toThrow(/nobody/);
  });
});
