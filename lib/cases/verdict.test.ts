import { describe, expect, it } from "vitest";
import type { AssertionRecord } from "./types.js";
import { exitCodeForVerdict, reduceVerdict } from "./verdict.js";

const record = (more: Partial<AssertionRecord>): AssertionRecord => ({
  kind: "succeeded",
  status: "passed",
  threshold: null,
  step: 1,
  ...more,
});

describe("reduceVerdict", () => {
  it("C-47 passes where nothing failed, executed or not", () => {
    expect(reduceVerdict([record({}), record({ status: "not-executed" })])).toEqual({ status: "passed", failures: [] });
    expect(reduceVerdict([]).status).toBe("passed");
  });

  it("C-47 fails with one line for each failed record, a grade's with its score", () => {
    const verdict = reduceVerdict([
      record({ status: "failed", detail: "it parked" }),
      record({ kind: "reply.includes" }),
      record({ kind: "grade.closedQA", status: "failed", threshold: 0.7, score: 0.25, detail: "Too curt." }),
      record({ kind: "grade.closedQA", status: "failed", threshold: 0.7, detail: "no judge" }),
      record({ status: "not-executed" }),
    ]);

    expect(verdict).toEqual({
      status: "failed",
      failures: ["succeeded: it parked", "grade.closedQA: Too curt. (score 0.25 < 0.7)", "grade.closedQA: no judge"],
    });
  });
});

describe("exitCodeForVerdict", () => {
  it.each([
    ["failed", 1],
    ["passed", 0],
    ["skipped", 0],
  ] as const)("C-47 of %s is %s", (status, code) => {
    expect(exitCodeForVerdict({ status, failures: [] })).toBe(code);
  });
});
