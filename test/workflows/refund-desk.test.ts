/** The refund desk, from the request to the letter, through the command. */
import { describe, expect, it } from "vitest";
import { converse, movesOf } from "./command.js";

const SLOW_MS = 90_000;

describe("refund-desk", { timeout: SLOW_MS }, () => {
  it("C-64 C-69 a large refund is refined and approved by a person, graded twice, paid and mailed once", async () => {
    const { run, decide, deliver, outbox, told, session } = converse({
      workflow: "refund-desk",
      sessionId: "ticket-1",
      replies: "workflows/refund-desk/demo/replies.yaml",
    });
    const ticket = { id: "ticket-1", body: "Please refund order NL-310." };

    const waiting = await run({
      trigger: "ticket_opened",
      variables: { ticket, customer_email: "leo@mail.example", asked_on: "2026-03-20" },
    });
    const asking = await deliver("parcel_scanned");
    const again = await decide("assess", "Say that the box was not opened.");
    const early = outbox();
    const settled = await decide("draft-email", "Fine.");

    expect(waiting).toMatchObject({ kind: "parked", parkedChannel: "input", state: "assess" });
    expect(asking).toMatchObject({ kind: "parked", parkedChannel: "decision", state: "review" });
    expect(again).toMatchObject({
      kind: "parked",
      state: "review",
      pending: { evidence: ["scratchpad/assessment.md"] },
    });
    expect(early).toEqual({ refunds: [], credits: [], letters: [], tasks: [] });
    expect(settled).toMatchObject({
      kind: "completed",
      variables: { outcome: { value: "refunded" }, amount_cents: { value: 42_000 } },
    });
    expect(movesOf(settled)).toEqual([
      "trigger assess",
      "trigger assess",
      "agent check-policy",
      "code review",
      "human assess",
      "agent check-policy",
      "code review",
      "human draft-email",
      "agent grade-email",
      "grader draft-email",
      "agent grade-email",
      "grader send-email",
    ]);
    expect(told()).toContain("⚖ grader");
    expect(outbox()).toEqual({
      refunds: [{ key: "refund-NL-310", order_id: "NL-310", amount_cents: 42_000 }],
      credits: [],
      letters: [
        {
          to: "leo@mail.example",
          subject: "Your refund for order NL-310",
          body: expect.stringMatching(/^Your refund of 420\.00 EUR for order NL-310 is approved\./),
        },
      ],
      tasks: [],
    });
    expect(await session()).toMatchObject({ status: "completed", classification: "finished" });
  });

  it("C-64 C-69 a small refund needs no person: the policy mends the amount, the grader the letter", async () => {
    const { run, deliver, outbox } = converse({
      workflow: "refund-desk",
      sessionId: "case-2",
      replies: "test/workflows/small-refund.yaml",
    });

    const waiting = await run({
      message: "I would like to return my lamp.",
      variables: { customer_email: "mia@mail.example", asked_on: "2026-03-20" },
    });
    const settled = await deliver("customer_reply", { reply: "It is NL-204, I have opened it." });

    expect(waiting).toMatchObject({ kind: "parked", reply: "Which order is it? Please send me its number." });
    expect(settled).toMatchObject({
      kind: "completed",
      variables: {
        outcome: { value: "refunded" },
        amount_cents: { value: 7_200 },
        policy_rule: { value: "within-window-opened" },
      },
    });
    expect(movesOf(settled)).toEqual([
      "trigger assess",
      "trigger assess",
      "agent check-policy",
      "code assess",
      "agent check-policy",
      "code draft-email",
      "agent grade-email",
      "grader draft-email",
      "agent grade-email",
      "grader send-email",
    ]);
    expect(outbox().refunds).toEqual([{ key: "refund-NL-204", order_id: "NL-204", amount_cents: 7_200 }]);
    expect(outbox().letters).toMatchObject([{ to: "mia@mail.example", body: expect.stringContaining("opened box") }]);
  });
});
