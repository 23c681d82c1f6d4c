import { describe, expect, it } from "vitest";
import { TRAIL_KINDS } from "../spec/cases/index.js";
import type { Evidence } from "./assertion-record.js";
import { evidenceOf, step } from "./evidence.fixture.js";
import { checkStructural, type StructuralAssertion } from "./structural.js";

const COMPLETED = evidenceOf();
const PARKED = evidenceOf({ kind: "parked", parkedChannel: "decision", state: "review", exit: undefined });
const WAITING = evidenceOf({ kind: "parked", parkedChannel: "input", state: "chase", exit: undefined });
const RAISED = evidenceOf({
  kind: "failed",
  state: "work",
  exit: { success: false, code: "no-order", reason: "There is no order N-1." },
});
const LIMITED = evidenceOf({
  kind: "failed",
  state: "work",
  limit: "completion",
  exit: { success: false, code: "completion", reason: "not verified" },
});
const REJECTED = evidenceOf({ kind: "rejected", state: "work", exit: undefined, rejected: "The budget is spent." });
const TRAIL = evidenceOf({
  auditTrail: [
    step("trigger", "work", { reason: "manual" }),
    step("agent", "check", { reason: "Everything is here." }),
    step("sub-workflow", "letters", { workflow: "letters", status: "ok" }),
    step("code", "work", { reason: "Fix the sum." }),
    step("agent", "check", { reason: "Fixed." }),
    step("human", "done"),
    step("trigger", "done", { reason: "timer" }),
  ],
});

describe("structural assertions", () => {
  it.each<[string, StructuralAssertion, Evidence]>([
    ["C-27", { succeeded: true }, COMPLETED],
    ["C-28", { parked: true }, PARKED],
    ["C-28", { parked: true }, WAITING],
    ["C-28", { parked: "decision" }, PARKED],
    ["C-28", { parked: {} }, WAITING],
    ["C-28", { parked: { channel: "input" } }, WAITING],
    ["C-28", { parked: { state: "chase" } }, WAITING],
    ["C-28", { parked: { channel: "decision", state: "review" } }, PARKED],
    ["C-29", { raised: true }, RAISED],
    ["C-29", { raised: "no-order" }, RAISED],
    ["C-29", { raised: {} }, RAISED],
    ["C-29", { raised: { reason: "There is no order N-1." } }, RAISED],
    ["C-29", { raised: { code: "no-order", reason: "/order N-\\d/" } }, RAISED],
    ["C-30", { reachedState: "check" }, TRAIL],
    ["C-31", { trail: { to: "check", count: 2 } }, TRAIL],
    ["C-31", { trail: { to: "check", kind: "agent", reason: "Fixed.", count: 1 } }, TRAIL],
    ["C-31 C-15", { trail: { reason: "/^Fix/", count: 2 } }, TRAIL],
    ["C-31", { trail: { kind: "grader", count: 0 } }, TRAIL],
    ["C-32", { noTraversal: true }, evidenceOf({ auditTrail: [step("trigger", "work", { reason: "manual" })] })],
    ["C-33", { triggerArrival: "manual" }, TRAIL],
    ["C-33", { triggerArrival: "timer" }, TRAIL],
  ])("%s passes %j", (_id, assertion, evidence) => {
    expect(checkStructural(assertion, evidence)).toBeNull();
  });

  it.each<[string, StructuralAssertion, Evidence, string]>([
    ["C-27", { succeeded: true }, PARKED, "the session did not complete: it parked for a decision in review"],
    ["C-27", { succeeded: true }, WAITING, "the session did not complete: it parked for input in chase"],
    [
      "C-27",
      { succeeded: true },
      RAISED,
      'the session did not complete: it raised "no-order" in work: There is no order N-1.',
    ],
    [
      "C-27",
      { succeeded: true },
      REJECTED,
      "the session did not complete: it was rejected in work: The budget is spent.",
    ],
    ["C-28", { parked: true }, COMPLETED, "expected it parked: it completed in done"],
    ["C-28", { parked: "input" }, PARKED, "expected it parked for input: it parked for a decision in review"],
    [
      "C-28",
      { parked: { channel: "decision", state: "other" } },
      PARKED,
      "expected it parked for a decision in other: it parked for a decision in review",
    ],
    ["C-29", { raised: true }, COMPLETED, "nothing was raised: it completed in done"],
    [
      "C-29",
      { raised: true },
      LIMITED,
      "nothing was raised: it was stopped by the limit completion in work: not verified",
    ],
    [
      "C-29",
      { raised: "other" },
      RAISED,
      'expected "other" to be raised, and "no-order" was, for "There is no order N-1."',
    ],
    [
      "C-29",
      { raised: { code: "no-order", reason: "/sum/" } },
      RAISED,
      '"no-order" was raised for "There is no order N-1.", expected "/sum/"',
    ],
    [
      "C-29",
      { raised: { reason: "There is no order" } },
      RAISED,
      '"no-order" was raised for "There is no order N-1.", expected "There is no order"',
    ],
    ["C-30", { reachedState: "send" }, TRAIL, "no step led to send; steps led to check, work, done"],
    ["C-30", { reachedState: "letters" }, TRAIL, "no step led to letters; steps led to check, work, done"],
    [
      "C-30",
      { reachedState: "work" },
      evidenceOf({ auditTrail: [step("trigger", "work", { reason: "manual" })] }),
      "no step led to work; no step led anywhere",
    ],
    ["C-31", { trail: { to: "check", count: 1 } }, TRAIL, 'expected 1 step of {"to":"check"}, the trail has 2'],
    [
      "C-31",
      { trail: { kind: "human", to: "check", count: 1 } },
      TRAIL,
      'expected 1 step of {"to":"check","kind":"human"}, the trail has 0',
    ],
    ...TRAIL_KINDS.filter((kind) => kind !== "trigger").map((kind): [string, StructuralAssertion, Evidence, string] => [
      "C-32",
      { noTraversal: true },
      evidenceOf({ auditTrail: [step("trigger", "work", { reason: "manual" }), step(kind, "check")] }),
      `the session moved: ${kind} to check`,
    ]),
    ["C-33", { triggerArrival: "agent" }, TRAIL, "no trigger agent arrived; arrived: manual, timer"],
  ])("%s misses %j", (_id, assertion, evidence, detail) => {
    expect(checkStructural(assertion, evidence)).toBe(detail);
  });
});
