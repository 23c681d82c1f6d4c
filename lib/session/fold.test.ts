import { describe, expect, it } from "vitest";
import { applyPatch, applyPatches, emptyState } from "./fold.js";
import type { SessionPatch } from "./state.js";

const opened: SessionPatch = {
  set: { status: "running", position: "work" },
  messages: [
    { id: "m0", role: "user", content: "go" },
    {
      id: "m1",
      role: "assistant",
      content: "",
      tool_calls: ["a", "b", "c"].map((id) => ({ id, name: "t", args: {} })),
    },
  ],
  batch: { calls: ["a", "b", "c"], answers: [{ callId: "b", tool: "t", text: "B", status: "success" }] },
};
const answer = (callId: string, more = {}): SessionPatch => ({
  answers: [{ callId, tool: "t", text: callId.toUpperCase(), status: "success", ...more }],
});

describe("a session's fold", () => {
  it("R-49 is the same whether patches come one by one or all at once", () => {
    const patches = [opened, answer("c"), { set: { trigger: "x" } }, answer("a"), { usage: usage(2) }];
    const oneByOne = patches.reduce(applyPatch, emptyState());

    expect(applyPatches(emptyState(), patches)).toEqual(oneByOne);
    expect(applyPatches(applyPatches(emptyState(), patches.slice(0, 2)), patches.slice(2))).toEqual(oneByOne);
  });

  it("R-55 F-59 answers enter the transcript in message order when the last one is in, as one step", () => {
    const before = applyPatches(emptyState(), [opened, answer("c")]);
    const after = applyPatch(before, answer("a"));

    expect(before.messages).toHaveLength(2);
    expect(before.fields.stepsUsed).toBeUndefined();
    expect(after.messages.slice(2).map(({ content }) => content)).toEqual(["A", "B", "C"]);
    expect(after).toMatchObject({ batch: null, fields: { stepsUsed: 1 } });
  });

  it("R-9 keeps the steps of every call of a batch, in message order whichever came first", () => {
    const step = (workflow: string) => ({ trail: [{ to: "work", kind: "sub-workflow" as const, workflow, ts: 1 }] });
    const first: SessionPatch = { ...opened, trail: [{ to: "work", kind: "trigger", ts: 0 }] };
    const after = applyPatches(emptyState(), [first, answer("c", step("c")), answer("a", step("a"))]);

    expect(after.trail.map(({ kind, workflow }) => workflow ?? kind)).toEqual(["trigger", "a", "c"]);
  });

  it("F-50 R-49 a second answer to a call changes nothing, nor does one to a call of no batch", () => {
    const once = applyPatches(emptyState(), [opened, answer("c")]);

    expect(applyPatch(once, answer("c", { text: "other" }))).toEqual(once);
    expect(applyPatch(once, answer("zz"))).toEqual(once);
  });

  it("R-119 R-167 what the batch decided takes effect when it closes, unless a call failed the state", () => {
    const moving: SessionPatch = {
      ...opened,
      batch: { ...opened.batch!, effect: { set: { position: "next" } }, movers: ["b"] },
    };
    const clean = applyPatches(emptyState(), [moving, answer("a"), answer("c")]);
    const failed = applyPatches(emptyState(), [moving, answer("a", { failure: "spent" }), answer("c")]);

    expect(applyPatches(emptyState(), [moving, answer("a")]).fields.position).toBe("work");
    expect(clean.fields).toMatchObject({ position: "next" });
    expect(failed.fields).toMatchObject({ position: "work", failure: "spent" });
    expect(failed.messages.find(({ tool_call_id }) => tool_call_id === "b")).toMatchObject({
      status: "error",
      additional_kwargs: { archmax: { refusal: "state-failed" } },
    });
  });

  it("S-48 R-250 what scripts have left is that of the last one in message order", () => {
    const todos = (content: string) => [{ content, status: "pending" as const }];
    const turn: SessionPatch = { set: { turnOrdinal: 3 } };
    const named = applyPatches(emptyState(), [
      turn,
      opened,
      answer("c", { defines: true, todos: todos("C") }),
      answer("a", { defines: false, todos: todos("A") }),
    ]);
    const lost = applyPatches(named, [opened, answer("c", { defines: false }), answer("a", { defines: true })]);

    expect(named.fields).toMatchObject({ repl: 3, todos: todos("C") });
    expect(lost.fields).not.toHaveProperty("repl");
    expect(lost.fields.todos).toEqual(todos("C"));
  });

  it("R-287 sums usage, with a cost when either side has one", () => {
    const sum = applyPatches(emptyState(), [
      { usage: usage(1) },
      { usage: { ...usage(2), costUsd: 0.1 } },
      { usage: usage(3) },
    ]);

    expect(sum.usage).toEqual({ ...usage(6), costUsd: 0.1 });
  });

  it("R-5 null clears a field, undefined leaves it", () => {
    const state = applyPatches(emptyState(), [opened, { set: { position: null, status: undefined } }]);

    expect(state.fields).not.toHaveProperty("position");
    expect(state.fields.status).toBe("running");
  });
});

function usage(n: number) {
  return { inputTokens: n, outputTokens: n, cacheReadTokens: n, cacheCreationTokens: n };
}
