import { describe, expect, it } from "vitest";
import { aMachine } from "../../machine/testing.js";
import type { Park } from "../../session/state.js";
import { aState } from "../../session/testing.js";
import { deliveredBy, deliveredByMock, textOf } from "./result.js";

const plain = aMachine({ work: { triggers: { manual: {} } } });
const returning = aMachine({ work: { triggers: { manual: { returns: [{ name: "total", type: "number" }, "who"] } } } });

const failedWith = (code: string, more: { limit?: string } = {}) =>
  deliveredBy(aState({ status: "failed", exit: { code, reason: "Because.", state: "work" }, ...more }), plain);

describe("deliveredBy", () => {
  it.each([
    ["turn-error", "error", "turn-error: Because."],
    ["turn-cancelled", "error", "turn-cancelled: Because."],
    ["recursion-limit", "error", "recursion-limit: Because."],
    ["limit-tokens", "error", "limit-tokens: Because."],
    ["limit-tool-calls", "error", "limit-tool-calls: Because."],
    ["no-stock", "raised", "it raised no-stock in state work: Because."],
  ])("R-186 a child that ended with %s fails as %s", (code, failure, reason) => {
    expect(failedWith(code)).toEqual({ kind: "failed", failure, reason });
  });

  it("R-186 A-24 A-27 a child that its completion gate gave up is told by its limit, not by its code", () => {
    const reason = "Because.";

    expect(failedWith("completion", { limit: "completion" })).toEqual({
      kind: "failed",
      failure: "completion",
      reason,
    });
    expect(failedWith("completion")).toMatchObject({ failure: "raised" });
  });

  it("R-186 a rejection is one, unless it is for returns that do not conform", () => {
    expect(deliveredBy(aState({ status: "rejected", rejected: "No." }), plain)).toMatchObject({ failure: "rejected" });
    expect(deliveredBy(aState({ status: "rejected", rejected: "No.", shortfall: true }), plain)).toMatchObject({
      failure: "invalid-return",
      reason: "No.",
    });
  });

  it("R-192 a child that waits is parked with its own record", () => {
    const park: Park = { channel: "input", parkId: "p", state: "work", reason: "for rain", parkedAt: "" };
    const delivered = deliveredBy(aState({ status: "awaiting_input", park }), plain);

    expect(delivered).toEqual({ kind: "parked", park });
    expect(textOf("check", delivered)).toMatch(/check is parked.*for rain/);
  });

  it("R-184 the message is the last text that the child itself said", () => {
    const state = {
      ...aState({ status: "completed" }),
      messages: [
        { id: "1", role: "assistant" as const, content: "First." },
        { id: "2", role: "assistant" as const, content: "Last." },
        { id: "3", role: "assistant" as const, content: " " },
        {
          id: "4",
          role: "assistant" as const,
          content: "A note.",
          additional_kwargs: { archmax: { note: "code" as const } },
        },
      ],
    };

    expect(textOf("check", deliveredBy(state, plain))).toBe("Last.");
  });

  it("R-184 R-185 a return that is set to null is set", () => {
    const state = aState({ status: "completed" }, { variables: { who: { value: null, locked: false } } });

    expect(JSON.parse(textOf("check", deliveredBy(state, returning)))).toEqual({
      message: "The workflow has finished and said nothing.",
      returns: { total: null, who: null, note: "The workflow did not set: total." },
    });
  });
});

describe("deliveredByMock", () => {
  it("C-22 holds each return to its type, and leaves out nothing", () => {
    expect(deliveredByMock({ returns: { total: "x" } }, returning, 0)).toMatchObject({ failure: "invalid-return" });
    expect(deliveredByMock({ returns: { total: 1 } }, returning, 0)).toMatchObject({ unset: ["who"] });
    expect(textOf("check", deliveredByMock({ text: "Hi." }, plain, 0))).toBe("Hi.");
  });
});
