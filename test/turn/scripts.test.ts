/** `archmax_eval` and `archmax_run`: what a script of the agent's may do, and what it is answered (chapter R, 15). */
import { describe, expect, it } from "vitest";
import type { Evaluation } from "../../lib/sandbox/types.js";
import { loadState } from "../../lib/session/load-state.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { type BenchOptions, sharedSandbox } from "../harness/agent.js";
import { benches, calls, notes, offered, ofType, results, says } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [pay, large, { tool: send, paths: ["outbox/\${{case}}/**"] }], forbid: [{ tool: write_file, paths: ["locked/**"] }] }
    transitions: [{ to: done, description: All is done. }]
  done: { instructions: Close. }
`;

const QUOTE = `/** Quote. */
const policy = JSON.parse(await tools.read_file({ file_path: "skills/refunds/policy.json" }));
const { amount } = args.variables;
args.order === "A-1" ? { percent: policy.percent, amount } : "unknown";
`;

const SKILL = {
  "skills/refunds/SKILL.md": "---\nname: refunds\ndescription: How to refund.\n---\n\nRun scripts/quote.js.\n",
  "skills/refunds/policy.json": '{ "percent": 90 }\n',
  "skills/refunds/scripts/quote.js": QUOTE,
  "skills/other/SKILL.md": "---\nname: other\ndescription: Another.\n---\n\nNothing.\n",
  "skills/other/scripts/x.js": "1",
};

const withSkills = (spec: string) => `skills: { allow_always: [refunds] }\n${spec}`;

/** One turn whose model makes the calls, message by message, and then says that it is done. */
async function run(
  messages: [string, Record<string, unknown>][][],
  { variables, ...options }: Partial<BenchOptions> & { variables?: Record<string, unknown> } = {},
) {
  const ran: { tool: string; args: Record<string, unknown> }[] = [];
  const host = (tool: string, answer: (args: Record<string, unknown>) => unknown) => ({
    description: tool,
    inputSchema: { type: "object" },
    handler: (args: Record<string, unknown>) => {
      ran.push({ tool, args });
      return answer(args);
    },
  });
  const bench = await open({
    spec: SPEC,
    tools: toolsFromMap({
      pay: host("pay", ({ fail }) => {
        if (fail) throw new Error("The bank is closed.");
        return { paid: true };
      }),
      large: host("large", () => "x\n".repeat(50_000)),
      send: { ...host("send", () => "sent"), paths: { file_path: "write" } },
    }),
    replies: [...messages.map((made) => calls(...made)), says("Done.")],
    ...options,
  });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go.", ...(variables ? { variables } : {}) });
  const state = async () => (await loadState(bench.stores.sessions, "s1"))!.state;
  return { bench, outcome, ran, state, answered: results(outcome) };
}

const evaluate = (code: string): [string, Record<string, unknown>] => ["archmax_eval", { code }];
const texts = async (...codes: string[]) =>
  (await run(codes.map((code) => [evaluate(code)]))).answered.map(({ text }) => text);

describe("archmax_eval", () => {
  it("R-253 R-254 R-255 R-311 answers what was printed and the last value, and keeps names within the turn", async () => {
    const code = "const order = { n: 1 };\nconsole.log('got', order);\norder.n += 1;\nawait Promise.resolve(order)";
    expect(await texts(code, code, "`${order.n + 1}`", "undefined")).toEqual([
      'got {"n":1}\n{"n":2}',
      'got {"n":1}\n{"n":2}',
      "3",
      "",
    ]);
  });

  it("R-253 evaluates the scripts of one message in its order", async () => {
    const { answered } = await run([
      [evaluate("let n = 1; await tools.ls(); n"), evaluate("n += 1"), evaluate("n += 1")],
    ]);
    expect(answered.map(({ text }) => text)).toEqual(["1", "2", "3"]);
  });

  it("R-253 S-48 begins a new turn with an empty sandbox, without a word about it", async () => {
    const { bench } = await run([[evaluate("const kept = 1; kept")]], {
      replies: [calls(evaluate("const kept = 1;")), says("1"), calls(evaluate("typeof kept")), says("2")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Again." });
    expect(results(outcome).at(-1)?.text).toBe("undefined");
  });

  it("R-226 W-208 R-264 finds the state's tools, without controls and sandbox tools", async () => {
    const { bench, answered } = await run([
      [
        evaluate(
          "[Object.keys(tools), tools.task, tools.archmax_advance, tools.archmax_eval, tools.archmax_get_history]",
        ),
      ],
      [evaluate("tools.task()")],
    ]);
    const [names, ...others] = JSON.parse(answered[0]!.text) as [string[], ...unknown[]];

    const kept = offered(bench.requests[0]).filter((tool) => !tool.startsWith("archmax_"));
    expect(names.filter((name) => kept.includes(name))).toEqual(kept);
    expect(names).toEqual(expect.arrayContaining(["readFile", "writeTodos", "pay"]));
    expect(names.filter((name) => name.startsWith("archmax"))).toEqual([]);
    expect(others).toEqual([null, null, null, null]);
    expect(answered[1]).toMatchObject({ status: "error", text: "TypeError: not a function (archmax_eval:1)" });
    expect(ofType(bench.events, "tool-blocked")).toEqual([]);
  });

  it("R-97 R-92 W-157 substitutes references in the code and none in the script's own calls", async () => {
    const { answered, ran } = await run(
      [[evaluate("await tools.pay({ to: '${{who}}', note: '$' + '{{who}}' }); '${{who}}'")]],
      {
        variables: { who: "Ada" },
      },
    );
    expect(answered[0]?.text).toBe("Ada");
    expect(ran).toEqual([{ tool: "pay", args: { to: "Ada", note: "${{who}}" } }]);
  });

  it("R-97 resolves the guards of its calls against the variables at that moment", async () => {
    const { answered, ran } = await run([
      [
        ["archmax_set_variables", { variables: { case: "7" } }],
        evaluate(
          "await tools.send({ file_path: 'outbox/7/a.txt' }); await tools.send({ file_path: 'outbox/8/a.txt' }).catch((e) => e.ruleId)",
        ),
      ],
    ]);

    expect(ran).toEqual([{ tool: "send", args: { file_path: "outbox/7/a.txt" } }]);
    expect(answered[1]?.text).toBe("tool.not-allowed");
  });

  it("R-257 finds empty args with the variables of the moment, which it cannot write", async () => {
    const { answered, state } = await run(
      [
        [
          ["archmax_set_variables", { variables: { amount: 2 } }],
          evaluate("'use strict'; try { args.variables.amount = 3 } catch (e) { e.name + JSON.stringify(args) }"),
        ],
      ],
      { variables: { who: "Ada" } },
    );
    expect(answered[1]?.text).toMatch(/^TypeError\{"variables":\{.*"amount":2.*\}\}$/);
    expect((await state()).variables.amount?.value).toBe(2);
  });

  it("R-225 R-227 R-262 W-40 has its calls decided by the state's rules; a refused one has not run and can be caught", async () => {
    const { answered, bench } = await run([
      [
        evaluate(
          `const caught = [];
           for (const file_path of ["locked/a.txt", "workflows/case/workflow.yaml", "scratchpad/a.txt"])
             try { await tools.write_file({ file_path, content: "x" }); } catch (e) { caught.push([e.ruleId, e.tool]); }
           caught`,
        ),
      ],
      [evaluate("await tools.write_file({ file_path: 'locked/a.txt', content: 'x' })")],
      [["ls", { path: "/locked" }]],
    ]);

    expect(JSON.parse(answered[0]!.text)).toEqual([
      ["tool.forbidden-here", "write_file"],
      ["zone.governance-plane", "write_file"],
    ]);
    expect(answered[1]).toMatchObject({
      status: "error",
      refusal: "tool-threw",
      text: expect.stringContaining("(archmax_eval:1)"),
    });
    expect(answered[2]?.text).not.toContain("a.txt");
    expect(ofType(bench.events, "tool-blocked").map(({ rule, origin }) => [rule, origin])).toEqual([
      ["tool.forbidden-here", "script"],
      ["zone.governance-plane", "script"],
      ["tool.forbidden-here", "script"],
    ]);
  });

  it("R-225 has its calls decided by the state it runs in, not the one that the session began in", async () => {
    const pays = evaluate("const one = (n) => tools.pay({ n }).catch((e) => e.ruleId); [await one(1), await one(2)]");
    const { answered } = await run([[pays], [["archmax_advance", { to: "later", reason: "On." }]], [pays]], {
      spec: `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [{ tool: pay, args: { n: "1" } }] }
    transitions: [{ to: later, description: On. }]
  later:
    instructions: Go on.
    tools: { allow: [{ tool: pay, args: { n: "2" } }] }
