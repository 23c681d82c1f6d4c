/** A grader's run: what its model is told, how it ends, and what of it the session keeps (R-155…R-161, W-70…W-72). */
import { describe, expect, it } from "vitest";
import { GRADER_PREAMBLE } from "../../lib/machine/index.js";
import { aGraded, answersIn, graded, isGraders, passes, readsHistory } from "./graded.js";
import { advance, benches, blocks, calls, notes, offered, ofType, says, setting, system, types } from "./support.js";

const open = benches();

/** What a request says beside its system text, as `role: text`. */
const said = (request: Parameters<typeof system>[0]) =>
  request?.body.messages.filter(({ role }) => role !== "system").map(({ role, content }) => `${role}: ${content}`);

describe("what a grader is told", () => {
  it("R-155 W-70 W-296 gives it criteria, ways out and the time, and nothing of the session or the static prompt", async () => {
    const { send, graderRequests } = await aGraded(open, {
      grader: [passes],
      files: { "AGENTS.md": "You are Ada.", "workflows/case/WORKFLOW.md": "The addendum." },
    });

    await send();

    const [first] = graderRequests();
    expect(system(first)).toBe(`${GRADER_PREAMBLE}\n\n# The criteria\n\nThe letter is polite.`);
    expect(said(first)).toEqual([
      `user: ## You are in state grade

Judge the work of this session by the criteria you were given. It can take one of these ways:

- \`send\` (approve, terminal): It is polite.
- \`work\` (refine): the work there is:
  > Write the letter.
- \`ask\` (human decision node): Nobody can tell.

It is Friday, 2026-03-20 09:00 UTC, rounded down to ten minutes.`,
    ]);
    expect(JSON.stringify(first?.body)).not.toMatch(
      /Write to Ada|You are Ada|The addendum|workflow's own|secret title/,
    );
  });

  it("R-277 W-296 states the time of each call, with the same system text in all", async () => {
    const { bench, send, graderRequests } = await aGraded(open, {
      grader: [readsHistory, passes],
      onEvent: (event) => {
        if (event.type === "tool-called") bench.clock.advance(20 * 60_000);
      },
    });

    await send();

    const [first, second] = graderRequests();
    expect(said(first)?.[0]).toMatch(/2026-03-20 09:20 UTC/);
    expect(said(second)?.[0]).toMatch(/2026-03-20 09:40 UTC/);
    expect(system(second)).toBe(system(first));
  });

  it("R-133 R-134 R-135 W-70 F-58 offers its own grants and the five controls in every call of the loop", async () => {
    const { send, graderRequests } = await aGraded(open, { grader: [readsHistory, passes] });

    await send();

    const [first, second] = graderRequests().map(offered);
    expect(first).toEqual(
      [
        ...[
          "ls",
          "read_file",
          "write_file",
          "edit_file",
          "glob",
          "grep",
          "copy_file",
          "move_file",
          "remove_file",
          "probe",
        ],
        ...[
          "archmax_advance",
          "archmax_raise",
          "archmax_get_variables",
          "archmax_set_variables",
          "archmax_get_history",
        ],
      ].sort((a, b) => first!.indexOf(a) - first!.indexOf(b)),
    );
    expect(second).toEqual(first);
  });

  it("R-143 R-144 R-145 R-155 answers the session whole as it stood on entry, through the whole run", async () => {
    const { send, graderRequests } = await aGraded(open, {
      agent: [calls(setting({ tone: "warm" })), { ...advance("grade"), text: "Dear Ada" }, says("end")],
      grader: [calls(["archmax_get_history"], setting({ seen: true })), readsHistory, passes],
    });

    await send();

    const [, second, third] = graderRequests();
    const history = JSON.parse(answersIn(second)[0]!);
    expect(history.messages).toMatchObject([
      { role: "user", text: "Write to Ada." },
      { role: "assistant", toolCalls: [{ name: "archmax_set_variables" }] },
      { role: "tool", tool: "archmax_set_variables" },
      { role: "assistant", text: "Dear Ada", toolCalls: [{ name: "archmax_advance" }] },
      { role: "tool", tool: "archmax_advance" },
    ]);
    expect(history.trail).toMatchObject([{ kind: "trigger" }, { to: "grade", kind: "agent", reason: "on to grade" }]);
    expect(answersIn(third).at(-1)).toBe(answersIn(second)[0]);
  });

  it("R-143 R-245 is shown a long history whole, and other long results by a file", async () => {
    const long = "x".repeat(90_000);
    const { bench, graderRequests } = await aGraded(open, {
      grader: [calls(["archmax_get_history"], ["archmax_get_variables"], ["probe", { long: true }, "p1"]), passes],
    });

    await bench.agent.workflow.send("s1", { message: long, variables: { letter: long } });

    const [history, variables, probe] = answersIn(graderRequests()[1]);
    expect(JSON.parse(history!).messages[0]).toEqual({ role: "user", text: long });
    expect(variables).toMatch(/written to \/large_tool_results\//);
    expect(probe).toContain("/large_tool_results/p1.txt");
    expect((await bench.stores.files.list("s1")).map(({ path }) => path)).toContain("large_tool_results/p1.txt");
  });
});

describe("how a run ends", () => {
  it("R-138 R-8 R-131 W-71 W-80 W-275 advances with a trail step and a note of its kind, and the agent goes on with them", async () => {
    const { bench, send } = await aGraded(open, {
      agent: [advance("grade"), advance("grade"), says("sent")],
      grader: [readsHistory, advance("work", { reason: "It is too short." }), passes],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ kind: "completed", state: "send", reply: "sent" });
    expect(outcome.auditTrail.slice(1)).toMatchObject([
      { to: "grade", kind: "agent" },
      { to: "work", kind: "grader", reason: "It is too short." },
      { to: "grade", kind: "agent" },
      { to: "send", kind: "grader", reason: "It is polite." },
    ]);
    expect(notes(outcome)).toEqual([
      "[grader] grade advanced to work: It is too short. The session is now in work.",
      "[grader] grade advanced to send: It is polite. The session is now in send.",
    ]);
    const agents = bench.requests.filter((request) => !isGraders(request));
    expect(JSON.stringify(agents[1]?.body.messages)).toContain("It is too short.");
    expect(new Set(agents.map((request) => blocks(request).fixed)).size).toBe(1);
  });

  it("R-45 R-98 R-131 runs before any other call where a turn opens in it, and its way to a person parks", async () => {
    const spec = `
states:
  grade:
    type: grader
    triggers: { manual: }
    instructions: Is it clear?
    transitions: [{ to: ask, description: No. }]
  ask: { type: human, instructions: Decide., transitions: [{ to: end, description: Fine. }] }
  end: { instructions: End. }
`;
    const { bench, send } = await aGraded(open, {
      spec,
      agent: [says("Please decide.")],
      grader: [advance("ask", { evidence: ["scratchpad/letter.md", "/scratchpad/letter.md"] })],
    });

    expect(await send()).toMatchObject({
      kind: "parked",
      reply: "Please decide.",
      pending: { state: "ask", evidence: ["scratchpad/letter.md"] },
    });
    expect(bench.requests.map(isGraders)).toEqual([true, false]);
  });

  it("R-137 R-162 R-74 W-71 raises: the session has failed, and nothing routes", async () => {
    const { bench, send } = await aGraded(open, {
      grader: [calls(["archmax_raise", { code: "no-letter", reason: "There is none." }], ["probe", {}])],
    });

    expect(await send()).toMatchObject({
      kind: "failed",
      state: "grade",
      exit: { success: false, code: "no-letter", reason: "There is none." },
    });
    expect(types(bench.events, "grader-result", "raised", "state-leave").slice(-3)).toEqual([
      "grader-result",
      "raised",
      "state-leave",
    ]);
  });

  it.each([
    ["prose", says("It is polite, so it may be sent."), /state grade failed: .*in text.*archmax_advance/i],
    ["prose that looks like a call", says('{"name":"archmax_advance","args":{"to":"send"}}'), /in text/],
    ["nothing", says(""), /said nothing/],
    ["blanks", says("  \n"), /said nothing/],
    ["an error", { status: 400, error: { message: "no such model" } }, /model failed: .*no such model/],
  ])(
    "F-69 R-156 R-158 R-159 R-163 R-170 W-71 W-175 fails when its model answers with %s, and on_error takes it",
    async (_what, reply, reason) => {
      const { bench, send } = await aGraded(open, { grader: [readsHistory, reply] });

      const outcome = await send();

      expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
      expect(outcome.auditTrail.at(-1)).toMatchObject({
        to: "rescue",
        kind: "on_error",
        reason: expect.stringMatching(reason),
      });
      expect(ofType(bench.events, "grader-result")).toMatchObject([
        { state: "grade", status: "error", level: "warn", reason: expect.stringMatching(/./) },
      ]);
    },
  );

  it("R-158 R-169 rejects the session where no on_error is declared", async () => {
    const { send } = await aGraded(open, { spec: graded().replace("on_error: rescue", ""), grader: [says("Fine.")] });

    expect(await send()).toMatchObject({
      kind: "rejected",
      state: "grade",
      rejected: expect.stringMatching(/^State grade/),
    });
  });
});

describe("what the session keeps", () => {
  it("R-140 W-81 R-159 R-17 keeps nothing of the run but its note: no message, no text, no tokens", async () => {
    const { bench, send } = await aGraded(open, {
      grader: [
        { ...calls(["probe", { what: "x" }]), text: "Let me look." },
        { ...passes, text: "It is fine." },
      ],
    });

    const outcome = await send();

    expect(outcome.messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool"],
      ...["assistant", "tool"],
      "assistant",
    ]);
    expect(outcome.reply).toBe("end");
    expect(JSON.stringify(outcome.messages)).not.toMatch(/Let me look|It is fine\.|probe/);
    expect(JSON.stringify(ofType(bench.events, "agent-text-delta"))).not.toMatch(/look|fine/);
    expect(ofType(bench.events, "agent-text").map(({ text }) => text)).toEqual(["end"]);
  });

  it("R-159 R-291 R-290 R-295 frames the run with events, marks none of its calls, and tells the move after its commit", async () => {
    const { bench, send } = await aGraded(open, {
      grader: [
        calls(["probe", { what: "x" }, "p1"], setting({ seen: 1 })),
        calls(["archmax_advance", { to: "send", reason: "Yes." }, "a1"]),
      ],
    });

    await send();

    const from = bench.events.findIndex(({ type }) => type === "grader-start");
    const run = bench.events.slice(from).filter(({ type }) => !type.startsWith("agent-text"));
    expect(run.map(({ type }) => type)).toEqual([
      "grader-start",
      ...["tool-called", "tool-called", "tool-result"],
      "tool-called",
      ...["variables-set", "tool-result", "tool-result"],
      ...["grader-result", "advance", "state-leave", "state-enter"],
      "state-leave",
    ]);
    expect(run[0]).toMatchObject({ state: "grade", level: "info" });
    expect(ofType(run, "grader-result")).toMatchObject([
      { state: "grade", status: "ok", durationMs: 0, level: "info" },
    ]);
    expect(ofType(run, "advance")).toMatchObject([{ from: "grade", to: "send", reason: "Yes.", callId: "a1" }]);
    expect(run.filter((event) => "origin" in event)).toEqual([]);
  });

  it("R-159 R-284 R-287 emits the usage of each call with its state, and counts all of it in the session", async () => {
    const usage = (tokens: number) => ({ prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 });
    const { bench, send } = await aGraded(open, {
      agent: [{ ...advance("grade"), usage: usage(10) }, says("end")],
      grader: [{ ...readsHistory, usage: usage(100) }, readsHistory, { ...passes, usage: usage(1_000) }],
      pricing: { default: { input: 10, output: 0 } },
    });

    const outcome = await send();

    expect(ofType(bench.events, "model-usage").map(({ state, inputTokens }) => [state, inputTokens])).toEqual([
      ["work", 10],
      ["grade", 100],
      ["grade", 1_000],
    ]);
    expect(outcome.usage).toMatchObject({ inputTokens: 1_110, outputTokens: 3, costUsd: 0.0111 });
    expect((await bench.agent.sessions.get("s1"))?.usage).toEqual(outcome.usage);
  });

  it("F-45 S-49 removes the loop with the commit that settles the state, and keeps the calls (S-46)", async () => {
    const { bench, send } = await aGraded(open, { grader: [calls(["probe", { what: "x" }]), passes] });

    await send();

    const keys = (await bench.stores.sessions.read("s1"))?.thread
      .map(({ key }) => key)
      .filter((key) => key.startsWith("J"));
    expect(keys).toEqual([expect.stringMatching(/^J0001v\d+\/g0001\.1$/)]);
  });
});

