import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../lib/session/outcome.js";
import { aDecision, aRoot, runCli } from "./stage.js";

const waiting: SessionSummary = {
  sessionId: "ticket-2",
  status: "awaiting_input",
  classification: "open",
  workflow: "order",
  createdAt: "2026-01-05T09:00:00.000Z",
  updatedAt: "2026-01-05T09:30:00.000Z",
  workflowState: "chase",
  state: "waiting",
  waitReason: "the customer's answer",
  resumeAt: "2026-01-06T10:00:00.000Z",
  variables: { secret: { value: "hunter2", locked: true }, amount: { value: 5, locked: false } },
};
const asking: SessionSummary = {
  sessionId: "ticket-1",
  status: "awaiting_decision",
  classification: "open",
  workflow: "order",
  createdAt: "2026-01-05T09:00:00.000Z",
  updatedAt: "2026-01-05T09:30:00.000Z",
  workflowState: "review",
  state: "review",
  pending: aDecision(),
};
const failed: SessionSummary = {
  sessionId: "ticket-0",
  status: "failed",
  classification: "finished",
  workflow: "order",
  createdAt: "2026-01-05T09:00:00.000Z",
  updatedAt: "2026-01-05T09:30:00.000Z",
  workflowState: "intake",
  specHash: "abc",
  exit: { code: "no-stock", reason: "sold out", state: "intake" },
};

describe("parkway sessions", () => {
  it("C-68 lists in the order it is given, with names of variables and never values", async () => {
    const { exit, out } = await runCli(["sessions"], {
      root: aRoot(["order"]),
      agent: { list: async () => [waiting, { ...asking, pending: undefined }, failed], get: async () => asking },
    });

    expect(exit).toBe(0);
    expect(out.trimEnd().split("\n")).toEqual([
      "ticket-2  awaiting_input  open  chase  awaiting=waiting  variables=secret,amount",
      "    the customer's answer due=2026-01-06T10:00:00.000Z",
      "ticket-1  awaiting_decision  open  review  awaiting=review",
      "    decision: Review the refund (approved | declined)",
      "ticket-0  failed  finished  intake",
    ]);
    expect(out).not.toContain("hunter2");
  });

  it("C-68 shows one session with values, locks, hash and exit", async () => {
    const root = aRoot(["order"]);
    const show = async (summary: SessionSummary) =>
      (await runCli(["sessions", summary.sessionId], { root, agent: { get: async () => summary } })).out;

    expect(await show(waiting)).toContain('variable   secret = "hunter2" (locked)\nvariable   amount = 5\n');
    expect(await show(waiting)).toContain("awaiting   waiting\n");
    expect(await show(failed)).toContain("specHash   abc\nexit       no-stock: sold out\n");
  });

  it("C-68 R-199 R-200 tells a child by its caller, and a park on a child's behalf by the child", async () => {
    const root = aRoot(["order"]);
    const delegation = {
      workflow: "inspect",
      sessionId: "ticket-1~2~1",
      dispatchId: "2~1",
      toolCallId: "call-9",
      state: "chase",
    };
    const caller = { ...asking, workflowState: "chase", pending: aDecision({ delegation }), delegation };
    const child = { ...failed, sessionId: "ticket-1~2", workflow: "inspect" };

    const list = await runCli(["sessions"], {
      root,
      agent: {
        list: async () => [{ ...caller, pending: undefined, delegation: undefined }, child],
        get: async () => caller,
      },
    });
    const one = await runCli(["sessions", "ticket-1"], { root, agent: { get: async () => caller } });
    const its = await runCli(["sessions", "ticket-1~2"], { root, agent: { get: async () => child } });

    expect(list.out.trimEnd().split("\n")).toEqual([
      "ticket-1  awaiting_decision  open  chase  awaiting=review",
      "    decision: Review the refund in ticket-1~2~1 (approved | declined)",
      "ticket-1~2  failed  finished  intake  child-of=ticket-1",
    ]);
    expect(one.out).toContain("awaiting   review\nin child   ticket-1~2~1 (inspect)\n");
    expect(its.out).toContain("child of   ticket-1\n");
  });

  it("C-68 without any says so and exits 0; an unknown id exits 1", async () => {
    const root = aRoot(["order"]);

    expect(await runCli(["sessions"], { root })).toMatchObject({ exit: 0, out: "no sessions\n" });
    expect(await runCli(["sessions", "nobody"], { root })).toMatchObject({ exit: 1, out: "" });
  });

  it("C-68 --json prints the summary or the list", async () => {
    const root = aRoot(["order"]);

    const list = await runCli(["sessions", "--json"], { root, agent: { list: async () => [asking] } });
    const one = await runCli(["sessions", "ticket-1", "--json"], { root, agent: { get: async () => asking } });
    const none = await runCli(["sessions", "--json"], { root });

    expect(JSON.parse(list.out)).toEqual([asking]);
    expect(JSON.parse(one.out)).toEqual(asking);
    expect(JSON.parse(none.out)).toEqual([]);
  });
});

describe("parkway wake", () => {
  it("C-74 makes one sweep and says how many were woken", async () => {
    const { exit, out, calls } = await runCli(["wake"], {
      root: aRoot(["order"]),
      agent: { wake: async () => ({ due: 3, woken: 2 }) },
    });

    expect({ exit, out }).toEqual({ exit: 0, out: "2 of 3 due woken\n" });
    expect(calls).toEqual([["wake"], ["close"]]);
  });

  it("C-58 C-74 tells it in one JSON document", async () => {
    const agent = { wake: async () => ({ due: 3, woken: 2 }) };
    const { out } = await runCli(["wake", "--json"], { root: aRoot(["order"]), agent });

    expect(JSON.parse(out)).toEqual({ due: 3, woken: 2 });
  });
});
