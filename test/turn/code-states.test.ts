import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { advance, benches, calls, notes, ofType, says, setting, types } from "./support.js";

const open = benches();

const SPEC = `
states:
  check:
    type: code
    script: scripts/check.js
    triggers: { manual: }
    requires: [ready]
    tools: { allow: [probe, archmax_get_history, read_file, ls, write_todos] }
    transitions: [{ to: work }, { to: ask }, { to: work2, description: other }]
  work: { instructions: Work., locks: [owned], tools: { allow: [other] }, transitions: [{ to: check, description: again }] }
  work2: { instructions: Work as well. }
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: On }] }
`;

const tools = (ran: unknown[] = []) =>
  toolsFromMap({
    probe: {
      description: "p",
      inputSchema: { type: "object" },
      handler: (args, { sessionId, idempotencyKey }) => {
        ran.push(args);
        if (args.fail) throw new Error("probe is down");
        if (args.hang) return new Promise(() => {});
        return { sessionId, idempotencyKey };
      },
    },
    other: { description: "o", inputSchema: { type: "object" }, handler: () => "other ran" },
  });

/** The default export of a script, as the body of an async function of its input. */
const script = (body: string) => `export default async function ({ state, trigger, variables, tools }) {\n${body}\n}`;
const move = `await tools.archmax_advance({ to: "work", reason: "all fine" });`;

async function run(body: string, options: Omit<BenchOptions, "spec"> & { spec?: string; source?: string } = {}) {
  const { source, ...rest } = options;
  const ran: unknown[] = [];
  const bench = await open({
    spec: SPEC,
    tools: tools(ran),
    answer: () => says("end"),
    ...rest,
    files: { "workflows/case/scripts/check.js": source ?? script(body), ...rest.files },
  });
  const send = () => bench.agent.workflow.send("s1", { message: "go", variables: { ready: true } });
  return { bench, ran, send, outcome: await send() };
}

/** What a script printed. */
const lines = (bench: Awaited<ReturnType<typeof open>>) => ofType(bench.events, "code-output").map(({ line }) => line);

