import { describe, expect, it } from "vitest";
import type { StoredMessage } from "./messages.js";
import { runtimeNote } from "./notes.js";
import { classifyStatus, isFinished, outcomeOf, replyOf, summaryOf } from "./outcome.js";
import { RECORD_FORMAT, type SessionRecord } from "./record.js";
import { type DecisionPark, type InputPark, type SessionFields, WORKFLOW_STATUSES } from "./state.js";
import { aState } from "./testing.js";

const decision: DecisionPark = {
  channel: "decision",
  parkId: "park-1-0001",
  state: "review",
  title: "Review",
  instructions: "Décide – „so“ 決めて.",
  transitions: [{ to: "send", description: "It may go.", type: "approve" }],
  evidence: ["scratchpad/a.md"],
  approvers: ["lead"],
  parkedAt: "2026-03-20T09:00:00.000Z",
  seq: 2,
};
const wait: InputPark = {
  channel: "input",
  parkId: "park-2-0001",
  state: "work",
  reason: "An answer.",
  parkedAt: "2026-03-20T09:00:00.000Z",
  resumeAt: "2026-03-21T09:00:00.000Z",
};
const delegation = { workflow: "child", sessionId: "s1~1", dispatchId: "1", toolCallId: "c", state: "work" };
const SPENT = { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 };

describe("statuses", () => {
  it("R-6 H-70 knows six, of which three are finished", () => {
    expect(WORKFLOW_STATUSES).toEqual({
      running: "running",
      completed: "completed",
      failed: "failed",
      rejected: "rejected",
      awaitingDecision: "awaiting_decision",
      awaitingInput: "awaiting_input",
    });
    expect(Object.values(WORKFLOW_STATUSES).filter(isFinished)).toEqual(["completed", "failed", "rejected"]);
    for (const other of ["parked", "", "Completed"]) expect(isFinished(other), other).toBe(false);
    for (const status of Object.values(WORKFLOW_STATUSES))
      expect(classifyStatus(status)).toBe(isFinished(status) ? "finished" : "open");
  });
});

describe("the outcome", () => {
  const of = (fields: Partial<SessionFields>) =>
    outcomeOf(aState({ disposition: "turn", position: "work", ...fields }));

  it.each<[Partial<SessionFields>, Record<string, unknown>, string[]]>([
    [
      { status: "completed" },
      { kind: "completed", exit: { success: true }, state: "work" },
      ["rejected", "pending", "parkedChannel", "limit"],
    ],
    [
      { status: "failed", exit: { code: "no-order", reason: "There is none.", state: "work" } },
      { kind: "failed", exit: { success: false, code: "no-order", reason: "There is none." } },
      ["rejected", "pending", "parkedChannel"],
    ],
    [
      { status: "rejected", rejected: "No." },
      { kind: "rejected", rejected: "No." },
      ["exit", "pending", "parkedChannel"],
    ],
    [
      {
        status: "awaiting_decision",
        park: decision,
        rejected: "Pending.",
        exit: { code: "old", reason: "Old.", state: "work" },
      },
      { kind: "parked", parkedChannel: "decision", pending: decision, state: "review" },
      ["exit", "rejected"],
    ],
    [
      { status: "awaiting_input", park: wait },
      { kind: "parked", parkedChannel: "input", pending: wait, state: "work" },
      ["exit", "rejected", "delegation"],
    ],
    [
      { status: "awaiting_decision", park: { ...decision, state: "asks", delegation } },
      { kind: "parked", parkedChannel: "decision", delegation, state: "asks" },
      ["exit", "rejected"],
    ],
    [
      { status: "failed", exit: { code: "tokens", reason: "Spent.", state: "work" }, limit: "maxTokens" },
      { kind: "failed", limit: "maxTokens", exit: { success: false, code: "tokens", reason: "Spent." } },
      ["rejected", "pending"],
    ],
  ])("R-16 H-68 H-69 tells of %j", (fields, present, absent) => {
    const outcome = of(fields);

    expect(outcome).toMatchObject({
      ...present,
      disposition: "turn",
      status: fields.status,
      reply: "",
      messages: [],
      auditTrail: [],
      variables: {},
    });
    for (const field of [...absent, "usage"]) expect(outcome, field).not.toHaveProperty(field);
    if (outcome.exit) expect(outcome.exit).toEqual(present.exit);
  });

  it("R-16 H-68 has no state before there is a position, and usage once any was spent", () => {
    expect(outcomeOf(aState({ status: "rejected", rejected: "No." }))).not.toHaveProperty("state");
    expect(outcomeOf(aState({ status: "completed" }, { usage: SPENT })).usage).toEqual(SPENT);
  });

  it("R-5 R-16 shows value and lock of a variable, not who locked it", () => {
    const outcome = outcomeOf(
      aState({ status: "completed" }, { variables: { a: { value: [1], locked: true, lockedBy: "host" } } }),
    );

    expect(outcome.variables).toEqual({ a: { value: [1], locked: true } });
  });

  it("R-17 F-62 H-68 replies with every text of the leg, that beside calls included, and nothing else", () => {
    const says = (id: string, content: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
      id,
      role: "assistant",
      content,
      ...more,
    });
    const messages: StoredMessage[] = [
      says("m0", "Of an earlier leg."),
      { id: "m1", role: "user", content: "Mine" },
      says("m2", "Looking.", { tool_calls: [{ id: "c", name: "ls", args: {} }] }),
      { id: "a-c", role: "tool", content: "files", tool_call_id: "c" },
      ...runtimeNote(4, "code", "Checked."),
      says("m6", "  \n"),
      says("m7", "Done.\nReally."),
    ];

    expect(replyOf(aState({ legStart: 1 }, { messages }))).toBe("Looking.\n\nDone.\nReally.");
    expect(replyOf(aState({ legStart: 1 }, { messages: messages.slice(0, 2) }))).toBe("");
  });
});

