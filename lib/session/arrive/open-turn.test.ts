import { describe, expect, it } from "vitest";
import { applyPatches } from "../fold.js";
import type { StoredMessage } from "../messages.js";
import type { SessionState } from "../state.js";
import { aState, machineOf } from "../testing.js";
import { interruptedAnswers, type Opening, openTurn, refusalOf, refuseTurn } from "./open-turn.js";

const machine = machineOf(`
states:
  work:
    triggers:
      manual:
        requires: [order, { name: amount, type: integer, minimum: 1 }]
        returns: [outcome]
      free:
    instructions: Work.
    transitions: [{ to: review }, { to: compute, description: Work it out. }]
  review:
    type: human
    instructions: Decide.
    triggers: { asked: }
    transitions: [{ to: work, description: Back. }]
  compute:
    type: code
    script: scripts/c.js
    transitions: [{ to: work }]
`);

function anOpening(of: Partial<Opening> = {}): Opening {
  return {
    now: 1_000,
    arrivalId: "arrival-00000001",
    trigger: "free",
    state: "work",
    fromEntry: true,
    message: "Hello",
    seeds: {},
    fileIssues: [],
    ...of,
  };
}

function opened(
  state: SessionState,
  opening: Opening,
): { state: SessionState; events: ReturnType<typeof openTurn>["events"] } {
  const { patches, events } = openTurn(machine, state, opening);
  return { state: applyPatches(state, patches), events };
}

const held = (value: unknown) => ({ value, locked: true, lockedBy: "agent" as const });

describe("refusing a turn", () => {
  const manual = (seeds: Record<string, unknown>, state = aState()) =>
    refusalOf(machine, state, anOpening({ trigger: "manual", seeds }));

  it("R-34 W-132 names the trigger and everything that is missing or does not conform, with type and value", () => {
    const reason = manual({ amount: "4" });

    for (const fact of ["manual", "order", "amount", "integer", "string"]) expect(reason).toContain(fact);
    expect(manual({ order: "7", amount: -4 })).toMatch(/manual.*"amount" \(integer\).*minimum: 1; got -4/);
  });

  it("R-34 R-83 tells of a broken rule with the type and what arrived, of a text or a list its length", () => {
    const ruled = machineOf(`
states:
  work:
    instructions: Work.
    triggers:
      manual:
        requires:
          - { name: amount, type: integer, minimum: 1 }
          - { name: colour, type: string, enum: [red, blue] }
          - { name: remark, type: string, maxLength: 10 }
          - { name: lines, type: array, minItems: 2 }
`);
    const seeds = { amount: -3, colour: "green", remark: "ä".repeat(99), lines: [1] };
    const reason = refusalOf(ruled, aState(), anOpening({ trigger: "manual", seeds }));

    expect(reason).toContain('"amount" (integer) breaks its rule minimum: 1; got -3.');
    expect(reason).toContain('"colour" (string) breaks its rule enum: ["red","blue"]; got a text of 5 characters.');
    expect(reason).toContain('"remark" (string) breaks its rule maxLength: 10; got a text of 99 characters.');
    expect(reason).toContain('"lines" (array) breaks its rule minItems: 2; got a list of 1.');
  });

  it.each([
    ["both seeded", { order: "7", amount: 4 }, aState(), null],
    ["held from before", {}, aState({}, { variables: { order: held("7"), amount: held(4) } }), null],
    ["an untyped null", { order: null, amount: 4 }, aState(), null],
    ["a typed null", { order: "7", amount: null }, aState(), "amount"],
    ["text for a number", { order: "7", amount: "4" }, aState(), "amount"],
    ["a broken rule", { order: "7", amount: 0 }, aState(), "amount"],
    [
      "a bad seed over a good held value",
      { order: "7", amount: "x" },
      aState({}, { variables: { amount: held(4) } }),
      "amount",
    ],
  ])("R-37 W-132 judges %s on the value the store would hold", (_what, seeds, state, found) => {
    const reason = manual(seeds, state);

    if (found === null) expect(reason).toBeNull();
    else expect(reason).toContain(found);
  });

  it("R-34 refuses for a file that was looked up and found wanting", () => {
    expect(
      refusalOf(machine, aState(), anOpening({ fileIssues: ["scan names the file a.pdf, which does not exist."] })),
    ).toContain("a.pdf");
  });

  it.each(["true", "yes", '"no"', "0"])(
    "W-27 W-28 R-34 starts nothing while `disabled` is %s, and says so before anything else",
    (value) => {
      const disabled = machineOf(
        `disabled: ${value}\nstates: { work: { triggers: { manual: { requires: [order] } }, instructions: Work. } }`,
        "refunds",
      );
      const reason = refusalOf(disabled, aState(), anOpening({ trigger: "manual" }));

      expect(reason).toContain("refunds");
      expect(reason).toContain("disabled");
      expect(reason).not.toContain("order");
    },
  );

  it.each(["null", "false"])("W-27 is in service while `disabled` is %s", (value) => {
    const enabled = machineOf(`disabled: ${value}\nstates: { work: { triggers: { manual: }, instructions: Work. } }`);

    expect(refusalOf(enabled, aState(), anOpening({ trigger: "manual" }))).toBeNull();
  });

  it("R-5 R-36 changes status and reason, clears the exit, and keeps everything else", () => {
    const before = aState(
      {
        status: "failed",
        endedAs: "failed",
        position: "work",
        entryState: "work",
        exit: { code: "turn-error", reason: "x", state: "work" },
        trigger: "free",
        turnTrigger: "free",
      },
      { trail: [{ to: "work", kind: "trigger", ts: 1 }], variables: { order: held("7") } },
    );

    const after = applyPatches(before, refuseTurn(before, { now: 2, arrivalId: "a", reason: "No." }).patches);

    expect(after).toMatchObject({
      messages: before.messages,
      trail: before.trail,
      variables: before.variables,
      usage: before.usage,
    });
    expect(after.fields).toMatchObject({
      status: "rejected",
      rejected: "No.",
      endedAs: "failed",
      position: "work",
      entryState: "work",
      turnTrigger: "free",
    });
    expect(after.fields).not.toHaveProperty("exit");
  });

  it("R-35 R-36 leaves a session that never ran without a position, and warns once", () => {
    const { patches, events } = refuseTurn(aState(), { now: 2, arrivalId: "a", reason: "No." });
    const { fields } = applyPatches(aState(), patches);

    expect(fields).not.toHaveProperty("position");
    expect(fields).not.toHaveProperty("entryState");
    expect(events).toEqual([expect.objectContaining({ type: "warning", message: "No." })]);
  });
});