describe("a code state", () => {
  it("R-131 W-74 R-45 runs once for each entry, before any model call, whatever moved the session there", async () => {
    const { bench, outcome } = await run(`console.log("ran"); ${move}`, {
      replies: [
        calls(["archmax_advance", { to: "check", reason: "again" }]),
        calls(["archmax_reset", { reason: "again" }]),
        says("end"),
      ],
      answer: undefined,
    });

    expect(lines(bench)).toEqual(["ran", "ran", "ran"]);
    expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "code", "agent", "code", "reset", "code"]);
    expect(bench.requests).toHaveLength(3);
    expect(bench.events.findIndex(({ type }) => type === "code-start")).toBeLessThan(
      bench.events.findIndex(({ type }) => type === "model-usage" || type === "agent-text"),
    );
  });

  it("R-131 R-132 W-74 states that follow one another cost no model call, and an endless chain ends at the step limit", async () => {
    const spec = `
states:
  a: { type: code, script: scripts/a.js, triggers: { manual: }, transitions: [{ to: b, description: on }] }
  b: { type: code, script: scripts/b.js, transitions: [{ to: a, description: back }] }
`;
    const bench = await open({
      spec,
      files: {
        "workflows/case/scripts/a.js": script(`await tools.archmax_advance({ to: "b", reason: "r" });`),
        "workflows/case/scripts/b.js": script(`await tools.archmax_advance({ to: "a", reason: "r" });`),
      },
    });

    await expect(bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 7 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
    expect(types(bench.events, "code-start")).toHaveLength(7);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "recursion-limit" } });
  });

  it("R-133 R-134 R-135 R-148 W-77 W-78 W-203 W-208 offers its own grants and five controls, and nothing else", async () => {
    const { bench } = await run(
      `console.log(Object.keys(tools).filter((name) => !/[A-Z]/.test(name)).sort().join(" ")); ${move}`,
    );

    const names = (lines(bench)[0] ?? "").split(" ");
    expect(names).toEqual(
      expect.arrayContaining([
        "archmax_advance",
        "archmax_get_history",
        "archmax_get_variables",
        "archmax_raise",
        "archmax_set_variables",
        "probe",
        "read_file",
        "ls",
      ]),
    );
    for (const kept of ["archmax_wait", "archmax_reset", "archmax_eval", "archmax_run", "write_todos", "other"])
      expect(names).not.toContain(kept);
  });

  it("R-133 a terminal one has no advance", async () => {
    const { bench, outcome } = await run(`console.log(String(tools.archmax_advance));`, {
      spec: `states: { end: { type: code, script: scripts/check.js, triggers: { manual: } } }`,
    });

    expect(lines(bench)).toEqual(["undefined"]);
    expect(outcome).toMatchObject({ kind: "completed", state: "end", reply: "" });
    expect(outcome.auditTrail).toHaveLength(1);
  });

  it("R-76 R-134 R-135 W-79 a tool it does not have is `undefined`, so it cannot park or borrow another state's tools", async () => {
    const { outcome } = await run(`await tools.archmax_wait({ reason: "r" });`);

    expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringMatching(/TypeError/) });
  });

  it("R-135 R-149 R-225 R-227 a call the kernel blocks rejects with reason, rule and tool, and has not run", async () => {
    const { bench, ran } = await run(
      `try { await tools.probe({ text: "secret" }); } catch (error) { console.log(error.ruleId, error.tool, error.message); }
       await tools.probe({ text: "fine" }); ${move}`,
      { spec: SPEC.replace("write_todos] }", 'write_todos], forbid: [{ tool: probe, args: { text: "secret*" } }] }') },
    );

    expect(lines(bench)[0]).toMatch(/^tool\.forbidden-here probe .*probe/);
    expect(ran).toEqual([{ text: "fine" }]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { state: "check", tool: "probe", rule: "tool.forbidden-here", origin: "script", callId: expect.any(String) },
    ]);
  });

  it("R-149 a tool that throws rejects the same way, and the script may go on", async () => {
    const { bench, outcome } = await run(
      `try { await tools.probe({ fail: true }); } catch (error) { console.log(error.message); } ${move}`,
    );

    expect(lines(bench)).toEqual(["probe is down"]);
    expect(outcome.status).toBe("completed");
    expect(ofType(bench.events, "tool-result")).toContainEqual(
      expect.objectContaining({ tool: "probe", status: "error", origin: "script", level: "warn" }),
    );
  });

  it("R-147 W-76 gets state, trigger and a read-only map of values, and its return is never read", async () => {
    const { bench, outcome } = await run(
      `console.log(state, trigger, JSON.stringify(variables));
       try { variables.order.id = 2; } catch {} console.log(variables.order.id);
       ${move} return { to: "work2" };`,
      { variables: { order: { id: 1 } } },
    );

    expect(lines(bench)[0]).toBe('check manual {"order":{"id":1},"ready":true,"trigger":"manual"}');
    expect(lines(bench)[1]).toBe("1");
    expect(outcome.state).toBe("work");
  });

  it("R-148 finds tools in camelCase too, passes {} for no argument, and gets text", async () => {
    const { bench, ran } = await run(
      `console.log(typeof (await tools.probe()), await tools.archmaxGetVariables({ name: "ready" })); ${move}`,
    );

    expect(lines(bench)).toEqual(['string {"value":true,"locked":true}']);
    expect(ran).toEqual([{}]);
  });

  it("R-150 R-86 a later call sees an earlier write; the object given at the start does not change", async () => {
    const { bench, outcome } = await run(
      `await tools.archmax_set_variables({ variables: { ready: 1, sum: 3 } }).catch((e) => console.log("locked"));
       await tools.archmax_set_variables({ variables: { sum: 3 } });
       console.log(await tools.archmax_get_variables({ name: "sum" }), String(variables.sum));
       await tools.archmax_set_variables({ variables: { owned: 1 } }).catch((e) => console.log(e.message));
       ${move}`,
    );

    expect(lines(bench).slice(0, 2)).toEqual(["locked", '{"value":3,"locked":false} undefined']);
    expect(lines(bench)[2]).toMatch(/owned[\s\S]*work/);
    expect(outcome.variables.sum).toEqual({ value: 3, locked: false });
  });

  it("R-150 a guard and the state's requires see an earlier write too", async () => {
    const { ran, outcome } = await run(
      `await tools.archmax_advance({ to: "work", reason: "r" }).then(() => console.log("too early"), () => {});
       await tools.archmax_set_variables({ variables: { sum: "three" } });
       await tools.probe({ n: "three" });
       ${move}`,
      {
        spec: SPEC.replace("requires: [ready]", "requires: [sum]").replace(
          "[probe,",
          '[{ tool: probe, args: { n: "${{sum}}" } },',
        ),
      },
    );

    expect(ran).toEqual([{ n: "three" }]);
    expect(outcome.auditTrail[1]).toMatchObject({ to: "work", kind: "code", reason: "all fine" });
  });

  it("R-136 R-149 W-146 judges an advance when it is called; a refused one decides nothing, a later one does", async () => {
    const { bench, outcome } = await run(
      `for (const to of ["nowhere", "work"]) await tools.archmax_advance({ to, reason: "r" }).catch((e) => console.log(e.message));
       await tools.archmax_set_variables({ variables: { ready: 1 } });
       ${move}`,
      { spec: SPEC },
    );
    expect(outcome.status).toBe("rejected");
    const unset = await open({
      spec: SPEC,
      tools: tools(),
      files: {
        "workflows/case/scripts/check.js": script(
          `for (const to of ["work", "nowhere"]) await tools.archmax_advance({ to, reason: "r" }).catch((e) => console.log(e.message));
           await tools.archmax_set_variables({ variables: { ready: null } });
           await tools.archmax_advance({ to: "nowhere", reason: "r" }).catch((e) => console.log(e.message));
           ${move}`,
        ),
      },
      replies: [says("end")],
    });
    const after = await unset.agent.workflow.send("s1", { message: "go" });

    expect(lines(unset)).toEqual([
      expect.stringMatching(/ready/),
      expect.stringMatching(/ready/),
      expect.stringMatching(/work, ask, work2/),
    ]);
    expect(after).toMatchObject({ kind: "completed", state: "work" });
    expect(lines(bench)[0]).toMatch(/nowhere/);
  });

  it("R-136 the first accepted decision stands, any later one is refused", async () => {
    const { bench, outcome } = await run(
      `${move}
       await tools.archmax_advance({ to: "work2", reason: "r" }).catch((e) => console.log(e.message));
       await tools.archmax_raise({ code: "x", reason: "r" }).catch((e) => console.log(e.message));`,
    );

    expect(lines(bench)).toEqual([expect.stringMatching(/work/), expect.stringMatching(/work/)]);
    expect(outcome.state).toBe("work");
  });

  it("R-136 R-66 attaches evidence as an agent does", async () => {
    const { outcome } = await run(
      `await tools.archmax_advance({ to: "ask", reason: "r", evidence: ["/scratchpad/a.md"] });`,
    );

    expect(outcome).toMatchObject({ status: "awaiting_decision", pending: { evidence: ["scratchpad/a.md"] } });
  });

  it("R-138 R-140 R-154 W-80 W-81 its advance leaves one note and one trail step, told in order", async () => {
    const { bench, outcome } = await run(`console.log("looking"); await tools.probe({}); ${move}`);

    expect(outcome.auditTrail[1]).toMatchObject({ to: "work", kind: "code", reason: "all fine" });
    expect(notes(outcome)).toEqual([expect.stringMatching(/^\[code\][\s\S]*all fine[\s\S]*work/)]);
    expect(outcome.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const told = bench.events.slice(bench.events.findIndex(({ type }) => type === "code-start"));
    expect(
      told
        .map(({ type }) => type)
        .filter((type) => !/^(tool|model|agent)-/.test(type))
        .slice(0, 6),
    ).toEqual(["code-start", "code-output", "code-result", "advance", "state-leave", "state-enter"]);
    expect(ofType(bench.events, "code-start")).toMatchObject([{ state: "check", script: "scripts/check.js" }]);
    expect(ofType(bench.events, "code-result")).toMatchObject([
      { state: "check", status: "ok", durationMs: expect.any(Number), level: "info" },
    ]);
    const call = ofType(bench.events, "tool-called").find(({ tool }) => tool === "archmax_advance");
    expect(ofType(bench.events, "advance").at(-1)).toMatchObject({
      from: "check",
      to: "work",
      reason: "all fine",
      callId: call?.callId,
    });
  });

  it.each([
    ["it threw after an accepted advance", `${move} throw new Error("too late");`, "error", "too late"],
    [
      "it threw after an accepted raise",
      `await tools.archmax_raise({ code: "c", reason: "r" }); throw 1;`,
      "error",
      "1",
    ],
    ["it raised", `await tools.archmax_raise({ code: "c", reason: "r" });`, "ok", undefined],
    ["it decided nothing where it had to", "", "error", "without archmax_advance"],
  ])("R-154 code-result says how the run ended: %s", async (_how, body, status, reason) => {
    const { bench } = await run(body);

    const [told, ...more] = ofType(bench.events, "code-result");
    expect(more).toEqual([]);
    expect(told).toMatchObject({ status });
    if (reason === undefined) expect(told).not.toHaveProperty("reason");
    else expect(told?.reason).toContain(reason);
  });

  it("R-138 W-80 the next model call sees the note", async () => {
    const { bench } = await run(move);

    expect(JSON.stringify(bench.requests[0]?.body.messages)).toContain("all fine");
  });

  it.each([
    ["threw", `throw new Error("down at once");`, /check[\s\S]*down at once/],
    ["did not decide", `console.log("nothing");`, /check[\s\S]*archmax_advance/],
    ["threw after its advance", `${move} throw new Error("late");`, /late/],
  ])("R-137 R-163 W-75 W-178 a run that %s has failed, its advance discarded", async (_, body, reason) => {
    const { bench, outcome } = await run(body);

    expect(outcome).toMatchObject({ kind: "rejected", state: "check", rejected: expect.stringMatching(reason) });
    expect(ofType(bench.events, "code-result")).toMatchObject([
      { status: "error", level: "warn", reason: expect.any(String) },
    ]);
    expect(types(bench.events, "advance")).toHaveLength(1);
  });

  it.each([
    ["throws", "", `throw new Error("down");`, /down/],
    ["does not decide", "", `console.log("nothing");`, /archmax_advance/],
    ["runs out of time", "timeoutMs: 80", `for (;;) {}`, /80 ms/],
    ["exceeds a limit", "maxPtcCalls: 1", `await tools.probe({}); await tools.probe({});`, /1/],
  ])("W-175 W-177 a run that %s takes the state's on_error route", async (_, setting, body, reason) => {
    const { outcome } = await run(body, {
      spec: `settings: { ${setting} }${SPEC.replace("requires: [ready]", "on_error: work2")}`,
    });

    expect(outcome).toMatchObject({ kind: "completed", state: "work2" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "work2", kind: "on_error" });
    expect(notes(outcome).at(-1)).toMatch(reason);
  });

  it("R-74 W-176 a raise takes no on_error route", async () => {
    const { bench, outcome } = await run(`await tools.archmax_raise({ code: "no-go", reason: "Why." });`, {
      spec: SPEC.replace("requires: [ready]", "on_error: work2"),
    });

    expect(outcome).toMatchObject({ kind: "failed", state: "check", exit: { code: "no-go", reason: "Why." } });
    expect(types(bench.events, "state-error-routed")).toEqual([]);
  });

  it("R-137 R-74 W-178 a raise outranks an error", async () => {
    const { bench, outcome } = await run(
      `await tools.archmax_raise({ code: "no-go", reason: "Why." }); throw new Error("x");`,
    );

    expect(outcome).toMatchObject({ kind: "failed", state: "check", exit: { code: "no-go", reason: "Why." } });
    expect(types(bench.events, "raised", "state-leave", "code-result")).toEqual([
      "code-result",
      "raised",
      "state-leave",
    ]);
    expect(outcome.auditTrail).toHaveLength(1);
  });

  it("F-38 R-137 a raise, and an abort, pass through the script's own error handling", async () => {
    const { outcome } = await run(
      `try { await tools.archmax_raise({ code: "stop", reason: "r" }); } catch {}
       try { ${move} } catch {}`,
    );

    expect(outcome).toMatchObject({ kind: "failed", exit: { code: "stop" } });
  });

  it("R-137 W-75 R-52 a terminal one that finishes cleanly completes, held to the returns", async () => {
    const spec = (returns: string) =>
      `states: { end: { type: code, script: scripts/check.js, triggers: { manual: { returns: [${returns}] } } } }`;
    const set = `await tools.archmax_set_variables({ variables: { a: 1 } });`;

    expect((await run(set, { spec: spec("a") })).outcome).toMatchObject({ kind: "completed", exit: { success: true } });
    const raised = await run(`await tools.archmax_raise({ code: "c", reason: "r" });`, { spec: spec("a") });
    expect(raised.outcome).toMatchObject({ kind: "failed", exit: { code: "c" } });
    expect((await run(set, { spec: spec("a, b") })).outcome).toMatchObject({
      kind: "rejected",
      rejected: expect.stringMatching(/end[\s\S]*b[\s\S]*manual/),
    });
  });

  it("R-139 what a failed run did before stays", async () => {
    const { bench, outcome, ran } = await run(
      `await tools.archmax_set_variables({ variables: { kept: 1 } });
       await tools.write_file({ file_path: "scratchpad/kept.txt", content: "kept" });
       await tools.probe({ n: 1 }); throw new Error("x");`,
      { spec: SPEC.replace("[probe,", "[probe, write_file,") },
    );

    expect(outcome.variables.kept?.value).toBe(1);
    expect(await bench.stores.files.read("s1", "scratchpad/kept.txt")).not.toBeNull();
    expect(ran).toHaveLength(1);
  });

  it("R-141 R-263 F-17 an abort ends the turn as cancelled; nothing routes", async () => {
    const stop = new AbortController();
    const bench = await open({
      spec: SPEC.replace("requires: [ready]", "on_error: ask"),
      tools: toolsFromMap({
        probe: {
          description: "p",
          inputSchema: { type: "object" },
          handler: async (_, { signal }) => {
            stop.abort();
            signal.throwIfAborted();
          },
        },
        other: { description: "o", inputSchema: { type: "object" }, handler: () => "" },
      }),
      files: { "workflows/case/scripts/check.js": script(`await tools.probe({}); ${move}`) },
    });

    await expect(bench.agent.workflow.send("s1", { message: "go" }, { signal: stop.signal })).rejects.toThrow();
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      workflowState: "check",
      exit: { code: "turn-cancelled" },
    });
  });

  it("R-142 R-46 a run is one step", async () => {
    const bench = await open({
      spec: SPEC.replace("    requires: [ready]\n", ""),
      tools: tools(),
      files: {
        "workflows/case/scripts/check.js": script(`for (let i = 0; i < 9; i++) await tools.probe({ i }); ${move}`),
      },
      replies: [says("end")],
    });

    expect(await bench.agent.workflow.send("s1", { message: "go" }, { recursionLimit: 2 })).toMatchObject({
      kind: "completed",
    });
  });

  it.each([
    ["syntax", "export default async function ( {", /check\.js/],
    ["no default export", "export const x = 1;", /default export/],
    ["no function", "export default 7;", /default export/],
    ["an import", `import fs from "node:fs";\n${script(move)}`, /node:fs/],
    ["a dynamic import", script(`await import("left-pad"); ${move}`), /left-pad/],
  ])("R-146 R-147 R-151 a script with %s fails the state", async (_, source, reason) => {
    const { outcome } = await run("", { source });

    expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringMatching(reason) });
  });

  it("R-151 R-310 imports of the harness are removed, and what they bind still works", async () => {
    const source = `import { defineCodeState } from "@archmax-ai/harness/sandbox";
import { Whatever } from "@archmax-ai/harness/types";
export default defineCodeState(async ({ tools }) => { ${move} });`;
    const { outcome } = await run("", { source });

    expect(outcome.state).toBe("work");
  });

  it("R-146 R-261 the script is read anew at each run, and a missing file fails the state", async () => {
    const bench = await open({ spec: SPEC, tools: tools(), answer: () => says("end") });
    const first = await bench.agent.workflow.send("s1", { message: "go", variables: { ready: 1 } });
    expect(first).toMatchObject({ kind: "rejected", rejected: expect.stringMatching(/scripts\/check\.js/) });

    const { writeTree } = await import("../harness/temporary.js");
    writeTree(bench.rootDir, { "workflows/case/scripts/check.js": script(move) });

    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({
      kind: "completed",
      state: "work",
    });
  });

  it("R-152 nothing global survives to the next run", async () => {
    const { bench } = await run(`console.log(String(globalThis.kept)); globalThis.kept = 1; ${move}`, {
      replies: [calls(["archmax_reset", { reason: "again" }]), says("end")],
      answer: undefined,
    });

    expect(lines(bench)).toEqual(["undefined", "undefined"]);
  });

  it.each([
    ["timeoutMs: 80", `await tools.probe({ hang: true });`, /80 ms/],
    ["timeoutMs: 80", `for (;;) {}`, /80 ms/],
    ["memoryLimitBytes: 8000000", `const all = []; for (;;) all.push("x".repeat(100000) + all.length);`, /8000000/],
    ["maxPtcCalls: 2", `for (let i = 0; i < 3; i++) await tools.probe({});`, /2/],
  ])("R-153 R-260 F-90 F-92 W-40 settings.%s bounds the run as a whole", async (setting, body, reason) => {
    const { outcome } = await run(body, { spec: `settings: { ${setting} }\n${SPEC}` });

    expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringMatching(reason) });
  });

  it("R-165 has no budget of its own", async () => {
    const { outcome } = await run(`await tools.probe({}); ${move}`, {
      spec: SPEC.replace("requires: [ready]", "requires: [ready]\n    budget: { timeoutMs: 1 }"),
    });

    expect(outcome).toMatchObject({ kind: "completed" });
  });

  it("R-260 a refused call counts, and the one too many rejects", async () => {
    const { bench } = await run(
      `await tools.archmax_advance({ to: "nowhere", reason: "r" }).catch(() => {});
       await tools.probe({}).catch((error) => console.log("refused"));
       `,
      { spec: `settings: { maxPtcCalls: 1 }\n${SPEC}` },
    );

    expect(lines(bench)).toEqual(["refused"]);
  });

  it("R-154 R-262 R-293 R-295 its calls' events carry origin and ids of their own, controls included", async () => {
    const { bench } = await run(`await Promise.all([tools.probe({ n: 1 }), tools.probe({ n: 2 })]); ${move}`);
    const called = ofType(bench.events, "tool-called");

    expect(called).toHaveLength(3);
    expect(new Set(called.map(({ callId }) => callId)).size).toBe(3);
    for (const event of [...called, ...ofType(bench.events, "tool-result")]) expect(event.origin).toBe("script");
    expect(
      ofType(bench.events, "tool-result")
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(called.map(({ callId }) => callId).sort());
  });

  it("R-248 F-16 a handler called by a script knows the session and a key of the call", async () => {
    const { bench } = await run(
      `const a = JSON.parse(await tools.probe({})), b = JSON.parse(await tools.probe({}));
       console.log(a.sessionId, a.idempotencyKey !== b.idempotencyKey && a.idempotencyKey !== undefined); ${move}`,
    );

    expect(lines(bench)).toEqual(["s1 true"]);
  });

  it("R-245 a long result reaches a script whole", async () => {
    const { bench } = await run(`console.log((await tools.long({})).length); ${move}`, {
      spec: SPEC.replace("[probe,", "[probe, long,"),
      tools: [
        ...tools(),
        ...toolsFromMap({
          long: { description: "l", inputSchema: { type: "object" }, handler: () => "x".repeat(100_000) },
        }),
      ],
    });

    expect(lines(bench)).toEqual(["100000"]);
  });

  it("R-97 W-157 nothing is substituted in a script's call", async () => {
    const { ran } = await run(`await tools.probe({ text: "\${{ready}}" }); ${move}`);

    expect(ran).toEqual([{ text: "${{ready}}" }]);
  });

  it("R-97 guards of a script's calls resolve against the variables at that moment", async () => {
    const { bench, ran } = await run(
      `const tried = async (id) => tools.probe({ id }).catch((error) => console.log(error.ruleId));
       for (const late of ["a", "b"]) {
         await tools.archmax_set_variables({ variables: { late } });
         await tried(late);
       }
       await tried("a");
       ${move}`,
      { spec: SPEC.replace("[probe,", '[{ tool: probe, args: { id: "${{late}}" } },') },
    );

    expect(ran).toEqual([{ id: "a" }, { id: "b" }]);
    expect(lines(bench)).toEqual(["tool.not-allowed"]);
  });

  it("R-96 R-167 an unresolvable guard in a script's call fails the state, whatever the script does then", async () => {
    const { outcome, ran } = await run(`await tools.probe({ id: "x" }).catch(() => {}); ${move}`, {
      spec: SPEC.replace("[probe,", '[{ tool: probe, args: { id: "${{unset_id}}" } },'),
    });

    expect(outcome).toMatchObject({ kind: "rejected", state: "check", rejected: expect.stringMatching(/probe/) });
    expect(ran).toEqual([]);
  });
});

