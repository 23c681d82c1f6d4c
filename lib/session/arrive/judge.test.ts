import { describe, expect, it } from "vitest";
import type { Arrival, ArrivalInput, ArrivalSource } from "../arrival.js";
import { emptyState } from "../fold.js";
import type { SessionState } from "../state.js";
import { aState, machineOf } from "../testing.js";
import { judgeArrival, validTargets } from "./judge.js";

const SPEC = `
states:
  work:
    triggers:
      manual:
      mail: { message: mail.body }
      tick: { message: false }
    instructions: Work.
    transitions: [{ to: review }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Go. }]
  done:
    instructions: End.
  late:
    triggers: { later: }
    instructions: Late.
`;
const machine = machineOf(SPEC);

const decisionPark = {
  channel: "decision" as const,
  parkId: "park-1",
  state: "review",
  instructions: "Decide.",
  transitions: [
    { to: "work", type: "refine" },
    { to: "done", type: "approve" },
  ],
  evidence: [],
  parkedAt: "2026-03-20T09:00:00.000Z",
  seq: 3,
};
const inputPark = {
  channel: "input" as const,
  parkId: "park-2",
  state: "work",
  reason: "later",
  parkedAt: "2026-03-20T09:00:00.000Z",
};

const CONDITIONS: Record<string, SessionState> = {
  unknown: emptyState(),
  completed: aState({ status: "completed", position: "done", endedAs: "completed" }),
  failed: aState({ status: "failed", position: "work", endedAs: "failed" }),
  rejected: aState({ status: "rejected", position: "work", endedAs: "rejected" }),
  awaiting_decision: aState({
    status: "awaiting_decision",
    position: "review",
    park: decisionPark,
    parkPhase: "suspended",
  }),
  awaiting_input: aState({ status: "awaiting_input", position: "work", park: inputPark, parkPhase: "suspended" }),
};

function judge(state: SessionState, input: ArrivalInput, source: ArrivalSource = "api", more: Partial<Arrival> = {}) {
  const arrival: Arrival = {
    id: "a",
    sessionId: "s1",
    seq: 1,
    source,
    workflow: "case",
    input,
    acceptedAt: 0,
    ...more,
  };
  return judgeArrival(machine, state, arrival, "manual");
}

function shown(judged: ReturnType<typeof judge>): string {
  return judged.kind === "refuse" ? judged.error.name : judged.kind;
}

const TURN: ArrivalInput = { kind: "turn", message: "hello" };
const DECISION: ArrivalInput = { kind: "decision", target: "done" };
const DELIVERY: ArrivalInput = { kind: "delivery", trigger: "mail" };
const REPLY: ArrivalInput = { kind: "reply", message: "hm" };

describe("R-11 H-58 what an input does depends on the session", () => {
  const NOT_PARKED = "SessionNotParkedError";
  const NOT_WAITING = "SessionNotAwaitingInputError";

  it.each([
    ["unknown", "open", NOT_PARKED, NOT_WAITING, NOT_PARKED],
    ["completed", "open", NOT_PARKED, NOT_WAITING, NOT_PARKED],
    ["failed", "open", NOT_PARKED, NOT_WAITING, NOT_PARKED],
    ["rejected", "open", NOT_PARKED, NOT_WAITING, NOT_PARKED],
    ["awaiting_decision", "reply", "decide", NOT_WAITING, "reply"],
    ["awaiting_input", "deliver", NOT_PARKED, "deliver", NOT_PARKED],
  ])(
    "R-11 H-58 F-8 %s: a turn → %s, a decision → %s, a delivery → %s, a reply → %s",
    (condition, turn, decision, delivery, reply) => {
      const state = CONDITIONS[condition]!;

      expect([TURN, DECISION, DELIVERY, REPLY].map((input) => shown(judge(state, input)))).toEqual([
        turn,
        decision,
        delivery,
        reply,
      ]);
    },
  );
});

