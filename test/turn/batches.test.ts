import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import { advance, benches, calls, ofType, results, says, setting } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [here, meet] }
    budget: { maxTurns: 2 }
    on_error: ask
    transitions: [{ to: done }]
  done: { instructions: Close., tools: { allow: [there] } }
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: On }] }
`;

function tool(
  name: string,
  handler: (args: Record<string, unknown>, context: { idempotencyKey: string }) => unknown,
  more = {},
) {
  return toolsFromMap({ [name]: { description: name, inputSchema: { type: "object" }, handler, ...more } });
}

describe("one message's calls", () => {
  it("R-55 run concurrently, and are answered in message order", async () => {
    let arrived: (() => void)[] = [];
    const meet = tool(
      "meet",
      ({ name }) =>
        new Promise<string>((done) => {
          arrived.push(() => done(String(name)));
          if (arrived.length === 2) for (const go of arrived.reverse()) go();
        }),
    );
    const bench = await open({
      spec: SPEC,
      tools: [...meet, ...tool("here", () => ""), ...tool("there", () => "")],
      replies: [calls(["meet", { name: "first" }], ["meet", { name: "second" }]), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    arrived = [];

    expect(results(outcome).map(({ text }) => text)).toEqual(["first", "second"]);
  });

  it("R-56 are all governed in the state the message was made in, also after a move; writes are visible at once", async () => {
    const bench = await open({
      spec: SPEC.replace("transitions: [{ to: done }]", "requires: [must]\n    transitions: [{ to: done }]"),
      tools: [...tool("here", () => "ran"), ...tool("there", () => "ran"), ...tool("meet", () => "")],
      replies: [
        calls(setting({ must: 1 }), ["archmax_advance", { to: "done", reason: "r" }], ["here"], ["there"]),
        calls(["here"], ["there"]),
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      undefined,
      "blocked:tool.not-allowed",
      "blocked:tool.not-allowed",
      undefined,
    ]);
    expect(ofType(bench.events, "tool-called").filter(({ tool }) => tool === "here")).toMatchObject([
      { state: "work" },
    ]);
  });

  it("F-38 R-119 a wait beside a tool that throws parks all the same", async () => {
    const bench = await open({
      spec: SPEC,
      tools: [
        ...tool("here", () => {
          throw new Error("down");
        }),
        ...tool("there", () => ""),
        ...tool("meet", () => ""),
      ],
      replies: [{ ...calls(["here"], ["archmax_wait", { reason: "mail" }]), text: "w" }],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({ status: "awaiting_input", pending: { reason: "mail" } });
    expect(results(outcome).map(({ status }) => status)).toEqual(["error", "success"]);
  });
});

describe("over a crash", () => {
  it("F-50 F-16 a finished call's result is used, the other one runs again with the same key", async () => {
    const ran: string[] = [];
    let dying = false;
    const tools = [
      ...tool("here", () => String(ran.push("here"))),
      ...tool("there", () => ""),
      ...tool(
        "meet",
        async (_, { idempotencyKey }) => {
          for (let n = 0; n < 50 && !ran.includes("here"); n += 1) await new Promise((turn) => setImmediate(turn));
          await new Promise((turn) => setImmediate(turn));
          dying = ran.filter((name) => name !== "here").length === 0;
          return String(ran.push(idempotencyKey));
        },
        { idempotent: true },
      ),
    ];
    const bench = await open({ spec: SPEC, tools, replies: [calls(["here"], ["meet"]), says("end")] });
    const { sessions } = bench.stores;
    const commit = sessions.commit.bind(sessions);
    sessions.commit = async (...args) => {
      if (dying) throw new Error("the process is gone");
      return commit(...args);
    };
    await bench.agent.accept("s1", { kind: "turn", message: "go" });
    await bench.agent.work("s1").catch(() => undefined);
    dying = false;
    bench.clock.advance(120_000);
    const report = await (await bench.again()).work("s1");

    expect(report.settled[0]?.outcome).toMatchObject({ kind: "completed", reply: "end" });
    expect(ran.filter((name) => name === "here")).toHaveLength(1);
    expect(ran.slice(1)).toHaveLength(2);
    expect(ran[1]).toBe(ran[2]);
    expect(bench.requests).toHaveLength(2);
  });

  it("F-20 R-168 a route is committed once although every step is another process's", async () => {
    const bench = await open({
      spec: SPEC,
      tools: [...tool("here", () => "ran"), ...tool("there", () => ""), ...tool("meet", () => "")],
      replies: [calls(["here"]), calls(["here"]), says("Please decide."), advance("done"), says("end")],
    });
    await bench.agent.accept("s1", { kind: "turn", message: "go" });
    let left: string = "handed-over";
    let processes = 0;
    while (left === "handed-over" && processes < 20) {
      processes += 1;
      ({ left } = await (await bench.again()).work("s1", { drainAt: bench.clock.now() }));
    }
    const outcome = await bench.agent.workflow.decide("s1", { target: "work" });

    expect(processes).toBeGreaterThan(3);
    expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "on_error", "human", "agent"]);
    expect(ofType(bench.events, "state-error-routed")).toHaveLength(1);
    expect(bench.requests).toHaveLength(5);
  });
});

describe("loading", () => {
  it.each([
    ["instructions: 7", /instructions[\s\S]*Quote it/],
    ["instructions: true", /instructions[\s\S]*Quote it/],
    ["title: null", /title/],
    ["budget: { maxTurns: 9007199254740993 }", /maxTurns[\s\S]*2\^53/],
  ])("F-94 refuses %s by name when the agent is assembled", async (key, names) => {
    const assembled = open({ spec: `states:\n  a:\n    triggers: { manual: }\n    ${key}\n` });

    await expect(assembled).rejects.toMatchObject({ code: "workflow-load", message: expect.stringMatching(names) });
  });
});
