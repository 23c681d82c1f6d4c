import { describe, expect, it } from "vitest";
import { SessionNotParkedError, StaleDecisionError, UnknownSessionTriggerError } from "../../lib/session/errors.js";
import type { EngineEvent } from "../../lib/session/events.js";
import { aDecision, anOutcome, aRoot, aWait, runCli } from "./stage.js";

const parkedForDecision = anOutcome({
  kind: "parked",
  status: "awaiting_decision",
  state: "review",
  exit: undefined,
  parkedChannel: "decision",
  pending: aDecision(),
});

function settlesAs(outcome: Parameters<typeof anOutcome>[0]) {
  return { send: async () => anOutcome(outcome) };
}

describe("parkway run", () => {
  it("C-64 prints the reply of a completed turn, and says so where nothing was said", async () => {
    const root = aRoot(["order"]);

    const spoke = await runCli(["run", "hi"], { root });
    const silent = await runCli(["run", "hi"], { root, agent: settlesAs({ reply: "" }) });

    expect(spoke).toMatchObject({ exit: 0, out: "All settled.\n" });
    expect(spoke.err).toContain("✔ answer");
    expect(silent).toMatchObject({ exit: 0, out: "(no text)\n" });
  });

  it("C-64 hands trigger, variables, session path and files on, and runs the session that they resolve to", async () => {
    const root = aRoot(["order"], { "letter.txt": "Dear all" });
    const argv = ["run", "hi", "--trigger", "mail", "--variables", '{"n":1}', "--session-path", "order.id"];

    const { calls } = await runCli([...argv, "--file", "letter=letter.txt"], { root });

    const firing = { trigger: "mail", variables: { n: 1 }, sessionId: undefined, sessionPath: "order.id" };
    const files = { letter: { name: "letter.txt", content: Buffer.from("Dear all") } };
    expect(calls).toEqual([
      ["resolveSession", firing],
      ["send", "session-1", { message: "hi", trigger: { id: "mail" }, variables: { n: 1 }, files }],
      ["close"],
    ]);
  });

  it("C-64 takes --session as it is", async () => {
    const { calls } = await runCli(["run", "hi", "--session", "ticket-1"], { root: aRoot(["order"]) });

    expect(calls[0]).toEqual(["resolveSession", expect.objectContaining({ sessionId: "ticket-1" })]);
    expect(calls[1]).toEqual(["send", "ticket-1", expect.objectContaining({ message: "hi" })]);
  });

  it("C-64 a park for a decision exits 0 and tells all that the person needs, the commands last", async () => {
    const root = aRoot(["order"]);

    const { exit, out, err } = await runCli(["run", "hi"], {
      root,
      agent: { send: async () => ({ ...parkedForDecision, reply: "Please decide." }) },
    });

    expect(exit).toBe(0);
    expect(out).toBe("Please decide.\n");
    const lines = err.trimEnd().split("\n");
    expect(lines.slice(lines.indexOf("⚠ awaiting human decision"))).toEqual([
      "⚠ awaiting human decision",
      "  session      session-1",
      "  state        review (Review the refund)",
      "  │ Check the amount.",
      "  │ Then choose.",
      "  approvers    finance",
      "  evidence     scratchpad/letter.md",
      "  [approve] approved — pay it",
      "  declined",
      "  parkway decide session-1 --to <state> --park park-1 --workflow order",
      "  parkway reply session-1 <message> --workflow order",
    ]);
  });

  it("C-64 a park for input tells state, reason, due time and the command to deliver", async () => {
    const { exit, out, err } = await runCli(["run", "hi"], {
      root: aRoot(["order"]),
      agent: settlesAs({ ...parkedForDecision, reply: "", parkedChannel: "input", state: "waiting", pending: aWait() }),
    });

    expect(exit).toBe(0);
    expect(out).toBe("");
    for (const part of ["⚠ awaiting input", "waiting", "the customer's answer", "2026-01-06T10:00:00.000Z"]) {
      expect(err).toContain(part);
    }
    expect(err).toContain("  parkway deliver session-1 --trigger <id> --workflow order\n");
  });

  it("C-64 R-199 a park on a child's behalf names the child and is answered through the caller", async () => {
    const delegation = {
      workflow: "inspect",
      sessionId: "session-1~1",
      dispatchId: "1",
      toolCallId: "call-9",
      state: "chase",
    };
    const root = aRoot(["order"]);
    const run = async (outcome: Parameters<typeof settlesAs>[0]) =>
      (await runCli(["run", "hi"], { root, agent: settlesAs(outcome) })).err;
    const again = { ...parkedForDecision, disposition: "decide" as const, reply: "", state: "chase", delegation };

    const decision = await run({ ...parkedForDecision, pending: aDecision({ delegation }) });
    const input = await run({ ...parkedForDecision, parkedChannel: "input", pending: aWait({ delegation }) });

    const child = "  child        session-1~1 (inspect), called in chase\n";
    expect(decision).toContain(`  state        review (Review the refund)\n${child}`);
    expect(decision).toContain("parkway decide session-1 --to <state>");
    expect(input).toContain(`  state        waiting\n${child}`);
    expect(input).toContain("parkway deliver session-1 --trigger");
    const decided = await runCli(["decide", "session-1", "--to", "approved"], {
      root,
      agent: { decide: async () => anOutcome(again), get: async () => null },
    });
    expect(decided.out).toBe("session-1 parked in chase for its child session-1~1, awaiting decision\n");
  });

  it("C-64 a message to a session parked for a decision prints the answer and a reminder", async () => {
    const { exit, out, err } = await runCli(["run", "what is it about?"], {
      root: aRoot(["order"]),
      agent: settlesAs({ ...parkedForDecision, disposition: "reply", reply: "A refund." }),
    });

    expect(exit).toBe(0);
    expect(out).toBe("A refund.\n");
    expect(err).toContain("⚠ a decision is still pending in review (session session-1)");
  });

  it.each([
    [
      "rejected",
      { kind: "rejected", status: "rejected", exit: undefined, rejected: "not allowed here" },
      "not allowed here",
    ],
    [
      "failed",
      { kind: "failed", status: "failed", exit: { success: false, code: "no-stock", reason: "sold out" } },
      "no-stock: sold out",
    ],
  ] as const)(
    "C-64 a %s turn exits 1 with the reason on stderr and an empty stdout where nothing was said",
    async (word, fields, reason) => {
      const root = aRoot(["order"]);

      const silent = await runCli(["run", "hi"], { root, agent: settlesAs({ ...fields, reply: "" }) });
      const spoke = await runCli(["run", "hi"], { root, agent: settlesAs({ ...fields, reply: "Sorry." }) });

      expect(silent).toMatchObject({ exit: 1, out: "" });
      expect(silent.err).toContain(`✖ ${word}\n`);
      expect(silent.err).toContain(reason);
      expect(spoke).toMatchObject({ exit: 1, out: "Sorry.\n" });
    },
  );

  it("C-64 a turn that threw is one line with its exit code word", async () => {
    const failed = { code: "turn-error", reason: "x", state: "intake" };
    const { exit, out, err, calls } = await runCli(["run", "hi"], {
      root: aRoot(["order"]),
      agent: {
        send: () => Promise.reject(new Error("503 from\nthe provider")),
        get: async (sessionId) => ({
          sessionId,
          status: "failed",
          classification: "finished",
          workflow: "order",
          createdAt: "2026-01-05T09:00:00.000Z",
          updatedAt: "2026-01-05T09:30:00.000Z",
          exit: failed,
        }),
      },
    });

    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err.trimEnd().split("\n").at(-1)).toBe("✖ turn-error: 503 from the provider");
    expect(calls.at(-1)).toEqual(["close"]);
  });

  it("C-64 an undeclared trigger exits 1 and sends nothing", async () => {
    const refusal = new UnknownSessionTriggerError("fax", ["manual"]);

    const { exit, out, err, calls } = await runCli(["run", "hi", "--trigger", "fax"], {
      root: aRoot(["order"]),
      agent: { resolveSession: () => Promise.reject(refusal) },
    });

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(refusal.message);
    expect(calls.map(([method]) => method)).toEqual(["resolveSession", "close"]);
  });

  it("C-58 an unknown error prints its stack, a known one a line without", async () => {
    const root = aRoot(["order"]);
    const known = { send: () => Promise.reject(new SessionNotParkedError("s", "completed")) };
    const unknown = { send: () => Promise.reject(new RangeError("off by one")) };

    const told = await runCli(["run", "hi"], { root, agent: known });
    const traced = await runCli(["run", "hi"], { root, agent: unknown });

    expect(told.exit).toBe(1);
    expect(told.err).not.toMatch(/\n\s+at /);
    expect(traced.exit).toBe(1);
    expect(traced.err).toMatch(/RangeError: off by one\n\s+at /);
  });

  it("C-65 an abort ends the turn with turn-cancelled and exit 130", async () => {
    const controller = new AbortController();
    const { exit, out, err } = await runCli(["run", "hi"], {
      root: aRoot(["order"]),
      signal: controller.signal,
      agent: {
        send: (_id, _input, config) =>
          new Promise((_resolve, reject) => {
            config?.signal?.addEventListener("abort", () => reject(config.signal?.reason));
            controller.abort(new Error("cancelled"));
          }),
      },
    });

    expect(exit).toBe(130);
    expect(out).toBe("");
    expect(err).toContain("✖ turn-cancelled");
  });

  it("C-63 prints what the session has used, and nothing when nothing was reported", async () => {
    const root = aRoot(["order"]);
    const usage = {
      inputTokens: 1204,
      outputTokens: 87,
      cacheReadTokens: 960,
      cacheCreationTokens: 0,
      costUsd: 0.0312,
    };

    const priced = await runCli(["run", "hi"], { root, agent: settlesAs({ usage }) });
    const none = await runCli(["run", "hi"], { root });

    expect(priced.err).toContain("tokens     in 1,204 · out 87 · cache r 960/w 0 · $0.0312\n");
    expect(none.err).not.toContain("tokens");
  });

  it("C-62 --verbose adds one raw line per event to the state flow", async () => {
    const root = aRoot(["order"]);
    const event: EngineEvent = { type: "state-enter", state: "intake", level: "info", ts: 1, seq: 1, sessionId: "s" };
    const onOpen = ({ onEvent }: { onEvent?: (event: EngineEvent) => void }) => onEvent?.(event);

    const quiet = await runCli(["run", "hi"], { root, onOpen });
    const verbose = await runCli(["run", "hi", "--verbose"], { root, onOpen });

    expect(quiet.err).toContain("▶ intake\n");
    expect(quiet.err).not.toContain("state-enter");
    expect(verbose.err).toContain('1 info state-enter s {"state":"intake"}\n▶ intake\n');
  });
});

