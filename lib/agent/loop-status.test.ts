import { describe, expect, it } from "vitest";
import type { Outcome } from "../session/outcome.js";
import { loopStatusOf, stoppedBy } from "./loop-status.js";

type Ended = Parameters<typeof loopStatusOf>[0];

const failed = (code: string, more: Partial<Ended> = {}): Ended => ({
  kind: "failed",
  exit: { success: false, code, reason: "Because." },
  ...more,
});
const parked = (park: object): Ended => ({
  kind: "parked",
  pending: { parkId: "p", state: "review", parkedAt: "", ...park } as Outcome["pending"],
});

describe("A-37 how an outcome reads in a loop", () => {
  it.each<[string, Ended, string, string]>([
    [
      "a decision that is awaited",
      parked({ channel: "decision", instructions: "Is it fine?" }),
      "pending",
      "decision in review: Is it fine?",
    ],
    ["one without instructions", parked({ channel: "decision", instructions: "" }), "pending", "decision in review"],
    ["a wait", parked({ channel: "input", reason: "for the mail" }), "pending", "input in review: for the mail"],
    ["a gate that gave up", failed("completion", { limit: "completion" }), "incomplete", "completion: Because."],
    ["a spent token limit", failed("limit-tokens", { limit: "maxTokens" }), "incomplete", "maxTokens: Because."],
    [
      "a spent limit of tool calls",
      failed("limit-tool-calls", { limit: "maxToolCalls" }),
      "incomplete",
      "maxToolCalls: Because.",
    ],
    ["a stored step limit", failed("recursion-limit"), "incomplete", "recursion-limit: Because."],
    ["a raise", failed("no-order"), "error", "no-order: Because."],
    ["a raise by the gate's name", failed("completion"), "error", "completion: Because."],
    ["a rejection", { kind: "rejected", rejected: "Not like this." }, "error", "Not like this."],
    ["a rejection without a reason", { kind: "rejected", rejected: "" }, "error", "rejected"],
  ])("A-36 A-37 %s", (_what, outcome, status, why) => {
    expect(loopStatusOf(outcome)).toBe(status);
    expect(stoppedBy(outcome)).toBe(why);
  });

  it("A-37 what completed is done", () => {
    expect(loopStatusOf({ kind: "completed", exit: { success: true } })).toBe("done");
  });
});