describe("the summary", () => {
  const record: SessionRecord = {
    sessionId: "s1",
    format: RECORD_FORMAT,
    status: "completed",
    workflow: "case",
    position: null,
    specHash: null,
    title: null,
    park: null,
    exit: null,
    usage: null,
    checkpoint: 1,
    turnOrdinal: 1,
    fence: 1,
    lease: null,
    acceptedSeq: 1,
    active: null,
    retryAt: null,
    lastFailure: null,
    hops: null,
    wakeFailures: 0,
    wakeRetryAt: null,
    cancelRequested: false,
    unpublished: 0,
    dueAt: null,
    deleting: false,
    takesChildren: null,
    expiresAt: null,
    keepMs: null,
    claimedBy: null,
    rootCreatedAt: null,
    createdAt: 0,
    updatedAt: 1000,
  };

  it("R-300 H-77 N-15 tells what is and leaves out what is not", () => {
    expect(summaryOf(record, aState({ status: "completed", position: "work", specHash: "h" }))).toEqual({
      sessionId: "s1",
      status: "completed",
      classification: "finished",
      workflow: "case",
      createdAt: "1970-01-01T00:00:00.000Z",
      updatedAt: "1970-01-01T00:00:01.000Z",
      workflowState: "work",
      specHash: "h",
    });
  });

  it("R-300 H-77 tells of a wait where, why and until when; the record only to `get`", () => {
    const state = aState(
      { status: "awaiting_input", position: "work", park: wait },
      { usage: SPENT, variables: { a: { value: 1, locked: false } } },
    );
    const listed = summaryOf(record, state);

    expect(listed).toMatchObject({
      classification: "open",
      state: "work",
      waitReason: "An answer.",
      resumeAt: wait.resumeAt,
    });
    expect(listed).toMatchObject({ usage: SPENT, variables: { a: { value: 1, locked: false } } });
    expect(listed).not.toHaveProperty("pending");
    expect(summaryOf(record, state, { queued: 0 })).toMatchObject({ pending: wait });
  });

  it("R-300 F-34 hands the decision record on as it was made", () => {
    const state = aState({ status: "awaiting_decision", position: "review", park: decision });

    expect(summaryOf(record, state, { queued: 0 })?.pending).toEqual(decision);
  });

  it("R-200 R-300 H-77 H-92 names the parent of a child", () => {
    const state = aState({ status: "completed" });

    expect(summaryOf({ ...record, sessionId: "s1~2~1" }, state)).toMatchObject({ parentSessionId: "s1~2" });
    expect(summaryOf(record, state)).not.toHaveProperty("parentSessionId");
  });

  it("R-300 H-77 shows an exit only while failed", () => {
    const exit = { code: "c", reason: "r", state: "work" };

    expect(summaryOf(record, aState({ status: "failed", exit }))).toMatchObject({ exit });
    expect(summaryOf(record, aState({ status: "completed", exit }))).not.toHaveProperty("exit");
  });

  it("F-5 F-27 R-300 H-77 counts what waits, and flags a wake-up that keeps failing", () => {
    const state = aState({ status: "awaiting_input", park: wait });

    expect(summaryOf(record, state, { queued: 2 })).toMatchObject({ queued: 2 });
    expect(summaryOf(record, state, { queued: 0 })).not.toHaveProperty("queued");
    expect(summaryOf({ ...record, wakeFailures: 4 }, state)).not.toHaveProperty("wakeFailing");
    expect(summaryOf({ ...record, wakeFailures: 5 }, state)).toMatchObject({ wakeFailing: true });
  });

  it("H-76 is null for a session that has not run", () => {
    expect(summaryOf({ ...record, status: null }, aState())).toBeNull();
  });
});
