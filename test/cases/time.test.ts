/** The time of a case, by the clock of the host. */
import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { ServerReply } from "../model-server/index.js";
import { calls, says } from "../turn/support.js";
import { ANSWERS } from "../turn/workflows.js";
import { type Suite, suites } from "./bench.js";

const open = suites();
const never = () => new Promise<ServerReply>(() => {});
const timed = (ms: number | null, spec = ANSWERS) => (ms === null ? spec : `tests: { caseTimeoutMs: ${ms} }\n${spec}`);
const PASSES = 'steps: [{ send: "Hi" }, { succeeded: true }]';

describe("the time of a case", () => {
  it.each([
    [null, 120_000],
    [5_000, 5_000],
  ])(
    "C-46 W-44 with caseTimeoutMs %s ends a case after %s ms: its turn stops, its records stay, the next case runs",
    async (ms, limit) => {
      let suite: Suite;
      let n = 0;
      suite = await open({
        spec: timed(ms),
        answer: () => {
          n += 1;
          if (n === 1) suite.clock.advance(limit - 1);
          if (n !== 2) return says("Hello.");
          suite.clock.advance(1);
          return never();
        },
        cases: {
          "a.test.yaml": "steps: [{ send: One }, { reply: { includes: x } }, { send: Two }, { succeeded: true }]",
          "b.test.yaml": PASSES,
        },
      });
      let seen = 0;
      const { results } = await suite.run({
        onCaseResult: () => {
          seen ||= suite.events.length;
        },
      });
      const [late, next] = results;

      expect(late!.error).toContain("tests.caseTimeoutMs");
      expect(late!.error).toContain(`${limit} ms`);
      expect(late!.verdict.failures).toEqual([late!.error, 'reply.includes: "x" was not said; said: "Hello."']);
      expect(late!.records.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        "reply.includes failed",
        "succeeded not-executed",
      ]);
      expect(next!.verdict.status).toBe("passed");
      const record = (await suite.stores.sessions.read(late!.sessionId!, suite.clock.now()))!.record;
      expect(record).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
      expect(suite.events.slice(seen).filter(({ sessionId }) => sessionId === late!.sessionId)).toEqual([]);
    },
  );

  it("C-46 ends a case whose turn cannot be stopped, and runs the next", async () => {
    let release = () => {};
    let suite: Suite;
    const stuck = async () => {
      suite.clock.advance(5_000);
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await new Promise(setImmediate);
      suite.clock.advance(2_000);
      await released;
      return "at last";
    };
    suite = await open({
      spec: timed(5_000, "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [stuck] } } }"),
      target: {
        tools: toolsFromMap({ stuck: { description: "s", inputSchema: { type: "object" }, handler: stuck } }),
      },
      answer: async (_request, n) => {
        if (n === 1) return calls(["stuck"]);
        release();
        await new Promise(setImmediate);
        return says("Hello.");
      },
      cases: { "a.test.yaml": PASSES, "b.test.yaml": PASSES },
    });
    let seen = 0;
    const { results } = await suite.run({
      onCaseResult: () => {
        seen ||= suite.events.length;
      },
    });

    expect(results[0]!.error).toContain("tests.caseTimeoutMs");
    expect(results[1]!.verdict.status).toBe("passed");
    const later = suite.events.slice(seen).map(({ sessionId }) => sessionId);
    expect(new Set(later)).toEqual(new Set([results[1]!.sessionId]));
  });

  it("C-46 bounds the grading too: a grade that is late is not executed", async () => {
    let suite: Suite;
    suite = await open({
      spec: `tests: { caseTimeoutMs: 5000, judge: {} }\n${ANSWERS}`,
      answer: ({ body }) => {
        if (!JSON.stringify(body.messages[0]).includes("You judge whether")) return says("Hello.");
        suite.clock.advance(5_000);
        return never();
      },
      cases: {
        "a.test.yaml":
          "steps: [{ send: Hi }, { reply: { includes: Hello } }, { grade: { closedQA: kind, atLeast: 0 } }]",
      },
    });
    const { error, records } = await suite.one();

    expect(error).toContain("tests.caseTimeoutMs");
    expect(records.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      "reply.includes passed",
      "grade.closedQA not-executed",
    ]);
  });

  it("C-46 bounds the seeding too", async () => {
    let suite: Suite;
    suite = await open({
      spec: timed(5_000),
      answer: () => says("Hello."),
      cases: { "a.test.yaml": `workspace: { a.txt: A }\n${PASSES}` },
    });
    suite.stores.files.write = async () => {
      suite.clock.advance(5_000);
      await new Promise(setImmediate);
      suite.clock.advance(2_000);
      return new Promise(() => {});
    };
    const { error, records } = await suite.one();

    expect(error).toContain("tests.caseTimeoutMs");
    expect(records.map(({ status }) => status)).toEqual(["not-executed"]);
    expect(suite.requests).toEqual([]);
  });
});
