/** The invoice chaser and the workflow that writes its letters, from the notice to each end, through the command. */
import { describe, expect, it } from "vitest";
import { type Conversation, converse, movesOf } from "./command.js";

const SLOW_MS = 120_000;
const invoice = {
  number: "INV-2041",
  customer: "Oak & Son",
  email: "office@oak.example",
  amount_cents: 48_000,
  due_on: "2026-03-01",
};
const payment = { invoice_number: "INV-2041", amount_cents: 48_000, paid_on: "2026-03-11" };
const replies = "workflows/invoice-chaser/demo/replies.yaml";

function chase(): Conversation {
  return converse({ workflow: "invoice-chaser", sessionId: "INV-2041", replies });
}

const LETTER = "sub-workflow chase";

describe("invoice-chaser", { timeout: SLOW_MS }, () => {
  it("C-64 C-69 sends a letter, waits, sends the next, and ends when the payment covers the invoice", async () => {
    const { run, deliver, outbox, session, told } = chase();

    const first = await run({ trigger: "invoice_overdue", variables: { invoice } });
    const flow = told();
    const second = await deliver("timer");
    const paid = await deliver("payment_received", { payment });

    expect([first, second]).toMatchObject([
      { kind: "parked", parkedChannel: "input", state: "chase", variables: { round: { value: 1 } } },
      { kind: "parked", parkedChannel: "input", state: "chase", variables: { round: { value: 2 } } },
    ]);
    expect(paid).toMatchObject({ kind: "completed", variables: { outcome: { value: "paid" } } });
    expect(movesOf(paid)).toEqual([
      "trigger open-case",
      "code chase",
      LETTER,
      "trigger chase",
      LETTER,
      "trigger chase",
      "agent check-payment",
      "code close-paid",
    ]);
    expect(flow).toMatch(/⇢ draft-reminder ~1\n +⇠ draft-reminder ~1 ok in .*, returned subject, body, tone\n/);
    expect(flow).not.toContain("▶ write");
    const { letters, credits, tasks } = outbox();
    expect(letters.map(({ to, subject }) => [to, subject]).sort()).toEqual([
      ["office@oak.example", "Invoice INV-2041: a friendly reminder"],
      ["office@oak.example", "Second reminder: invoice INV-2041"],
    ]);
    // The fact check has sent the second one back.
    expect(letters.filter(({ body }) => body.includes("480.00") && !body.includes("4800.00"))).toHaveLength(2);
    expect({ credits, tasks }).toEqual({ credits: [], tasks: [] });
    expect([await session("INV-2041~1"), await session("INV-2041~2")]).toMatchObject([
      { status: "completed", workflow: "draft-reminder", variables: { tone: { value: "friendly" } } },
      { status: "completed", workflow: "draft-reminder", variables: { tone: { value: "firm" } } },
    ]);
  });

  it("C-64 C-69 a short payment does not end it; a disputed invoice is credited by a person", async () => {
    const { run, deliver, decide, outbox } = chase();

    await run({ message: "Chase this invoice.", variables: { invoice } });
    const short = await deliver("payment_received", { payment: { ...payment, amount_cents: 40_000 } });
    const mail = { invoice_number: "INV-2041", text: "The table came with a broken leg." };
    const disputed = await deliver("customer_reply", { mail });
    const credited = await decide("close-credited", "They are right.");

    expect(short).toMatchObject({ kind: "parked", state: "chase", variables: { round: { value: 2 } } });
    expect(disputed).toMatchObject({
      kind: "parked",
      state: "dispute-review",
      pending: { evidence: ["scratchpad/dispute.md"] },
    });
    expect(credited).toMatchObject({ kind: "completed", variables: { outcome: { value: "credited" } } });
    expect(outbox()).toMatchObject({
      credits: [{ key: "credit-INV-2041", invoice_number: "INV-2041" }],
      letters: [{}, {}],
      tasks: [],
    });
  });

  it("C-64 C-69 the fourth wait is refused, and a person passes the claim on", async () => {
    const { run, deliver, decide, outbox } = chase();

    await run({ trigger: "invoice_overdue", variables: { invoice } });
    await deliver("timer");
    await deliver("timer");
    const given = await deliver("timer");
    const passed = await decide("close-collections");

    expect(given).toMatchObject({ kind: "parked", state: "escalate", variables: { round: { value: 4 } } });
    expect(passed).toMatchObject({ kind: "completed", variables: { outcome: { value: "collections" } } });
    expect(movesOf(passed).slice(-2)).toEqual(["on_error escalate", "human close-collections"]);
    const { letters, tasks } = outbox();
    expect(new Set(letters.map(({ subject }) => subject)).size).toBe(4);
    expect(letters).toHaveLength(4);
    expect(tasks).toEqual([{ title: "collections: INV-2041" }]);
  });

  it("C-64 a payment that nobody waits for is filed without a model", async () => {
    const { run, outbox } = converse({ workflow: "invoice-chaser", sessionId: "INV-7777" });

    const filed = await run({
      trigger: "payment_received",
      variables: { payment: { invoice_number: "INV-7777", amount_cents: 500, paid_on: "2026-03-10" } },
    });

    expect(filed).toMatchObject({ kind: "completed", variables: { outcome: { value: "filed" } } });
    expect(outbox()).toMatchObject({ letters: [], tasks: [{ title: "filed: INV-7777" }] });
  });
});

describe("draft-reminder", { timeout: SLOW_MS }, () => {
  it("C-64 writes the second reminder by itself, firm and with the right amount", async () => {
    const { run } = converse({ workflow: "draft-reminder", sessionId: "letter-1", replies });
    const { number, email: _, ...rest } = invoice;

    const written = await run({
      message: "Write the reminder.",
      variables: { invoice_number: number, ...rest, round: 2 },
    });

    expect(written).toMatchObject({
      kind: "completed",
      variables: { tone: { value: "firm", locked: true }, body: { value: expect.stringContaining("480.00 EUR") } },
    });
    expect(movesOf(written)).toEqual([
      "trigger set-tone",
      "code write",
      "agent check-facts",
      "code write",
      "agent check-facts",
      "code done",
    ]);
  });
});
