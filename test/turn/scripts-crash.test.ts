/** What a crash leaves of a script that was being evaluated, and of the names it had defined (S-38, S-47, S-48). */
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { wrapStore } from "../harness/wrap-store.js";
import type { ServerReply } from "../model-server/index.js";
import { benches, calls, results, says } from "./support.js";

const open = benches();
const SPEC = "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay, fall, ring] } } }";

const evaluate = (code: string): [string, Record<string, unknown>] => ["archmax_eval", { code }];

/** Works one message off in as many processes as it takes; the first one dies in the first call of `fall`. */
async function survive(replies: ServerReply[]) {
  let isDown = false;
  let falls = 0;
  const ran: unknown[] = [];
  const sessions = createMemorySessionStore();
  const stores = {
    sessions: wrapStore(sessions, (_op, run) => (isDown ? Promise.reject(new Error("Nothing answers.")) : run())),
    files: createMemoryFileStore(),
  };
  const note = (tool: string, more: object, after: () => void = () => {}) => ({
    description: tool,
    inputSchema: { type: "object" },
    ...more,
    handler: (args: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
      ran.push([tool, args, idempotencyKey]);
      after();
      return "done";
    },
  });
  const fall = () => {
    falls += 1;
    isDown = falls === 1;
  };
  const bench = await open({
    spec: SPEC,
    stores,
    replies: [...replies, says("Done.")],
    tools: toolsFromMap({
      pay: note("pay", {}),
      ring: note("ring", {}),
      fall: note("fall", { readOnly: true }, fall),
    }),
  });
  await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
  for (let processes = 0; processes < 5; processes += 1) {
    await (await bench.again()).work("s1").catch(() => undefined);
    isDown = false;
    bench.clock.advance(10 * 60_000);
  }
  const { state } = (await loadState(sessions, "s1"))!;
  expect(falls).toBeGreaterThan(0);
  expect(state.fields.status).toBe("completed");
  return { ran, state, answered: results(state) };
}

const GONE = "(The sandbox was started anew: names that earlier scripts had defined are gone.)";

describe("a script that was interrupted", () => {
  it("S-47 S-38 S-40 is evaluated again, with its finished calls answered from the journal, its first reading of the clock and its first random numbers", async () => {
    const { ran, answered } = await survive([
      calls(
        evaluate(
          "{ const paid = await tools.pay({ n: Math.random(), at: Math.floor(Date.now() / 300_000) }); await tools.fall(); `${paid} ${await tools.pay({ n: 2 })}` }",
        ),
      ),
    ]);

    expect(ran.map((call) => (call as unknown[])[0])).toEqual(["pay", "fall", "fall", "pay"]);
    expect(new Set(ran.map((call) => (call as unknown[])[2])).size).toBe(3);
    expect(answered).toEqual([{ tool: "archmax_eval", status: "success", text: "done done" }]);
  });

  it.each([
    [
      "another call",
      "typeof seen === 'undefined' ? await tools.pay({ n: 2 }) : await tools.pay({ n: 1 }); await tools.fall();",
      "called pay where it had called pay before; already done: pay.",
    ],
    [
      "another call after several",
      "if (typeof seen !== 'undefined') { await tools.pay({ n: 1 }); await tools.ring({ n: 1 }); await tools.fall(); } else await tools.pay({ n: 2 });",
      "called pay where it had called pay before; already done: pay, ring.",
    ],
    [
      "fewer calls",
      "if (typeof seen !== 'undefined') { await tools.pay({ n: 1 }); await tools.fall(); } 1",
      "made fewer calls than before; already done: pay.",
    ],
  ])("S-47 ends with what had been done when it makes %s the second time", async (_what, code, told) => {
    const { ran, answered } = await survive([calls(evaluate("var seen = 1;")), calls(evaluate(code), ["ring", {}])]);

    expect(ran.map((call) => (call as unknown[])[0])).toEqual(expect.arrayContaining(["pay", "ring", "fall"]));
    expect(ran.filter((call) => (call as unknown[])[0] === "pay")).toHaveLength(1);
    expect(answered[1]).toEqual({
      tool: "archmax_eval",
      status: "error",
      refusal: "tool-threw",
      text: `${GONE}\nreplay-mismatch: after an interruption the script ${told}`,
    });
    expect(answered[2]).toMatchObject({ tool: "ring", status: "success" });
  });

  it("S-47 may leave out calls that had no effect", async () => {
    const { answered } = await survive([
      calls(evaluate("var seen = 1;")),
      calls(evaluate("if (typeof seen !== 'undefined') await tools.fall(); 1")),
    ]);
    expect(answered[1]?.text).toBe(`${GONE}\n1`);
  });
});

describe("the names of a turn's scripts", () => {
  const falling = evaluate("{ await tools.fall(); typeof seen }");

  it("S-48 are gone after a crash, which the next script is told once", async () => {
    const { answered, state } = await survive([
      calls(evaluate("var seen = 1;")),
      calls(falling),
      calls(evaluate("typeof seen")),
      calls(evaluate("var again = 1; again")),
    ]);

    expect(answered.map(({ text }) => text)).toEqual(["", `${GONE}\nundefined`, "undefined", "1"]);
    expect(state.fields.repl).toBe(state.fields.turnOrdinal);
  });

  it("S-48 are missed by a script that has defined names of its own too", async () => {
    const { answered } = await survive([
      calls(evaluate("var seen = 1;")),
      calls(evaluate("var own = 2; await tools.fall(); own")),
      calls(evaluate("typeof seen + own")),
    ]);
    expect(answered.map(({ text }) => text)).toEqual(["", `${GONE}\n2`, "undefined2"]);
  });

  it("S-48 are missed by a later script of the same message too", async () => {
    const { answered } = await survive([calls(evaluate("var seen = 1;"), falling, evaluate("typeof seen"))]);
    expect(answered.map(({ text }) => text)).toEqual(["", `${GONE}\nundefined`, "undefined"]);
  });

  it("S-48 are not spoken of where there were none", async () => {
    const { answered } = await survive([calls(evaluate("{ let seen = 1; }")), calls(falling)]);
    expect(answered.map(({ text }) => text)).toEqual(["", "undefined"]);
  });
});
