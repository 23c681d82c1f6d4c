/** What a host has around the run of a call: `beforeTool`, middleware, `afterTool` (A-38…A-43, H-21). */
import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { AgentMiddleware, Hooks } from "../../lib/extensions/types.js";
import { loadState } from "../../lib/session/load-state.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { wrapStore } from "../harness/wrap-store.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { aGraded, passes } from "./graded.js";
import { advance, benches, calls, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const spec = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [probe, read_file, write_file, archmax_eval], forbid: [{ tool: probe, args: { a: "9" } }] }
    transitions: [{ to: end }]
  end: { instructions: End. }
`;

function probe(ran: unknown[] = []) {
  return toolsFromMap({
    probe: {
      description: "Looks.",
      inputSchema: { type: "object" },
      handler: (args) => {
        ran.push(args);
        if (args.fail) throw new Error("it is down");
        return "seen";
      },
    },
  });
}

const evaluating = (code: string) => calls(["archmax_eval", { code }]);

async function ask(made: ReturnType<typeof calls>, options: object) {
  const ran: unknown[] = [];
  const bench = await open({ spec, tools: probe(ran), replies: [made, says("done")], ...options });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
  return { bench, outcome, ran, answers: results(outcome) };
}

describe("beforeTool", () => {
  it("A-38 A-41 is asked of every call, and what it is shown cannot be changed", async () => {
    const asked: unknown[] = [];
    const hooks: Hooks = {
      beforeTool(call) {
        asked.push(call);
        expect(this).toBe(hooks);
        expect(Object.isFrozen(call.args)).toBe(true);
      },
    };

    await ask(calls(["probe", { a: 1 }, "c1"], [...setting({ x: 1 }), "c2"]), { hooks });

    expect(asked).toEqual([
      { name: "probe", args: { a: 1 }, id: "c1", turn: 1, state: "work" },
      { name: "archmax_set_variables", args: { variables: { x: 1 } }, id: "c2", turn: 1, state: "work" },
    ]);
  });

  it("A-42 what it answers stands for the tool, which does not run: for a control that means no move", async () => {
    const hooks: Hooks = { beforeTool: () => ({ result: { cached: true } }), afterTool: () => ({ result: "no" }) };

    const { outcome, ran, answers, bench } = await ask(
      calls(["probe", {}], ["archmax_advance", { to: "end", reason: "r" }]),
      {
        hooks,
      },
    );

    expect(ran).toEqual([]);
    expect(answers.map(({ text, status }) => [text, status])).toEqual([
      ['{"cached":true}', "success"],
      ['{"cached":true}', "success"],
    ]);
    expect(outcome.state).toBe("work");
    expect(types(bench.events, "tool-called", "tool-result")).toEqual([
      "tool-called",
      "tool-result",
      "tool-called",
      "tool-result",
    ]);
  });

  it("A-42 arguments it puts in place reach the tool, and are refused like any call's", async () => {
    const { ran, answers, bench } = await ask(calls(["probe", { a: 1 }], ["probe", { a: 2 }]), {
      hooks: { beforeTool: ({ args }) => ({ args: { a: args.a === 1 ? 8 : 9 } }) } satisfies Hooks,
    });

    expect(ran).toEqual([{ a: 8 }]);
    expect(answers.map(({ status }) => status)).toEqual(["success", "error"]);
    expect(ofType(bench.events, "tool-called")).toMatchObject([{ args: { a: 8 } }]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "tool.forbidden-here", args: { a: 9 } }]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no route")), "no route"],
    ["gives arguments that are no object", () => ({ args: "all" }), "`args` must be an object"],
    [
      "writes into what it is shown",
      ({ args }: { args: Record<string, unknown> }) => {
        args.a = 2;
      },
      "read only",
    ],
  ])("A-43 one that %s denies the call", async (_what, beforeTool, says) => {
    const { ran, answers, bench } = await ask(calls(["probe", { a: 1 }]), { hooks: { beforeTool } });

    expect(ran).toEqual([]);
    expect(answers[0]).toMatchObject({ status: "error", refusal: "blocked:guardrail" });
    expect(answers[0]?.text).toMatch(/^denied: beforeTool error: /);
    expect(answers[0]?.text).toContain(says);
    expect(ofType(bench.events, "tool-called")).toEqual([]);
  });
});

describe("afterTool", () => {
  it("A-8 A-38 is told the same number of the turn's model calls as beforeTool, of a grader's calls too", async () => {
    const told: string[] = [];
    const { send } = await aGraded(open, {
      hooks: {
        beforeTool: ({ name, turn, state }) => {
          if (name === "probe") told.push(`before ${state} ${turn}`);
        },
        afterTool: ({ name, turn, state }) => {
          if (name === "probe") told.push(`after ${state} ${turn}`);
        },
      },
      grader: [calls(["probe", {}]), calls(["probe", {}]), passes],
    });

    await send();

    expect(told).toEqual(["before grade 2", "after grade 2", "before grade 3", "after grade 3"]);
  });

  it("A-38 sees the result, and what it returns stands in its place", async () => {
    const asked: unknown[] = [];

    const { answers, bench } = await ask(calls(["probe", { a: 1 }, "c1"], ["probe", { fail: 1 }, "c2"]), {
      hooks: {
        afterTool: async (call) => {
          asked.push(call);
          return call.id === "c1" ? { result: { was: call.result } } : {};
        },
      } satisfies Hooks,
    });

    expect(asked).toEqual([
      { name: "probe", args: { a: 1 }, result: "seen", id: "c1", turn: 1, state: "work" },
      { name: "probe", args: { fail: 1 }, result: "it is down", id: "c2", turn: 1, state: "work" },
    ]);
    expect(answers.map(({ text, status }) => [text, status])).toEqual([
      ['{"was":"seen"}', "success"],
      ["it is down", "error"],
    ]);
    expect(ofType(bench.events, "tool-result").map(({ output }) => output)).toEqual(['{"was":"seen"}', "it is down"]);
  });

  it("A-43 one that throws turns the result into an error, inside a script too", async () => {
    const hooks: Hooks = {
      afterTool: ({ name }) => {
        if (name === "probe") throw new Error("cannot keep that");
      },
    };

    const byModelItself = await ask(calls(["probe", {}]), { hooks });
    const byScript = await ask(evaluating("await tools.probe({}).catch((error) => error.message)"), { hooks });

    expect(byModelItself.answers[0]).toMatchObject({ text: "cannot keep that", status: "error" });
    expect(byModelItself.ran).toHaveLength(1);
    expect(byScript.answers[0]).toMatchObject({ text: expect.stringContaining("cannot keep that"), status: "success" });
  });
});

describe("tool middleware", () => {
  const stamping = (name: string, log: string[] = []): AgentMiddleware => ({
    name,
    async wrapToolCall(request, next) {
      log.push(`${name} in`);
      const message = await next(request);
      log.push(`${name} out`);
      message.content = `${name}(${message.content})`;
      return message;
    },
  });

  it("H-21 wraps a call outermost first, inside the events, with afterTool around it all", async () => {
    const log: string[] = [];
    const { answers, bench } = await ask(calls(["probe", {}, "c1"]), {
      middleware: [stamping("outer", log), { name: "none" }, stamping("inner", log)],
      hooks: { afterTool: ({ result }) => ({ result: `${result}!` }) } satisfies Hooks,
    });

    expect(log).toEqual(["outer in", "inner in", "inner out", "outer out"]);
    expect(answers[0]).toMatchObject({ text: "outer(inner(seen))!", status: "success" });
    expect(ofType(bench.events, "tool-result")).toMatchObject([{ output: "outer(inner(seen))!", callId: "c1" }]);
  });

  it("H-21 gets the call as governance has permitted it, and a real ToolMessage back", async () => {
    const seen: unknown[] = [];
    await ask(calls(["probe", { a: 1 }, "c1"], ["probe", { a: 9 }, "c2"]), {
      middleware: [
        {
          name: "watch",
          wrapToolCall: async (request, next) => {
            const { signal, ...rest } = request;
            const message = await next(request);
            seen.push(rest, signal.aborted, ToolMessage.isInstance(message) && message.tool_call_id);
            return message;
          },
        },
      ] satisfies AgentMiddleware[],
    });

    const request = { name: "probe", args: { a: 1 }, id: "c1", state: "work", workflow: "case", sessionId: "s1" };
    expect(seen).toEqual([request, false, "c1"]);
  });

  it("H-21 may answer by itself, try again, or fail: the call's result is what it makes of it", async () => {
    let tries = 0;
    const { answers, ran } = await ask(calls(["probe", { a: 1 }], ["probe", { a: 2 }], ["probe", { a: 3, fail: 1 }]), {
      middleware: [
        {
          name: "own way",
          async wrapToolCall(request, next) {
            if (request.args.a === 1) return new ToolMessage({ content: "mine", tool_call_id: request.id });
            if (request.args.a === 2) throw new Error("not this one");
            tries += 1;
            const message = await next(request);
            return message.status === "error" && tries < 3 ? this.wrapToolCall!(request, next) : message;
          },
        },
      ] satisfies AgentMiddleware[],
    });

    expect(answers.map(({ text, status }) => [text, status])).toEqual([
      ["mine", "success"],
      ["not this one", "error"],
      ["it is down", "error"],
    ]);
    expect(ran).toEqual(Array(3).fill({ a: 3, fail: 1 }));
  });

  it("H-21 cannot run what governance refuses: changed arguments are judged, another tool is none", async () => {
    const { answers, ran } = await ask(calls(["probe", { a: 1 }], ["probe", { a: 2 }], ["probe", { a: 3 }]), {
      guardrails: [({ args }: { args: { a?: unknown } }) => (args.a === 7 ? "not seven" : undefined)],
      middleware: [
        {
          name: "changing",
          wrapToolCall(request, next) {
            if (request.args.a === 1) return next({ ...request, args: { a: 9 } });
            if (request.args.a === 2) return next({ ...request, args: { a: 7 } });
            return next({ ...request, name: "write_file" });
          },
        },
      ] satisfies AgentMiddleware[],
    });

    expect(ran).toEqual([]);
    expect(answers.map(({ refusal }) => refusal)).toEqual([
      "blocked:tool.forbidden-here",
      "blocked:guardrail",
      "tool-threw",
    ]);
  });

  it("H-21 A-12 stands around a mock, a script and a delegation as around a tool", async () => {
    const bench = await open({
      spec: caller("child").replace("archmax_workflow_child", "archmax_workflow_child, archmax_eval, probe"),
      files: workflow("child", worker("child", "{ returns: [total] }")),
      tools: probe(),
      middleware: [stamping("m")],
      answer: byModel({
        "test-model": [
          calls(["archmax_workflow_child"], ["archmax_eval", { code: "(await tools.probe({})) + 1" }], ["probe"]),
          says("done"),
        ],
        child: [calls(setting({ total: 3 })), says("Three.")],
      }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    await bench.agent.work("s1", { mocks: ({ tool }) => (tool === "probe" ? { text: "mocked" } : null) });

    const { state } = (await loadState(bench.stores.sessions, "s1"))!;
    const [child, script, mocked] = results(state);
    expect(child?.text).toMatch(/^m\(\{"message":"Three\.".*\)$/);
    expect(script?.text).toContain("m(m(mocked)1");
    expect(mocked?.text).toBe("m(mocked)");
    expect(state.trail.map(({ kind }) => kind)).toContain("sub-workflow");
    expect(ofType(bench.events, "sub-workflow-result")).toMatchObject([{ status: "ok", returns: ["total"] }]);
  });

  it("H-21 a delegation that middleware answers by itself calls no child", async () => {
    const bench = await open({
      spec: caller("child"),
      files: workflow("child", worker("child")),
      middleware: [
        { name: "own", wrapToolCall: async ({ id }) => new ToolMessage({ content: "none", tool_call_id: id }) },
      ],
      answer: byModel({ "test-model": [calls(["archmax_workflow_child"]), says("done")] }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ text: "none", status: "success" }]);
    expect(types(bench.events, "tool-called", "sub-workflow-start", "tool-result")).toEqual([
      "tool-called",
      "tool-result",
    ]);
    expect(outcome.kind).toBe("completed");
  });

  it("H-21 no run of a tool goes on beside the answer of middleware that does not wait for it", async () => {
    const log: string[] = [];
    const bench = await open({
      spec,
      tools: toolsFromMap({
        probe: {
          description: "Looks.",
          inputSchema: { type: "object" },
          handler: async () => {
            for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
            log.push("tool");
          },
        },
      }),
      middleware: [
        {
          name: "hasty",
          wrapToolCall: async (request, next) => {
            void next(request);
            return new ToolMessage({ content: "quick", tool_call_id: request.id });
          },
        },
      ],
      onEvent: (event) => {
        if (event.type === "tool-result") log.push("result");
      },
      replies: [calls(["probe"]), says("done")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ text: "quick" }]);
    expect(log).toEqual(["tool", "result"]);
  });

  it("H-21 S-55 a call that an invocation is cut off in has no answer yet, whatever middleware makes of that", async () => {
    let swallowed = 0;
    const bench = await open({
      spec: caller("child"),
      files: workflow("child", worker("child", "{ returns: [total] }")),
      middleware: [
        {
          name: "swallowing",
          wrapToolCall: async (request, next) => {
            const message = await next(request).catch(() => {
              swallowed += 1;
              return new ToolMessage({ content: "nothing", tool_call_id: request.id });
            });
            message.content = `m(${message.content})`;
            return message;
          },
        },
      ],
      answer: byModel({
        "test-model": [calls(["archmax_workflow_child"]), says("done")],
        child: [calls(setting({ total: 1 })), calls(setting({ total: 3 })), says("Three.")],
      }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    const isDone = async () => (await loadState(bench.stores.sessions, "s1"))?.state.fields.status === "completed";
    for (let invocations = 0; invocations < 20 && !(await isDone()); invocations += 1) {
      await bench.agent.work("s1", { drainAt: 0 });
    }

    const { state } = (await loadState(bench.stores.sessions, "s1"))!;
    expect(swallowed).toBeGreaterThan(0);
    expect(state.fields.status).toBe("completed");
    expect(results(state)).toMatchObject([{ text: 'm({"message":"Three.","returns":{"total":3}})' }]);
  });

  it("A-12 never sees a control of the runtime's own", async () => {
    const log: string[] = [];
    await ask(advance("end"), { middleware: [stamping("m", log)] });

    expect(log).toEqual([]);
  });
});

describe("a script that was interrupted", () => {
  it("A-12 S-47 has its begun calls decided once: a host that would say otherwise is not asked again", async () => {
    let isDown = false;
    let processes = 0;
    const ran: unknown[] = [];
    const after: string[] = [];
    const sessions = createMemorySessionStore();
    const stores = {
      sessions: wrapStore(sessions, (_op, run) => (isDown ? Promise.reject(new Error("Nothing answers.")) : run())),
      files: createMemoryFileStore(),
    };
    const tool = (name: string, more: object, then = () => {}) => ({
      description: name,
      inputSchema: { type: "object" },
      ...more,
      handler: (args: unknown) => {
        ran.push([name, args]);
        then();
        return name;
      },
    });
    const fall = () => {
      isDown = processes === 1;
    };
    const code = `