describe("its model", () => {
  const spec = `settings: { model: house }\n${graded("model: strict")}`;

  it("R-160 R-279 R-280 R-281 W-166 is the state's, else the workflow's", async () => {
    const { bench, send } = await aGraded(open, { spec, grader: [passes] });
    await send();
    const { bench: plain, send: sendPlain } = await aGraded(open, {
      spec: spec.replace("model: strict", ""),
      grader: [passes],
    });
    await sendPlain();

    expect(bench.requests.map(({ body }) => body.model)).toEqual(["house", "strict", "house"]);
    expect(plain.requests.map(({ body }) => body.model)).toEqual(["house", "house", "house"]);
  });

  it("R-280 W-166 is not the one that a call of `send` brings for the agent", async () => {
    const { bench, send } = await aGraded(open, { spec, grader: [passes] });

    expect(await send({ model: "mine" })).toMatchObject({ kind: "completed", state: "send" });
    expect(bench.requests.map(({ body }) => body.model)).toEqual(["mine", "strict", "mine"]);
  });

  it("R-279 R-160 asks the host's factory in the role grader", async () => {
    const { createChatModel } = await import("../../lib/models/index.js");
    const asked: unknown[] = [];
    const { send } = await aGraded(open, {
      spec,
      grader: [passes],
      modelFactory: (role, env, requested) => {
        asked.push([role, requested]);
        return createChatModel({ ...env(), model: requested ?? env().model });
      },
    });

    await send();

    expect(asked).toEqual([
      ["agent", "house"],
      ["grader", "strict"],
    ]);
  });

  it("W-273 R-275 its criteria, budget and titles are in no call of the agent's model", async () => {
    const requestsOf = async (text: string) => {
      const { bench, send } = await aGraded(open, { spec: text, grader: [passes] });
      await send();
      return bench.requests.filter((request) => !isGraders(request)).map(({ body }) => body);
    };

    const other = graded("budget: { maxTurns: 7 }")
      .replace("The letter is polite.", "CANARY")
      .replace("secret title", "CANARY");
    expect(await requestsOf(other)).toEqual(await requestsOf(graded()));
  });
});