describe("--json", () => {
  it.each([
    ["run", ["run", "hi"]],
    ["decide", ["decide", "t", "--to", "approved"]],
    ["reply", ["reply", "t", "hello"]],
    ["deliver", ["deliver", "t", "--trigger", "mail"]],
  ])("C-72 C-58 %s prints the outcome as the only thing on stdout", async (_what, argv) => {
    const { exit, out, err } = await runCli([...argv, "--json"], { root: aRoot(["order"]) });

    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual(anOutcome());
    expect(err).toContain("✔ answer");
  });

  it("C-72 a refused call is an error object with the error's own fields", async () => {
    const { exit, out } = await runCli(["decide", "t", "--to", "x", "--json"], {
      root: aRoot(["order"]),
      agent: { decide: () => Promise.reject(new StaleDecisionError("park-1", "park-2")) },
    });

    expect(exit).toBe(1);
    expect(JSON.parse(out).error).toMatchObject({ name: "StaleDecisionError", expected: "park-1", actual: "park-2" });
  });
});

describe("parkway decide, reply and deliver", () => {
  it("C-69 decide sends the park it is given, else the one it finds", async () => {
    const root = aRoot(["order"]);
    const get = async (sessionId: string) => ({
      sessionId,
      status: "awaiting_decision" as const,
      classification: "open" as const,
      workflow: "order",
      createdAt: "2026-01-05T09:00:00.000Z",
      updatedAt: "2026-01-05T09:30:00.000Z",
      pending: aDecision({ parkId: "found" }),
    });

    const found = await runCli(["decide", "t", "--to", "approved", "--comment", "fine"], { root, agent: { get } });
    const given = await runCli(["decide", "t", "--to", "approved", "--park", "older"], { root, agent: { get } });

    expect(found.calls).toContainEqual(["decide", "t", { target: "approved", comment: "fine", park: "found" }]);
    expect(given.calls).toContainEqual(["decide", "t", { target: "approved", comment: undefined, park: "older" }]);
  });

  it("C-69 reply takes the rest of the line and never decides, whatever it says", async () => {
    const { calls } = await runCli(["reply", "t", "approved,", "go", "on"], { root: aRoot(["order"]) });

    expect(calls).toEqual([["reply", "t", "approved, go on"], ["close"]]);
  });

  it("C-69 deliver hands on trigger, variables and message", async () => {
    const argv = ["deliver", "t", "--trigger", "mail", "--variables", '{"a":true}', "--message", "it came"];

    const { calls } = await runCli(argv, { root: aRoot(["order"]) });

    const delivery = { trigger: { id: "mail" }, variables: { a: true }, message: "it came" };
    expect(calls).toEqual([["deliver", "t", delivery], ["close"]]);
  });

  it.each([
    ["completed", { kind: "completed", state: "paid" }, "t completed in paid"],
    ["parked again", { ...parkedForDecision, state: "review" }, "t parked in review, awaiting decision"],
  ] as const)("C-69 with nothing said stdout names where the session went: %s", async (_what, fields, line) => {
    const decide = async () => anOutcome({ ...fields, disposition: "decide", reply: "" });

    const { out } = await runCli(["decide", "t", "--to", "approved"], { root: aRoot(["order"]), agent: { decide } });

    expect(out).toBe(`${line}\n`);
  });

  it("C-69 a refusal exits 1 and says why", async () => {
    const refusal = new SessionNotParkedError("t", "completed");

    const { exit, out, err } = await runCli(["reply", "t", "hello"], {
      root: aRoot(["order"]),
      agent: { reply: () => Promise.reject(refusal) },
    });

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(refusal.message);
  });
});
