import { describe, expect, it } from "vitest";
import { applyPatch } from "../session/fold.js";
import type { SessionState } from "../session/state.js";
import { aState } from "../session/testing.js";
import { StepLimitError } from "./errors.js";
import { failurePatch } from "./failure.js";

const running = (rest: Partial<Omit<SessionState, "fields">> = {}) =>
  aState({ status: "running", position: "work", disposition: "turn" }, rest);
const failed = (state: SessionState, error: unknown, cancelled = false) =>
  applyPatch(state, failurePatch(state, { error, cancelled }));

describe("a turn that throws", () => {
  it.each<[string, unknown, boolean, string]>([
    ["the step limit", new StepLimitError(400), false, "recursion-limit"],
    ["a cancellation", new Error("stop"), true, "turn-cancelled"],
    ["a provider's failure", new Error("The provider said 500."), false, "turn-error"],
  ])("R-53 H-67 is %s", (_what, error, cancelled, code) => {
    const { fields } = failed(running(), error, cancelled);

    expect(fields).toMatchObject({
      status: "failed",
      endedAs: "failed",
      position: "work",
      exit: { code, state: "work", reason: (error as Error).message },
    });
  });

  it("R-53 keeps everything that was committed", () => {
    const before = running({
      trail: [{ to: "work", kind: "trigger", ts: 1 }],
      messages: [{ id: "m0", role: "user", content: "Hi" }],
    });
    const after = failed(before, new Error("x"));

    expect(after).toMatchObject({ trail: before.trail, messages: before.messages, variables: before.variables });
  });

  it("F-17 F-19 answers every call that was open, in message order, and moves nothing", () => {
    const tool_calls = ["a", "b", "c"].map((id) => ({ id, name: "slow", args: {} }));
    const before = running({
      messages: [{ id: "m0", role: "assistant", content: "", tool_calls }],
      batch: {
        calls: ["a", "b", "c"],
        answers: [{ callId: "b", tool: "slow", text: "done", status: "success" }],
        effect: { set: { position: "elsewhere" } },
      },
    });

    const after = failed(before, new Error("stop"), true);

    expect(after.batch).toBeNull();
    expect(after.messages.slice(1)).toMatchObject([
      { tool_call_id: "a", status: "error", name: "slow" },
      { tool_call_id: "b", content: "done" },
      { tool_call_id: "c", status: "error" },
    ]);
    expect(after.fields).toMatchObject({ position: "work", status: "failed" });
    expect(after.fields).not.toHaveProperty("failure");
  });

  it("R-306 leaves the park as it was where it was answering a person", () => {
    const park = {
      channel: "decision" as const,
      parkId: "p",
      state: "work",
      instructions: "",
      transitions: [],
      evidence: [],
      parkedAt: "x",
      seq: 1,
    };
    const before = aState({
      status: "awaiting_decision",
      position: "work",
      disposition: "reply",
      park,
      parkPhase: "suspended",
      replyOwed: true,
    });

    const { fields } = failed(before, new Error("stop"), true);

    expect(fields).toMatchObject({ status: "awaiting_decision", park, parkPhase: "suspended" });
    expect(fields).not.toHaveProperty("replyOwed");
    expect(fields).not.toHaveProperty("exit");
  });
});
