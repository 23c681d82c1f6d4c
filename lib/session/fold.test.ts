import { describe, expect, it } from "vitest";
import { applyPatch, applyPatches, emptyState } from "./fold.js";
import type { CallAnswer, SessionPatch } from "./state.js";

const answer = (callId: string, of: Partial<CallAnswer> = {}): CallAnswer => ({
  callId,
  tool: "ls",
  text: `of ${callId}`,
  status: "success",
  ...of,
});

const STEP: SessionPatch[] = [
  { set: { status: "running", position: "work", stepsUsed: 1 }, messages: [{ id: "m0", role: "user", content: "Hi" }] },
  { variables: { a: { value: 1, locked: false } }, trail: [{ to: "work", kind: "trigger", ts: 1 }] },
  {
    batch: {
      calls: ["a", "b"],
      answers: [],
      effect: { set: { position: "next" }, trail: [{ to: "next", kind: "agent", ts: 2 }] },
    },
  },
  { answers: [answer("b")] },
  { answers: [answer("a")] },
];

describe("folding patches", () => {
  it("R-49 makes one state of a step's patches, together or one by one", () => {
    const together = applyPatches(emptyState(), STEP);
    const oneByOne = STEP.reduce(applyPatch, emptyState());

    expect(together).toEqual(oneByOne);
    expect(together.fields.position).toBe("next");
  });

  it("R-49 leaves the state it starts from as it was", () => {
    const before = applyPatches(emptyState(), STEP.slice(0, 2));
    const copy = structuredClone(before);

    applyPatches(before, STEP.slice(2));

    expect(before).toEqual(copy);
  });

  it("R-5 replaces a field whole, and clears it with null", () => {
    const set = applyPatches(emptyState(), [
      { set: { parkCounts: { a: 1 }, limit: "x" } },
      { set: { parkCounts: { b: 2 }, limit: null } },
    ]);

    expect(set.fields).toEqual({ parkCounts: { b: 2 } });
  });

  it("R-9 appends to the trail and never touches what is there", () => {
    const state = applyPatches(emptyState(), STEP);

    expect(state.trail.map((step) => step.to)).toEqual(["work", "next"]);
    expect(applyPatch(state, {}).trail).toEqual(state.trail);
  });

  it("H-116 adds usage up, cost present when either side has it", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };

    expect(
      applyPatches(emptyState(), [
        { usage },
        { usage: { ...usage, costUsd: 0.1 } },
        { usage: { ...usage, costUsd: 0.2 } },
      ]).usage,
    ).toEqual({
      inputTokens: 3,
      outputTokens: 6,
      cacheReadTokens: 9,
      cacheCreationTokens: 12,
      costUsd: 0.3,
    });
    expect(applyPatches(emptyState(), [{ usage }, { usage }]).usage).not.toHaveProperty("costUsd");
  });
});

describe("a batch of calls", () => {
  it("R-55 enters the transcript in message order, whichever answer came first", () => {
    const state = applyPatches(emptyState(), STEP);

    expect(state.messages.slice(1).map((message) => message.tool_call_id)).toEqual(["a", "b"]);
  });

  it("R-46 counts as one step, when its last answer is in", () => {
    expect(applyPatches(emptyState(), STEP.slice(0, 4)).fields.stepsUsed).toBe(1);
    expect(applyPatches(emptyState(), STEP).fields.stepsUsed).toBe(2);
  });

  it("R-49 moves nothing before its last answer is in", () => {
    const open = applyPatches(emptyState(), STEP.slice(0, 4));

    expect(open.fields.position).toBe("work");
    expect(open.messages).toHaveLength(1);
    expect(open.batch?.answers).toHaveLength(1);
  });

  it("takes the first of two answers to one call, and none to a call it does not hold", () => {
    const state = applyPatches(emptyState(), [
      ...STEP.slice(0, 4),
      { answers: [answer("b", { text: "again" }), answer("z"), answer("a")] },
    ]);

    expect(state.messages.slice(1).map((message) => message.content)).toEqual(["of a", "of b"]);
  });

  it("R-61 marks what was refused and what governance blocked", () => {
    const batch = {
      calls: ["a"],
      answers: [answer("a", { status: "error", refusal: "blocked:tool.denied", blocked: true })],
    };
    const { messages } = applyPatch(emptyState(), { batch });

    expect(messages[0]).toMatchObject({
      status: "error",
      additional_kwargs: { governance_blocked: true, archmax: { refusal: "blocked:tool.denied" } },
    });
  });
});