describe("archmax_get_history", () => {
  it("R-143 R-144 R-145 is the session as it stood on entering, whole, over all turns", async () => {
    const spec = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: check, description: on }]
  check:
    type: code
    script: scripts/check.js
    transitions: [{ to: work }]
`;
    const bench = await open({
      spec,
      files: {
        "workflows/case/scripts/check.js": script(
          `const before = await tools.archmax_get_history();
           await tools.archmax_set_variables({ variables: { n: 1 } });
           console.log(before); console.log(String(before === await tools.archmax_get_history()));
           ${move}`,
        ),
      },
      replies: [
        says("First answer."),
        { ...calls(setting({ a: 1 })), text: "Setting." },
        advance("check"),
        advance("check"),
        says("end"),
      ],
    });
    await bench.agent.workflow.send("s1", { message: "one" });
    await bench.agent.workflow.send("s1", { message: "two" });
    const [first = "", same, second = ""] = lines(bench);
    const history = JSON.parse(second) as { messages: Record<string, unknown>[]; trail: unknown[] };

    expect(same).toBe("true");
    expect(JSON.parse(first).messages.slice(0, 4)).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "First answer." },
      { role: "user", text: "two" },
      {
        role: "assistant",
        text: "Setting.",
        toolCalls: [{ id: "call_2_1", name: "archmax_set_variables", args: { variables: { a: 1 } } }],
      },
    ]);
    expect(history.messages).toContainEqual({
      role: "tool",
      tool: "archmax_set_variables",
      id: "call_2_1",
      text: expect.stringContaining("a"),
    });
    expect(history.messages.filter(({ role }) => role === "runtime")).toEqual([
      { role: "runtime", note: "code", text: expect.stringMatching(/^\[code\]/) },
    ]);
    expect(JSON.stringify(history.messages)).not.toContain("archmax_note");
    expect(history.messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "user", "assistant", "tool", "assistant", "tool", "runtime"],
      ...["assistant", "tool"],
    ]);
    expect(history.trail.map((step) => (step as { kind: string }).kind)).toEqual([
      ...["trigger", "trigger", "agent", "code", "agent"],
    ]);
    expect(history.trail.at(-1)).toEqual({ to: "check", kind: "agent", reason: "on to check", ts: expect.any(Number) });
  });

  it("R-144 shows the note that a turn without a message begins with", async () => {
    const bench = await open({
      spec: SPEC.replace("manual:", "manual: { message: false }"),
      tools: tools(),
      files: { "workflows/case/scripts/check.js": script(`console.log(await tools.archmax_get_history()); ${move}`) },
      replies: [says("end")],
    });
    await bench.agent.workflow.send("s1", { variables: { ready: true } });

    expect(JSON.parse(lines(bench)[0]!).messages).toEqual([
      { role: "runtime", note: "opening", text: expect.stringMatching(/^\[opening\]/) },
    ]);
  });

  it("R-205 is out of reach in an agent state", async () => {
    const bench = await open({
      spec: "states: { work: { instructions: Work., triggers: { manual: } } }",
      replies: [calls(["archmax_get_history"]), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "tool.ungrantable" }]);
  });
});
