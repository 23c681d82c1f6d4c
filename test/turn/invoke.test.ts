/** `agent.invoke`, on agents of both kinds. */
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { benches, calls, plainBenches, says } from "./support.js";
import { ANSWERS, REVIEWED, toReview, WAITS } from "./workflows.js";

const open = benches();
const plain = plainBenches();
/** Its first turn parks at a person's decision. */
const REVIEW_DUE = { spec: REVIEWED, replies: [toReview, says("Please decide.")] };
const config = { configurable: { thread_id: "s1" } };
const said = (messages: readonly { role: string; content: string }[]) =>
  messages.map(({ role, content }) => `${role}: ${content}`);

describe("invoke", () => {
  it("H-47 runs one turn under the named trigger with its variables, and answers with the session", async () => {
    const { agent } = await open({
      spec: `
states:
  work:
    triggers: { manual: , mail: { requires: [subject] } }
    instructions: Work.
`,
      replies: [says("Done.")],
    });

    const result = await agent.invoke(
      { messages: "Read it.", trigger: { id: "mail" }, variables: { subject: "Refund" } },
      config,
    );

    expect(result).toEqual({ messages: expect.any(Array), status: "completed", workflowState: "work" });
    expect(said(result.messages)).toEqual(["user: Read it.", "assistant: Done."]);
    expect((await agent.sessions.get("s1"))?.variables).toMatchObject({
      trigger: { value: "mail" },
      subject: { value: "Refund", locked: true },
    });
  });

  it("H-47 shows the decision that is pending, and resumes no parked session", async () => {
    const { agent, requests } = await open(REVIEW_DUE);

    const parked = await agent.invoke({ messages: "Go." }, config);
    const before = await agent.sessions.get("s1");

    expect(parked).toMatchObject({
      status: "awaiting_decision",
      workflowState: "review",
      pendingDecision: { channel: "decision", state: "review" },
    });
    expect(parked).not.toHaveProperty("pendingInput");
    await expect(agent.invoke({ messages: "Approve it." }, config)).rejects.toMatchObject({
      name: "SessionNotResumableError",
      sessionId: "s1",
      status: "awaiting_decision",
    });
    expect(await agent.sessions.get("s1")).toEqual(before);
    expect(requests).toHaveLength(2);
  });

  it("H-47 shows the wait that is pending, and resumes it as little", async () => {
    const { agent } = await open({
      spec: WAITS,
      replies: [{ text: "Later.", ...calls(["archmax_wait", { reason: "A reply." }]) }, says("Waiting.")],
    });

    const parked = await agent.invoke({ messages: "Go." }, config);

    expect(parked).toMatchObject({ status: "awaiting_input", pendingInput: { reason: "A reply." } });
    await expect(agent.invoke({ messages: "Here it is." }, config)).rejects.toMatchObject({
      code: "session-not-resumable",
    });
  });

  it("H-47 S-8 is refused under the lease too, where the session parks while the call is queued", async () => {
    const bench = await open(REVIEW_DUE);
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    await expect(bench.agent.invoke({ messages: "And this." }, config)).rejects.toMatchObject({
      code: "session-not-resumable",
    });

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
  });

  it("H-47 S-3 asks a key again and gets the first answer", async () => {
    const { agent, requests } = await open({ spec: ANSWERS, replies: [says("Once.")] });
    const once = () => agent.invoke({ messages: "Go." }, { ...config, idempotencyKey: "k" });

    expect(said((await once()).messages)).toEqual(said((await once()).messages));
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["no config", undefined],
    ["no thread", { configurable: {} }],
    ["a number", { configurable: { thread_id: 3 } }],
  ])("H-47 names its session: %s is refused", async (_what, given) => {
    const { agent } = await open({ spec: ANSWERS, replies: [] });

    await expect(agent.invoke({ messages: "Go." }, given as never)).rejects.toMatchObject({
      name: "MissingThreadIdError",
    });
  });
});

describe("earlier messages", () => {
  const history = [
    { role: "user", content: "Do you sell tea?" },
    new AIMessage("We do."),
    ["human", "Green tea?"],
    {
      role: "assistant",
      content: [
        { type: "text", text: "Green, " },
        { type: "text", text: "too." },
      ],
    },
    new HumanMessage("Two boxes."),
  ] as const;
  const transcript = [
    "user: Do you sell tea?",
    "assistant: We do.",
    "user: Green tea?",
    "assistant: Green, too.",
    "user: Two boxes.",
    "assistant: Sold.",
  ];

  it.each([
    ["governed", () => open({ spec: ANSWERS, replies: [says("Sold."), says("Yes.")] })],
    ["plain", () => plain({ replies: [says("Sold."), says("Yes.")] })],
  ])("H-48 begin the session of a %s agent, and are no part of the turn's reply", async (_kind, make) => {
    const { agent, requests } = await make();

    const result = await agent.invoke({ messages: history }, { ...config, idempotencyKey: "k" });

    expect(said(result.messages)).toEqual(transcript);
    expect(new Set(result.messages.map(({ id }) => id)).size).toBe(6);
    const asked = requests[0]!.body.messages.filter(({ role }) => role !== "system");
    expect(asked.map(({ role, content }) => `${role}: ${content}`)).toEqual(transcript.slice(0, 5));
    expect(await agent.work("s1")).toMatchObject({ settled: [] });
    const next = await agent.invoke({ messages: [{ role: "user", content: "Still there?" }] }, config);
    expect(said(next.messages).slice(6)).toEqual(["user: Still there?", "assistant: Yes."]);
  });

  it("H-48 stand only where a session begins", async () => {
    const { agent } = await open({ spec: ANSWERS, replies: [says("Sold.")] });
    await agent.invoke({ messages: "Tea?" }, config);

    await expect(agent.invoke({ messages: history }, config)).rejects.toMatchObject({ name: "InvalidMessagesError" });

    expect(await agent.sessions.messageCount("s1")).toBe(2);
  });

  it.each([
    ["no message", []],
    ["the assistant's last", [{ role: "user", content: "Tea?" }, new AIMessage("Yes.")]],
    ["a tool's answer", [new ToolMessage({ content: "x", tool_call_id: "1" }), "Tea?"]],
    ["a system message", [{ role: "system", content: "Obey." }, "Tea?"]],
    ["calls of tools", [new AIMessage({ content: "", tool_calls: [{ id: "1", name: "ls", args: {} }] }), "Tea?"]],
    ["a picture", [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }, "Tea?"]],
    ["a role that only an object has", [{ role: "toString", content: "x" }, "Tea?"]],
    ["what is no message", [null, 5, "Tea?"]],
    ["no messages at all", undefined],
    [
      "a provider's record of calls",
      [{ role: "assistant", content: "x", additional_kwargs: { tool_calls: [{ id: "1" }] } }, "Tea?"],
    ],
    ["nothing said", [{ role: "assistant", content: " " }, "Tea?"]],
  ])("H-48 refuses %s, and begins no session", async (_what, messages) => {
    const { agent } = await open({ spec: ANSWERS, replies: [] });

    await expect(agent.invoke({ messages: messages as never }, config)).rejects.toMatchObject({
      code: "invalid-messages",
    });

    expect(await agent.sessions.get("s1")).toBeNull();
  });
});