describe("a fresh turn", () => {
  it("R-29 H-32 opens under the input's trigger, else the default one", () => {
    expect(judge(emptyState(), { ...TURN, trigger: "later" })).toMatchObject({
      kind: "open",
      trigger: "later",
      state: "late",
    });
    expect(judge(emptyState(), TURN)).toMatchObject({ kind: "open", trigger: "manual", state: "work" });
  });

  it("R-27 R-30 W-101 refuses an undeclared trigger of a first turn only, and lists the declared ones", () => {
    const refused = judge(emptyState(), { ...TURN, trigger: "nobody" });

    expect(refused).toMatchObject({ kind: "refuse", error: { name: "UnknownTriggerError", trigger: "nobody" } });
    expect(refused).toMatchObject({ error: { declared: ["manual", "mail", "tick", "later"] } });
    expect(judge(CONDITIONS.failed!, { ...TURN, trigger: "nobody" })).toMatchObject({
      kind: "open",
      state: "work",
      trigger: "nobody",
    });
  });

  it.each([
    ["the given message", { trigger: "mail", message: "Hi", variables: { mail: { body: "From the mail" } } }, "Hi"],
    [
      "the text at the path for a blank one",
      { trigger: "mail", message: "  ", variables: { mail: { body: "From the mail" } } },
      "From the mail",
    ],
    [
      "the text at the path for none",
      { trigger: "mail", variables: { mail: { body: "From the mail" } } },
      "From the mail",
    ],
  ])("R-13 H-59 W-111 takes %s", (_what, input, message) => {
    expect(judge(emptyState(), { kind: "turn", ...input })).toMatchObject({ kind: "open", message });
  });

  it.each([
    ["no message", {}],
    ["a blank message", { message: " \n" }],
    ["a path that leads nowhere", { trigger: "mail", variables: { mail: {} } }],
    ["a path to blank text", { trigger: "mail", variables: { mail: { body: "  " } } }],
    ["a path to what is no text", { trigger: "mail", variables: { mail: { body: 5 } } }],
  ])("R-13 H-59 refuses %s", (_what, input) => {
    expect(shown(judge(emptyState(), { kind: "turn", ...input }))).toBe("EmptyMessageError");
  });

  it("R-13 H-59 W-111 opens without a message where the trigger says `message: false`", () => {
    const judged = judge(emptyState(), { kind: "turn", trigger: "tick" });

    expect(judged).toMatchObject({ kind: "open", state: "work" });
    expect(judged).not.toHaveProperty("message");
  });
});

describe("at a human park", () => {
  const parked = CONDITIONS.awaiting_decision!;

  it("R-14 names what a reply cannot take along", () => {
    const judged = judge(parked, { kind: "turn", message: "hm", trigger: "later", variables: { a: 1, b: 2 } });

    expect(judged).toEqual({ kind: "reply", message: "hm", ignored: ["trigger", "a", "b"] });
  });

  it("R-13 H-59 H-63 refuses a blank reply", () => {
    expect(shown(judge(parked, { kind: "reply", message: " " }))).toBe("EmptyMessageError");
    expect(shown(judge(parked, { kind: "turn", message: " " }))).toBe("EmptyMessageError");
  });

  it("R-20 takes no files", () => {
    const files = { scan: { name: "a.pdf", key: "k", sizeBytes: 1, sha256: "x" } };

    expect(judge(parked, { kind: "turn", message: "hm", files })).toMatchObject({
      error: { name: "InvalidTurnFileError", variable: "scan" },
    });
  });

  it("F-5 holds a firing that says nothing, whichever sender it has", () => {
    const firing: ArrivalInput = { kind: "turn", trigger: "tick" };

    for (const source of ["webhook", "bus"] as const)
      expect(judge(parked, firing, source)).toEqual({ kind: "hold", parkId: "park-1" });
  });

  it("F-33 W-107 reads a firing's message as a reply", () => {
    const firing: ArrivalInput = { kind: "turn", trigger: "mail", variables: { mail: { body: "Any news?" } } };

    expect(judge(parked, firing, "webhook")).toMatchObject({ kind: "reply", message: "Any news?" });
  });

  it.each([
    ["no target", { target: "" }, "InvalidDecisionTargetError"],
    ["a blank target", { target: "  " }, "InvalidDecisionTargetError"],
    ["a state that is no way out", { target: "late" }, "InvalidDecisionTargetError"],
    ["another park", { target: "done", park: "park-0" }, "StaleDecisionError"],
    ["another number", { target: "done", seq: 2 }, "StaleDecisionError"],
    ["another park before a bad target", { target: "late", park: "park-0" }, "StaleDecisionError"],
    ["this park", { target: "done", park: "park-1", seq: 3 }, "decide"],
    ["a target in spaces", { target: " done " }, "decide"],
  ])("H-62 judges %s", (_what, decision, expected) => {
    expect(shown(judge(parked, { kind: "decision", ...decision }))).toBe(expected);
  });

  it("H-62 says what would be valid, and what was expected", () => {
    expect(judge(parked, { kind: "decision", target: "late" })).toMatchObject({
      error: { target: "late", validTargets: ["work", "done"] },
    });
    expect(judge(parked, { kind: "decision", target: "done", park: "park-0" })).toMatchObject({
      error: { expected: "park-0", actual: "park-1" },
    });
    expect(judge(parked, { kind: "decision", target: "done", seq: 2 })).toMatchObject({
      error: { expected: 2, actual: 3 },
    });
  });

  it("F-36 takes no transition that an edit removed, and lists the present ones", () => {
    const edited = machineOf(
      SPEC.replace(
        "[{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Go. }]",
        "[{ to: work, type: refine, description: Again. }]",
      ),
    );
    const arrival: Arrival = {
      id: "a",
      sessionId: "s1",
      seq: 1,
      source: "api",
      workflow: "case",
      input: DECISION,
      acceptedAt: 0,
    };

    expect(validTargets(edited, decisionPark)).toEqual(["work"]);
    expect(judgeArrival(edited, parked, arrival, "manual")).toMatchObject({
      error: { name: "InvalidDecisionTargetError", validTargets: ["work"] },
    });
  });

  it("F-36 takes the recorded targets that are still states where the parked state is gone", () => {
    const edited = machineOf(
      SPEC.replace(/ {2}review:[\s\S]*?(?= {2}done:)/, "").replace("    transitions: [{ to: review }]\n", ""),
    );

    expect(validTargets(edited, { ...decisionPark, transitions: [{ to: "gone" }, { to: "done" }] })).toEqual(["done"]);
  });
});