`,
    });
    const scripts = answered.filter(({ tool }) => tool === "archmax_eval").map(({ text }) => JSON.parse(text));

    expect(scripts).toEqual([
      ['{"paid":true}', "tool.not-allowed"],
      ["tool.not-allowed", '{"paid":true}'],
    ]);
  });

  it("R-262 emits a script's calls with an id of their own and where they come from", async () => {
    const { bench } = await run([[evaluate("await Promise.all([tools.pay({ n: 1 }), tools.pay({ n: 2 })]); 'paid'")]]);
    const called = ofType(bench.events, "tool-called").map(({ tool, origin, callId }) => ({ tool, origin, callId }));
    const settled = ofType(bench.events, "tool-result");

    expect(called.map(({ tool, origin }) => [tool, origin])).toEqual([
      ["archmax_eval", undefined],
      ["pay", "script"],
      ["pay", "script"],
    ]);
    expect(new Set(called.map(({ callId }) => callId)).size).toBe(3);
    expect(settled.map(({ tool, origin }) => [tool, origin])).toEqual([
      ["pay", "script"],
      ["pay", "script"],
      ["archmax_eval", undefined],
    ]);
    expect(settled.at(-1)).toMatchObject({ callId: called[0]?.callId, status: "success", output: "paid" });
  });

  it("R-234 R-245 gets whole files and whole results", async () => {
    const { answered, bench } = await run([
      [["write_file", { file_path: "scratchpad/long.txt", content: "line\n".repeat(300) }]],
      [
        evaluate(
          "[await tools.read_file({ file_path: 'scratchpad/long.txt' }), await tools.large(), await tools.readFile({ file_path: 'gone.txt' })].map((text) => text.length + text.slice(0, 6)).join()",
        ),
      ],
      [["large", {}]],
    ]);

    expect(answered[1]?.text).toMatch(/^1500line\nl,100000x\nx\nx\n,\d\dError:$/);
    // The same result is offloaded for the model.
    expect(answered[2]?.text).toContain("/large_tool_results/");
    expect(ofType(bench.events, "tool-blocked")).toEqual([]);
  });

  it("R-259 runs calls made together at once, each succeeding or failing by itself", async () => {
    const { answered } = await run([
      [
        evaluate(
          "(await Promise.allSettled([tools.pay(), tools.pay({ fail: true }), tools.ls()])).map((one) => one.value ?? one.reason.message)",
        ),
      ],
    ]);
    expect(JSON.parse(answered[0]!.text).slice(0, 2)).toEqual(['{"paid":true}', "The bank is closed."]);
  });

  it("R-256 answers an error with what was printed, and the turn goes on", async () => {
    const { answered, outcome } = await run([
      [evaluate("console.log('first');\nthrow new TypeError('wrong');")],
      [evaluate("const = 1;")],
      [["archmax_eval", {}]],
    ]);
    expect(answered).toEqual([
      {
        tool: "archmax_eval",
        status: "error",
        refusal: "tool-threw",
        text: "first\nTypeError: wrong (archmax_eval:2)",
      },
      {
        tool: "archmax_eval",
        status: "error",
        refusal: "tool-threw",
        text: "SyntaxError: Unexpected token (archmax_eval:1)",
      },
      { tool: "archmax_eval", status: "error", refusal: "invalid-arguments", text: expect.stringContaining("`code`") },
    ]);
    expect(outcome.kind).toBe("completed");
  });

  it("R-260 R-255 W-39 W-40 is held to the workflow's settings", async () => {
    const settings = "settings: { timeoutMs: 400, maxPtcCalls: 1, maxResultChars: 5 }\n";
    const { answered } = await run(
      [
        [evaluate("const kept = 1; console.log('1234567'); 'abcdefgh'")],
        [evaluate("await tools.ls(); await tools.ls()")],
        [evaluate("for (;;);")],
        [evaluate("typeof kept")],
      ],
      { spec: settings + SPEC },
    );
    expect(answered.map(({ text }) => text)).toEqual([
      "12345… (2 more characters)\nabcde… (3 more characters)",
      expect.stringContaining("settings.maxPtcCalls"),
      expect.stringMatching(/^\(The sandbox was started anew.*\)\nThe script did not finish within 400 ms/),
      "undef… (4 more characters)",
    ]);
  });

  it("R-250 keeps the list of things to do that a script writes", async () => {
    const todos = [{ content: "Pay", status: "pending" }];
    const { answered, state, bench } = await run([
      [evaluate(`await tools.write_todos({ todos: ${JSON.stringify(todos)} })`)],
      [evaluate("await tools.writeTodos({ todos: 1 })")],
    ]);
    expect(answered.map(({ status }) => status)).toEqual(["success", "error"]);
    expect((await state()).fields.todos).toEqual(todos);
    expect(ofType(bench.events, "tool-result").filter(({ tool }) => tool === "write_todos")).toMatchObject([
      { status: "success", origin: "script" },
      { status: "error", origin: "script" },
    ]);
  });

  it("R-96 R-167 fails the state at the end of the batch where a guard cannot be resolved, caught or not", async () => {
    const spec = SPEC.replace("    transitions: [", "    on_error: done\n    transitions: [");
    const { answered, ran, outcome } = await run(
      [
        [
          evaluate(
            "try { await tools.send({ file_path: 'outbox/1/a.txt' }); } catch {}\ntry { await tools.pay(); } catch {}\n'fine'",
          ),
          ["pay", {}],
          ["archmax_advance", { to: "done", reason: "Done." }],
        ],
      ],
      { spec },
    );

    expect(answered.map(({ status, refusal }) => [status, refusal])).toEqual([
      ["error", "tool-threw"],
      ["success", undefined],
      ["error", "state-failed"],
    ]);
    expect(answered[0]?.text).toMatch(/^send was refused/);
    expect(ran).toEqual([{ tool: "pay", args: {} }]);
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "done", kind: "on_error" });
    expect(notes(outcome).at(-1)).toContain("send was refused");
  });

  it("R-263 R-305 ends with the turn when the signal fires", async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const bench = await open({
      spec: "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay] } } }",
      tools: toolsFromMap({
        pay: {
          description: "p",
          inputSchema: { type: "object" },
          handler: (_args, { signal }) => {
            ran.push("pay");
            stop.abort(new Error("Enough."));
            return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          },
        },
      }),
      replies: [calls(["archmax_eval", { code: "try { await tools.pay() } finally { await tools.pay() }" }])],
    });

    await expect(bench.agent.workflow.send("s1", { message: "Go." }, { signal: stop.signal })).rejects.toThrow(
      "Enough.",
    );

    expect(ran).toEqual(["pay"]);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.exit?.code).toBe("turn-cancelled");
  });

  it("R-263 ends at once when the signal fires, though it waits for nothing", async () => {
    const stop = new AbortController();
    const bench = await open({
      spec: "settings: { timeoutMs: 25000 }\nstates: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay] } } }",
      tools: toolsFromMap({
        pay: { description: "p", inputSchema: { type: "object" }, handler: () => stop.abort(new Error("Enough.")) },
      }),
      replies: [calls(["archmax_eval", { code: "tools.pay(); await Promise.resolve(); for (;;);" }])],
    });
    const begun = performance.now();

    await expect(bench.agent.workflow.send("s1", { message: "Go." }, { signal: stop.signal })).rejects.toThrow(
      "Enough.",
    );

    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it("C-19 C-18 has its calls answered by a case's mocks, after governance", async () => {
    const bench = await open({
      spec: SPEC.replace("pay, large, ", "").replace(/\{ tool: send.*?\}\}\/\*\*"\] \}/, ""),
      replies: [
        calls(
          evaluate(
            `const seen = [];
           for (const path of ["scratchpad/a.txt", "locked/a.txt", "scratchpad/b.txt"])
             try { seen.push(await tools.write_file({ file_path: path, content: "x" })) } catch (e) { seen.push(e.ruleId ?? e.message) }
           seen.push(await tools.ls({ path: "/scratchpad" })); seen`,
          ),
        ),
        calls(evaluate("mocked as a whole")),
        says("Done."),
      ],
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    await bench.agent.work("s1", {
      mocks: ({ tool, args }) => {
        if (args.code === "mocked as a whole") return { text: "whole" };
        if (tool !== "write_file") return null;
        return String(args.file_path).endsWith("a.txt") ? { text: "mocked" } : { error: "The disk is full." };
      },
    });

    const answered = results((await loadState(bench.stores.sessions, "s1"))!.state);
    expect(JSON.parse(answered[0]!.text)).toEqual([
      "mocked",
      "tool.forbidden-here",
      "The disk is full.",
      expect.any(String),
    ]);
    expect(answered[0]?.text).not.toContain("a.txt");
    expect(answered[1]).toEqual({ tool: "archmax_eval", status: "success", text: "whole" });
  });

  it.each([
    ["none", "", { timeoutMs: 15_000, memoryLimitBytes: 67_108_864, maxPtcCalls: 256, maxResultChars: 4_000 }],
    [
      "all",
      "settings: { timeoutMs: 1234, memoryLimitBytes: 20000000, maxPtcCalls: 7, maxResultChars: 99 }\n",
      { timeoutMs: 1234, memoryLimitBytes: 20_000_000, maxPtcCalls: 7, maxResultChars: 99 },
    ],
    ["no bound of calls", "settings: { maxPtcCalls: null }\n", { timeoutMs: 15_000, maxPtcCalls: null }],
  ])("H-37 R-260 goes to another sandbox, with the workflow's limits: %s", async (_given, settings, limits) => {
    const given: Evaluation[] = [];
    let closed = 0;
    const { answered } = await run([[evaluate("1")], [evaluate("2")]], {
      spec: `${settings}${SPEC}`,
      sandboxRuntime: {
        ...sharedSandbox(),
        openRepl: () => ({
          evaluate: async (evaluation) => {
            given.push(evaluation);
            return { status: "ok", text: "mine", printed: "", fresh: false, holdsNames: false };
          },
          close: async () => {
            closed += 1;
          },
        }),
      },
    });

    expect(answered.map(({ text }) => text)).toEqual(["mine", "mine"]);
    expect(given.map((evaluation) => evaluation.limits)).toMatchObject([limits, limits]);
    expect(closed).toBe(1);
  });
});

describe("archmax_run", () => {
  const quote = (args: Record<string, unknown>): [string, Record<string, unknown>] => [
    "archmax_run",
    { file_path: "skills/refunds/scripts/quote.js", args },
  ];

  it("R-253 R-257 R-261 R-311 W-224 runs a script of an enabled skill, as often as asked", async () => {
    const { answered } = await run(
      [
        [quote({ order: "A-1", variables: "mine" })],
        [quote({ order: "A-1" })],
        [quote({ order: "B" })],
        [evaluate("policy")],
      ],
      {
        spec: withSkills(SPEC),
        files: SKILL,
        variables: { amount: 7 },
      },
    );
    expect(answered.map(({ text }) => text)).toEqual([
      '{"percent":90,"amount":7}',
      '{"percent":90,"amount":7}',
      "unknown",
      '{"percent":90}',
    ]);
  });

  it("R-205 W-227 R-220 refuses what lies in no enabled skill", async () => {
    const { answered } = await run(
      [
        [
          ["write_file", { file_path: "scratchpad/x.js", content: "1" }],
          ["archmax_run", { file_path: "skills/other/scripts/x.js" }],
          ["archmax_run", { file_path: "workflows/case/scripts/x.js" }],
        ],
        [["archmax_run", { file_path: "scratchpad/x.js" }]],
      ],
      { spec: withSkills(SPEC), files: SKILL },
    );
    expect(answered.map(({ refusal }) => refusal)).toEqual([
      undefined,
      "blocked:skill.not-allowed",
      "blocked:script.skill-only",
      "blocked:script.skill-only",
    ]);
  });

  it("R-261 R-256 answers an error for a file that is not there, and names the script in its own errors", async () => {
    const { answered } = await run(
      [
        [["archmax_run", { file_path: "/skills/refunds/scripts/gone.js" }]],
        [["archmax_run", { file_path: "skills/refunds/scripts/broken.js" }]],
        [["archmax_run", { file_path: "skills/refunds/scripts/broken.js", args: "text" }]],
      ],
      { spec: withSkills(SPEC), files: { ...SKILL, "skills/refunds/scripts/broken.js": "\nargs.order.id;\n" } },
    );
    expect(answered.map(({ text, status }) => [status, text])).toEqual([
      ["error", expect.stringMatching(/^Error: .*gone\.js/)],
      ["error", expect.stringMatching(/^TypeError: .*\(skills\/refunds\/scripts\/broken\.js:2\)$/)],
      ["error", expect.stringContaining("`args`")],
    ]);
  });
});
