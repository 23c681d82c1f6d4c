import { describe, expect, it } from "vitest";
import { anOutcome } from "../../test/cli/stage.js";
import { deploymentOf } from "../config/index.js";
import type { LocalHost, Notice } from "../local/index.js";
import { InboxFullError } from "../session/errors.js";
import { noticeLine, startLines } from "./dev-view.js";
import { createStyle } from "./style.js";

const plain = createStyle({ colour: false });
const lineOf = (notice: Notice) => noticeLine(notice, plain);

const host: LocalHost = {
  url: "http://127.0.0.1:8787",
  newKey: null,
  deployment: deploymentOf({
    webhooks: { "refund/mail": { verify: { scheme: "github", secrets: ["env:MAIL"] } } },
    events: { paid: { workflow: "refund", trigger: "paid", pattern: { source: ["shop"], "detail-type": ["paid"] } } },
    schedules: {
      daily: { workflow: "report", trigger: "daily", schedule: "rate(1 day)" },
      once: { workflow: "report", trigger: "daily", schedule: "cron(0 8 1 1 ? 2020)" },
    },
  }),
  workflows: ["refund", "report"],
  schedules: () => ({ daily: Date.UTC(2026, 2, 21), once: null }),
  tick: async () => {},
  idle: async () => {},
  close: async () => {},
};

const delegation = { workflow: "inspect", sessionId: "s1~1", dispatchId: "1", toolCallId: "c", state: "chase" };

describe("what parkway dev prints", () => {
  it("says how it is reached and what it fires", () => {
    expect(startLines(host, plain)).toEqual([
      "url        http://127.0.0.1:8787",
      "key        the one made before; --new-key makes another",
      "workflows  refund",
      "           report",
      "hooks      POST http://127.0.0.1:8787/hooks/refund/mail (github)",
      "events     paid fires refund/paid",
      "schedules  daily fires report/daily: rate(1 day), next at 2026-03-21T00:00:00.000Z",
      "           once fires report/daily: cron(0 8 1 1 ? 2020), never again",
    ]);
  });

  it("shows a key that was made now", () => {
    const lines = startLines({ ...host, newKey: "pw_local_1_2" }, plain);

    expect(lines.slice(1, 3)).toEqual(["key        pw_local_1_2", "           shown this once"]);
  });

  const entry = { method: "POST", route: "/v1/sessions/{id}", durationMs: 12, requestId: "r" };
  it.each<[notice: Notice, line: string]>([
    [{ kind: "request", entry: { ...entry, status: 202, sessionId: "s1" } }, "→ POST /v1/sessions/{id} 202 s1 12 ms"],
    [
      { kind: "request", entry: { ...entry, route: "", status: 404, code: "not-found" } },
      "→ POST (no route) 404 not-found 12 ms",
    ],
    [{ kind: "turn", sessionId: "s1", outcome: anOutcome(), durationMs: 5 }, "✔ s1 completed in done 5 ms"],
    [
      {
        kind: "turn",
        sessionId: "s1",
        outcome: anOutcome({ kind: "parked", state: "review", parkedChannel: "decision" }),
        durationMs: 5,
      },
      "⏸ s1 parked in review, waits for a decision 5 ms",
    ],
    [
      {
        kind: "turn",
        sessionId: "s1",
        outcome: anOutcome({ kind: "parked", state: "chase", parkedChannel: "input", delegation }),
        durationMs: 5,
      },
      "⏸ s1 parked in chase for its child s1~1, waits for an event 5 ms",
    ],
    [
      {
        kind: "turn",
        sessionId: "s1",
        outcome: anOutcome({ kind: "failed", exit: { success: false, code: "turn-error", reason: "x" } }),
        durationMs: 5,
      },
      "✖ s1 failed in done: turn-error 5 ms",
    ],
    [
      {
        kind: "turn",
        sessionId: "s1",
        outcome: anOutcome({ kind: "rejected", rejected: "out of service" }),
        durationMs: 5,
      },
      "✖ s1 rejected: out of service 5 ms",
    ],
    [
      { kind: "turn", sessionId: "s1", error: new InboxFullError("s1", 3), durationMs: 5 },
      '✖ s1 Session "s1" has 3 arrivals waiting; try again later. 5 ms',
    ],
    [{ kind: "delayed", sessionId: "s1" }, "⚠ s1 failed for now and is tried again"],
    [{ kind: "fired", what: "event paid", sessionId: "s1" }, "✉ event paid fired s1"],
    [
      { kind: "kept", what: "event paid", id: "d1", reason: "too-many-hops" },
      "⚠ event paid became the dead letter d1: too-many-hops",
    ],
    [{ kind: "warning", message: "the edit is not in force" }, "⚠ the edit is not in force"],
  ])("tells %j in a line", (notice, line) => {
    expect(lineOf(notice)).toBe(line);
  });

  it("shows the stack of an error that does not explain itself", () => {
    expect(lineOf({ kind: "failure", doing: "answering a request", error: new TypeError("oops") })).toMatch(
      /^✖ answering a request: TypeError: oops\n +at /,
    );
  });

  it("uses colours only where the style has them", () => {
    const notice: Notice = { kind: "turn", sessionId: "s1", outcome: anOutcome(), durationMs: 5 };

    expect(noticeLine(notice, createStyle({ colour: true }))).toContain("\u001b[32m✔");
    expect(lineOf(notice)).not.toContain("\u001b");
  });
});