describe("R-194 at a child's question", () => {
  const delegation = { workflow: "child", sessionId: "s1~1", dispatchId: "1", toolCallId: "c", state: "work" };
  const park = { ...decisionPark, state: "approve", delegation };
  const presented = aState({ status: "awaiting_decision", position: "work", park, parkPhase: "suspended" });
  const decision: Arrival = {
    id: "a",
    sessionId: "s1",
    seq: 1,
    source: "api",
    workflow: "case",
    input: DECISION,
    acceptedAt: 0,
  };

  it("R-194 holds a decision to the record and the child's own spec", () => {
    const child = machineOf(
      "states:\n  approve:\n    type: human\n    triggers:\n      manual:\n    instructions: Decide.\n    transitions: [{ to: done, description: Go. }]\n  done:\n    instructions: End.\n",
      "child",
    );

    expect(judgeArrival(machine, presented, decision, "manual", child)).toMatchObject({
      kind: "decide",
      target: "done",
    });
    expect(
      judgeArrival(machine, presented, { ...decision, input: { kind: "decision", target: "work" } }, "manual", child),
    ).toMatchObject({ error: { name: "InvalidDecisionTargetError", validTargets: ["done"] } });
  });

  it("R-194 holds it to the record alone where the child's spec is not at hand", () => {
    expect(judge(presented, DECISION)).toMatchObject({ kind: "decide", target: "done" });
    expect(judge(presented, { kind: "decision", target: "late" })).toMatchObject({
      error: { validTargets: ["work", "done"] },
    });
  });

  it("R-197 takes a person's words as a reply", () => {
    expect(judge(presented, TURN)).toMatchObject({ kind: "reply", message: "hello" });
  });
});

it("W-115 R-178 a delegation opens without a message, whatever its trigger says of one", () => {
  const judged = judge(
    emptyState(),
    { kind: "turn", trigger: "mail", variables: { mail: { body: "x" } } },
    "delegation",
  );

  expect(judged).toMatchObject({ kind: "open", state: "work" });
  expect(judged).not.toHaveProperty("message");
});

describe("at a wait", () => {
  const waiting = CONDITIONS.awaiting_input!;

  it("R-15 delivers under the default trigger where the input names none", () => {
    expect(judge(waiting, TURN)).toMatchObject({ kind: "deliver", trigger: "manual", message: "hello" });
    expect(judge(waiting, { ...TURN, trigger: "later" })).toMatchObject({ trigger: "later" });
  });

  it("R-21 takes a turn's variables, files and message along", () => {
    const files = { scan: { name: "a.pdf", key: "k", sizeBytes: 1, sha256: "x" } };

    expect(judge(waiting, { ...TURN, variables: { a: 1 }, files })).toMatchObject({
      kind: "deliver",
      variables: { a: 1 },
      files,
      message: "hello",
    });
  });

  it("R-13 H-59 counts a blank message of a delivery as none", () => {
    for (const input of [
      { ...DELIVERY, message: "  " },
      { kind: "turn", message: "  " },
    ] as ArrivalInput[]) {
      const judged = judge(waiting, input);

      expect(judged.kind).toBe("deliver");
      expect(judged).not.toHaveProperty("message");
    }
  });

  it("W-109 H-64 W-135 matches the id against nothing", () => {
    expect(judge(waiting, { kind: "delivery", trigger: "no state declares it" })).toMatchObject({
      kind: "deliver",
      trigger: "no state declares it",
    });
  });

  it("drops a wake-up whose park is over", () => {
    expect(judge(waiting, DELIVERY, "wake", { wakes: "park-1" })).toEqual({ kind: "moot" });
    expect(judge(waiting, DELIVERY, "wake", { wakes: "park-2" })).toMatchObject({ kind: "deliver" });
  });
});

it.each([
  ["no park", "running"],
  ["a decision", "awaiting_decision"],
  ["another wait", "awaiting_input"],
])("S-59 S-69 F-26 takes a wake-up that finds %s for moot", (_what, condition) => {
  const state = CONDITIONS[condition] ?? aState({ status: "running", position: "work" });

  expect(judge(state, DELIVERY, "wake", { seq: 0, wakes: "park-0" })).toEqual({ kind: "moot" });
});