const first = await tools.pay({ n: 1 }).catch((error) => error.message);
const both = await Promise.all([tools.pay({ n: 1 }), tools.ask({ n: 2 })]);
await tools.write_todos({ todos: [] });
await tools.fall({});
[first, ...both].join()`;
    let denials = 0;
    const bench = await open({
      spec: "states: { work: { triggers: { manual: }, instructions: Work., tools: { allow: [pay, ask, fall, write_todos, archmax_eval] } } }",
      stores,
      replies: [evaluating(code), says("Done.")],
      tools: toolsFromMap({ pay: tool("pay", {}), ask: tool("ask", {}), fall: tool("fall", { readOnly: true }, fall) }),
    });
    const again = () =>
      bench.again({
        guardrails: [
          async ({ name }) => {
            if (name !== "pay" || denials > 0) return undefined;
            denials += 1;
            return "once";
          },
        ],
        hooks: {
          beforeTool: ({ name, args }) => {
            if (name === "pay") return { args: { ...args, by: processes } };
            if (name === "ask" || name === "write_todos") return { result: `answer of ${processes}` };
          },
          afterTool: ({ name, result }) => {
            after.push(name);
            return { result: `${result} in ${processes}` };
          },
        },
      });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
    for (; processes < 3; bench.clock.advance(10 * 60_000)) {
      processes += 1;
      denials = 0;
      await (await again()).work("s1").catch(() => undefined);
      isDown = false;
    }

    const { state } = (await loadState(sessions, "s1"))!;
    expect(state.fields.status).toBe("completed");
    expect(results(state)).toMatchObject([{ text: "denied: once,pay in 1,answer of 1 in 2" }]);
    expect(ran).toEqual([
      ["pay", { n: 1, by: 1 }],
      ["fall", {}],
      ["fall", {}],
    ]);
    expect(state.fields).not.toHaveProperty("todos");
    expect(after.filter((name) => name === "pay")).toHaveLength(1);
  });
});