describe("opening a turn", () => {
  it("R-40 R-189 R-201 clears what belongs to the turn before and keeps what belongs to the session", () => {
    const before = aState(
      {
        status: "failed",
        endedAs: "failed",
        position: "work",
        entryState: "review",
        rejected: "r",
        exit: { code: "c", reason: "r", state: "work" },
        failure: "f",
        limit: "maxTokens",
        park: { channel: "input", parkId: "p", state: "work", reason: "r", parkedAt: "2026-03-20T09:00:00.000Z" },
        parkPhase: "suspended",
        failedDelegations: [] as never,
        pendingDelegations: [] as never,
        parkCounts: { work: 2 },
        stateTurns: { state: "work", count: 3 },
        stepsUsed: 17,
        dispatchCount: 4,
        decisionCount: 5,
        parkOrdinal: 6,
        todos: [{ content: "t", status: "pending" }],
      },
      {
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 },
        variables: { a: held(1) },
      },
    );

    const { state } = opened(before, anOpening({ fromEntry: false }));

    expect(state.fields).toMatchObject({ status: "running", position: "work", entryState: "review", stepsUsed: 0 });
    expect(state.fields).toMatchObject({
      dispatchCount: 4,
      decisionCount: 5,
      parkOrdinal: 6,
      todos: [{ content: "t" }],
      endedAs: "failed",
    });
    for (const cleared of [
      "rejected",
      "exit",
      "failure",
      "limit",
      "parkPhase",
      "failedDelegations",
      "pendingDelegations",
      "parkCounts",
      "stateTurns",
      "park",
    ]) {
      expect(state.fields, cleared).not.toHaveProperty(cleared);
    }
    expect(state.usage).toEqual(before.usage);
    expect(state.variables.a).toEqual(held(1));
  });

  it("R-5 records trigger, turn trigger and spec hash, and the entry state once", () => {
    const first = opened(aState(), anOpening()).state;
    const second = opened(first, anOpening({ trigger: "asked", state: "review", fromEntry: false })).state;

    expect(first.fields).toMatchObject({
      trigger: "free",
      turnTrigger: "free",
      entryState: "work",
      specHash: machine.specHash,
    });
    expect(second.fields).toMatchObject({
      trigger: "asked",
      turnTrigger: "asked",
      entryState: "work",
      position: "review",
    });
  });

  it("R-41 tells in order of a turn that an entry opened", () => {
    const { events } = opened(aState(), anOpening({ seeds: { b: 1, title: " A case " } }));

    expect(events).toEqual([
      { type: "workflow-reset", entry: "work" },
      { type: "advance", from: "__start__", to: "work" },
      { type: "variables-set", names: ["b", "title"], locked: true },
      { type: "title-set", title: "A case" },
      { type: "state-enter", state: "work" },
    ]);
  });

  it("R-41 tells of no reset where the retained position was kept, and of no variables where only the trigger was set", () => {
    const { events } = opened(aState({ position: "work" }), anOpening({ fromEntry: false }));

    expect(events.map((event) => event.type)).toEqual(["advance", "state-enter"]);
  });

  it("R-8 R-41 appends the message and one trigger step", () => {
    const { state } = opened(aState(), anOpening());

    expect(state.messages).toEqual([{ id: "m0", role: "user", content: "Hello" }]);
    expect(state.trail).toEqual([{ to: "work", kind: "trigger", reason: "free", ts: 1_000 }]);
  });

  it("R-38 locks seeds for the host, over agent locks too, and leaves the trigger's returns open", () => {
    const before = aState({}, { variables: { order: held("old"), outcome: held("old") } });

    const { state } = opened(
      before,
      anOpening({ trigger: "manual", seeds: { order: "new", amount: 1, outcome: "draft" } }),
    );

    expect(state.variables.order).toEqual({ value: "new", locked: true, lockedBy: "host" });
    expect(state.variables.outcome).toEqual({ value: "draft", locked: false });
    expect(state.variables.trigger).toEqual({ value: "manual", locked: true, lockedBy: "host" });
  });

  it("R-38 stores a title trimmed and open, and only if there is none", () => {
    const first = opened(aState(), anOpening({ seeds: { title: "  One " } })).state;
    const second = opened(first, anOpening({ seeds: { title: "Two" } }));

    expect(first.variables.title).toEqual({ value: "One", locked: false });
    expect(second.state.variables.title).toEqual({ value: "One", locked: false });
    expect(second.events.map((event) => event.type)).not.toContain("title-set");
  });

  it("R-43 puts one opening note in place of a message, with trigger and scalar variables", () => {
    const { state } = opened(
      aState({}, { variables: { old: held(true) } }),
      anOpening({ message: undefined, seeds: { order: "A-7", n: 3, lines: [1, 2] } }),
    );
    const [note, ...others] = state.messages;

    expect(others).toEqual([]);
    expect(note).toMatchObject({ role: "user", additional_kwargs: { archmax: { note: "opening" } } });
    for (const fact of ["free", 'order = "A-7"', "n = 3", "old = true", "lines"]) expect(note?.content).toContain(fact);
    expect(note?.content).not.toContain("[1,2]");
  });

  it("R-44 presents a fresh decision where it opens in a human state", () => {
    const { state, events } = opened(aState({ decisionCount: 2 }), anOpening({ trigger: "asked", state: "review" }));

    expect(state.fields).toMatchObject({
      status: "awaiting_decision",
      parkPhase: "closing",
      park: { state: "review", seq: 3 },
      decisionCount: 3,
    });
    expect(events.slice(-2).map((event) => event.type)).toEqual(["state-enter", "parked"]);
  });

  it("R-42 answers calls that an earlier turn left open, in order, before the new message", () => {
    const messages: StoredMessage[] = [
      { id: "m0", role: "user", content: "Hi" },
      {
        id: "m1",
        role: "assistant",
        content: "",
        tool_calls: ["a", "b", "c"].map((id) => ({ id, name: "ls", args: {} })),
      },
      { id: "a-b", role: "tool", content: "done", tool_call_id: "b", name: "ls" },
    ];

    const { state } = opened(aState({}, { messages }), anOpening());

    expect(interruptedAnswers(messages).map((answer) => answer.tool_call_id)).toEqual(["a", "c"]);
    expect(state.messages.slice(3)).toMatchObject([
      { role: "tool", tool_call_id: "a", status: "error", content: expect.stringMatching(/interrupted.*unknown/) },
      { role: "tool", tool_call_id: "c", status: "error" },
      { role: "user", content: "Hello" },
    ]);
    expect(state.fields.legStart).toBe(5);
  });

  it("R-42 adds nothing where every call is answered", () => {
    expect(interruptedAnswers([{ id: "m0", role: "user", content: "Hi" }])).toEqual([]);
  });
});
