/** What a denied call leaves: of the agent, of a script, of an automated state. */
import { describe, expect, it } from "vitest";
import type { Guardrail, GuardrailCall } from "../../lib/extensions/types.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { aGraded } from "./graded.js";
import { advance, benches, calls, notes, ofType, results, says, setting } from "./support.js";

const open = benches();

const spec = `
tools: { allow_always: [probe, archmax_eval] }
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: check, description: by code }, { to: end, description: at once }]
  check: { type: code, script: scripts/check.js, transitions: [{ to: end }], on_error: rescue }
  end: { instructions: End. }
  rescue: { instructions: Mend. }
`;

function probe(ran: unknown[]) {
  return toolsFromMap({
    probe: {
      description: "Looks.",
      inputSchema: { type: "object" },
      handler: (args) => {
        ran.push(args);
        return "seen";
      },
    },
  });
}

const denying =
  (tool: string, reason = "not today"): Guardrail =>
  ({ name }) =>
    name === tool ? reason : undefined;

describe("a call that a guardrail denies", () => {
  it("A-15 is answered as an error with the mark of a refusal, and the turn goes on", async () => {
    const ran: unknown[] = [];
    const bench = await open({
      spec,
      tools: probe(ran),
      guardrails: [denying("probe")],
      replies: [calls(["probe", { a: 1 }], setting({ x: 1 })), says("done")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", reply: "done", variables: { x: { value: 1 } } });
    expect(results(outcome)[0]).toEqual({
      tool: "probe",
      text: "denied: not today",
      status: "error",
      refusal: "blocked:guardrail",
    });
    const answer = outcome.messages.find(({ role }) => role === "tool");
    expect(answer?.additional_kwargs?.governance_blocked).toBe(true);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([
      { tool: "probe", rule: "guardrail", reason: "not today", args: { a: 1 } },
    ]);
    expect(ofType(bench.events, "tool-called").map(({ tool }) => tool)).toEqual(["archmax_set_variables"]);
    expect(ran).toEqual([]);
  });

  it("A-14 A-15 an archmax_advance that is denied leaves the agent in its state", async () => {
    const bench = await open({
      spec,
      guardrails: [({ name, args }) => (name === "archmax_advance" && args.to === "end" ? "not yet" : undefined)],
      replies: [advance("end"), says("still here")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", state: "work" });
    expect(results(outcome)[0]).toMatchObject({ text: "denied: not yet", status: "error" });
    expect(ofType(bench.events, "advance").map(({ to }) => to)).toEqual(["work"]);
  });

  it("A-15 of a script rejects inside the script, and says by which rule", async () => {
    const code = `try { await tools.probe({}); } catch (error) { result = error.message + "/" + error.ruleId; }`;
    const bench = await open({
      spec,
      tools: probe([]),
      guardrails: [denying("probe")],
      replies: [calls(["archmax_eval", { code: `let result; ${code}; result` }]), says("done")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)[0]).toMatchObject({ status: "success" });
    expect(results(outcome)[0]?.text).toContain("denied: not today");
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "guardrail", origin: "script" }]);
  });

  it("A-14 A-15 a code state whose advance is denied fails closed through on_error", async () => {
    const bench = await open({
      spec,
      files: {
        "workflows/case/scripts/check.js":
          'export default async ({ tools }) => { await tools.archmax_advance({ to: "end", reason: "r" }).catch(() => {}); };',
      },
      guardrails: [({ name, origin }) => (name === "archmax_advance" && origin === "code" ? "no" : undefined)],
      replies: [advance("check"), says("mended")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
    expect(ofType(bench.events, "state-error-routed")).toMatchObject([{ state: "check", to: "rescue" }]);
  });

  it("A-14 A-15 a grader whose advance is denied is told so, and undecided fails closed through on_error", async () => {
    const { bench, send, graderRequests } = await aGraded(open, {
      guardrails: [({ name, origin }) => (name === "archmax_advance" && origin === "grader" ? "no" : undefined)],
      grader: [advance("send"), says("then not")],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ state: "rescue" });
    expect(JSON.stringify(graderRequests()[1]?.body.messages.at(-1))).toContain("denied: no");
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ rule: "guardrail", state: "grade" }]);
  });

  it("A-14 never denies a move of the runtime's own", async () => {
    const human = `
states:
  work: { instructions: Work., triggers: { manual: }, transitions: [{ to: ask }], tools: { allow: [archmax_advance] } }
  ask: { type: human, instructions: Decide., transitions: [{ to: end, description: Fine. }] }
  end: { instructions: End. }
`;
    let closed = false;
    const bench = await open({
      spec: human,
      guardrails: [() => (closed ? "closed" : undefined)],
      replies: [advance("ask"), says("please decide"), says("done")],
    });
    await bench.agent.workflow.send("s1", { message: "Go." });
    closed = true;

    const outcome = await bench.agent.workflow.decide("s1", { target: "end" });

    expect(outcome).toMatchObject({ kind: "completed", state: "end" });
  });

  it("A-8 is told with who asks, where, and how many model calls the turn has made", async () => {
    const seen: GuardrailCall[] = [];
    const bench = await open({
      spec,
      tools: probe([]),
      guardrails: [
        (call) => {
          seen.push(call);
        },
      ],
      replies: [
        calls(["probe", { a: 1 }, "p1"]),
        calls(["probe", {}, "p2"]),
        says("done"),
        calls(["probe", {}]),
        says(""),
      ],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });
    await bench.agent.workflow.send("s1", { message: "Again." });

    expect(seen[0]).toEqual({
      name: "probe",
      args: { a: 1 },
      id: "p1",
      turn: 1,
      state: "work",
      workflow: "case",
      sessionId: "s1",
      origin: "agent",
    });
    expect(seen.map(({ turn }) => turn)).toEqual([1, 2, 1]);
  });

  it("A-10 A-12 sees references resolved and paths in canonical form", async () => {
    const seen: unknown[] = [];
    const bench = await open({
      spec: spec.replace("[probe, archmax_eval]", "[read_file]"),
      guardrails: [
        ({ name, args }) => {
          if (name === "read_file") seen.push(args);
        },
      ],
      replies: [
        calls(setting({ file: "a.txt" })),
        calls(["read_file", { file_path: "x/../$" + "{{file}}" }]),
        says(""),
      ],
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(seen).toEqual([{ file_path: "a.txt" }]);
  });

  it.each(["guardrails", "hooks", "middleware"])(
    "A-10 A-43 %s that never answer hold no turn that is stopped",
    async (of) => {
      const stop = new AbortController();
      const stuck = () => {
        stop.abort(new Error("enough"));
        return new Promise<never>(() => {});
      };
      const layers = {
        guardrails: { guardrails: [stuck] },
        hooks: { hooks: { beforeTool: stuck } },
        middleware: { middleware: [{ name: "stuck", wrapToolCall: stuck }] },
      };
      const bench = await open({
        spec,
        tools: probe([]),
        ...layers[of as keyof typeof layers],
        replies: [calls(["probe"]), says("done")],
      });

      await expect(bench.agent.workflow.send("s1", { message: "Go." }, { signal: stop.signal })).rejects.toThrow();
      expect((await bench.agent.sessions.get("s1"))?.exit?.code).toBe("turn-cancelled");
      expect(ofType(bench.events, "tool-blocked")).toEqual([]);
      expect(ofType(bench.events, "tool-result")).toEqual([]);
    },
  );

  it("A-16 H-9 is assembled from functions alone", async () => {
    await expect(open({ spec, replies: [], guardrails: ["no" as never] })).rejects.toMatchObject({
      name: "InvalidGuardrailError",
      index: 0,
    });
  });

  it("A-1 A-12 permission is the workflow's word first, then a policy rule's, then a guardrail's; quality is the gate's alone", async () => {
    const asked: unknown[] = [];
    const judged: unknown[] = [];
    const from = (a: unknown, least: number) => Number(a) >= least;
    const bench = await open({
      spec: spec.replace("triggers:", 'tools: { forbid: [{ tool: probe, args: { a: "9" } }] }\n    triggers:'),
      tools: probe([]),
      policyRules: [
        ({ tool, args }) =>
          tool === "probe" && from(args.a, 8) ? { decision: "block", ruleId: "host.rule", reason: "no" } : null,
      ],
      guardrails: [
        ({ args }) => {
          asked.push(args.a);
          return from(args.a, 7) ? "no" : undefined;
        },
      ],
      completion: {
        maxAttempts: 1,
        verify: ({ toolCalls }) => {
          judged.push(toolCalls.map(({ isError }) => isError));
          return { ok: true };
        },
      },
      replies: [calls(...([9, 8, 7, 6].map((a): [string, object] => ["probe", { a }]) as never[])), says("done")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(ofType(bench.events, "tool-blocked").map(({ rule }) => rule)).toEqual([
      "tool.forbidden-here",
      "host.rule",
      "guardrail",
    ]);
    expect(asked).toEqual([7, 6]);
    expect(judged).toEqual([[true, true, true, false]]);
    expect(outcome.kind).toBe("completed");
  });

  it("A-5 H-9 H-10 is assembled for workflows that there are, before any of them is loaded", async () => {
    const agents = { cse: { guardrails: [denying("probe")] } };
    await expect(open({ spec, replies: [], agents })).rejects.toThrow(/"cse".*case/);
    await expect(open({ spec, replies: [], agents, clock: "never" })).rejects.toMatchObject({ code: "invalid-clock" });
    await expect(
      open({ spec, replies: [], guardrails: [1 as never], workspace: { mounts: { "a//b": {} as never } } }),
    ).rejects.toMatchObject({ code: "invalid-guardrail" });
    const harmless = await open({
      spec,
      files: { "workflows/other/workflow.yaml": spec },
      replies: [says("done")],
      agents: { other: { guardrails: [() => "never"] } },
    });
    expect(await harmless.agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "completed" });
  });

  it("A-14 notes of the runtime are no calls", async () => {
    const bench = await open({ spec, guardrails: [() => "never"], replies: [says("done")] });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(notes(outcome).length + ofType(bench.events, "tool-blocked").length).toBe(notes(outcome).length);
    expect(outcome.kind).toBe("completed");
  });
});
