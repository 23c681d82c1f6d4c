/** The observed loop (A-34…A-37). */
import { describe, expect, it } from "vitest";
import { advance, benches, calls, says } from "./support.js";

const bench = benches();

const SPEC = `
states:
  work:
    triggers: { manual: , mail: { requires: [order] } }
    instructions: Work.
    tools: { allow: [archmax_wait] }
    transitions: [{ to: review }, { to: done }]
  review:
    type: human
    instructions: Is it fine?
    transitions: [{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Go. }]
  done:
    instructions: End.
`;

describe("A-34 a loop", () => {
  it("A-34 A-35 A-36 counts its runs, and goes on with the same session", async () => {
    const { agent, requests } = await bench({
      spec: SPEC,
      replies: [calls(["archmax_get_variables", {}]), says("One."), says("Two.")],
    });
    const loop = agent.workflow.loop("s1");
    const { run } = loop;

    expect(loop).toMatchObject({ status: "idle", turns: 0, attempts: 0, lastOutcome: undefined });
    const running = run("Go.", { trigger: { id: "mail" }, variables: { order: "NL-1" } });
    expect(loop.status).toBe("running");
    const first = await running;
    const after = { status: loop.status, turns: loop.turns, attempts: loop.attempts };
    const second = await run("And now?", { model: "other-model" });

    expect(first).toEqual({ text: "One.", status: "done", attempts: 1, turns: 2, result: first.result });
    expect(first.result).toMatchObject({ kind: "completed", variables: { order: { value: "NL-1" } } });
    expect(after).toEqual({ status: "idle", turns: 2, attempts: 1 });
    expect(second).toMatchObject({ text: "Two.", status: "done", turns: 1 });
    expect(loop.turns).toBe(3);
    expect(loop.lastOutcome).toBe(second.result);
    expect(requests.map(({ body }) => body.model)).toEqual(["test-model", "test-model", "other-model"]);
    expect(second.result.messages.length).toBeGreaterThan(first.result.messages.length);
  });

  it("A-34 takes no configuration: setting any property throws, in sloppy code too", async () => {
    const { agent } = await bench({ spec: SPEC });
    const loop = agent.workflow.loop("s1");
    const sloppily = new Function("loop", "name", "loop[name] = 1;");

    for (const name of ["status", "turns", "attempts", "lastOutcome", "run", "model", "maxAttempts"])
      expect(() => sloppily(loop, name)).toThrow(TypeError);
    expect(() => Object.assign(loop, { turns: 9 })).toThrow(TypeError);
    expect(() => {
      delete (loop as { run?: unknown }).run;
    }).toThrow(TypeError);
    expect(loop.turns).toBe(0);
  });

  it("A-35 refuses a run while one is under way, which goes on", async () => {
    const { agent } = await bench({ spec: SPEC, replies: [says("One.")] });
    const loop = agent.workflow.loop("s1");

    const running = loop.run("Go.");
    await expect(loop.run("And?")).rejects.toMatchObject({ name: "LoopRunningError", code: "loop-running" });

    expect(await running).toMatchObject({ status: "done", text: "One." });
    expect(loop.status).toBe("idle");
  });

  it("A-35 A-37 a park is pending, and its attempts go on over it", async () => {
    const verdicts = [{ ok: false, reason: "too short" }, { ok: true }];
    const { agent } = await bench({
      spec: SPEC,
      completion: { verify: () => verdicts.shift()!, maxAttempts: 3 },
      replies: [
        says("Done."),
        calls(["archmax_wait", { reason: "for the mail" }]),
        says("I wait for the mail."),
        says("Now it is."),
      ],
    });
    const loop = agent.workflow.loop("s1");

    const parked = await loop.run("Go.");
    const status = loop.status;
    const done = await loop.run("The mail is here.");

    expect(parked).toMatchObject({ status: "pending", stoppedBy: "input in work: for the mail", attempts: 2 });
    expect(status).toBe("pending");
    expect(done).toMatchObject({ status: "done", attempts: 2, turns: 1 });
    expect(done).not.toHaveProperty("stoppedBy");
    expect(loop.status).toBe("idle");
  });

  it("A-36 A-37 a spent gate and a spent limit are incomplete, a raise is an error", async () => {
    const gated = await bench({
      spec: SPEC,
      completion: { verify: () => ({ ok: false, reason: "too short" }), maxAttempts: 2 },
      answer: () => says("Done."),
    });
    const limited = await bench({
      spec: SPEC,
      limits: { maxToolCallsPerTurn: 1 },
      answer: () => calls(["archmax_get_variables", {}]),
    });
    const raising = await bench({ spec: SPEC, replies: [calls(["archmax_raise", { code: "none", reason: "Gone." }])] });
    const rejected = await bench({ spec: SPEC });
    const loops = [gated, limited, raising].map(({ agent }) => agent.workflow.loop("s1"));
    const runs = await Promise.all(loops.map((loop) => loop.run("Go.")));
    const refused = await rejected.agent.workflow.loop("s1").run("Go.", { trigger: { id: "mail" } });

    expect(runs).toMatchObject([
      {
        status: "incomplete",
        stoppedBy: "completion: not verified after 2 attempts: too short",
        attempts: 2,
        turns: 2,
      },
      { status: "incomplete", stoppedBy: expect.stringMatching(/^maxToolCalls: The turn has made 1 tool calls/) },
      { status: "error", stoppedBy: "none: Gone.", attempts: 1 },
    ]);
    expect(loops.map(({ status }) => status)).toEqual(["incomplete", "incomplete", "error"]);
    expect(refused).toMatchObject({
      status: "error",
      stoppedBy: expect.stringContaining("order"),
      attempts: 0,
      turns: 0,
    });
  });

  it("A-35 A-37 a thrown turn leaves the loop in error and is rethrown, with its calls counted", async () => {
    const { agent } = await bench({
      spec: SPEC,
      replies: [says("One."), calls(["archmax_get_variables", {}]), { status: 400, error: { message: "No." } }],
    });
    const loop = agent.workflow.loop("s1");

    const { result } = await loop.run("Go.");
    await expect(loop.run("And now?")).rejects.toThrow();

    expect(loop).toMatchObject({ status: "error", turns: 2, attempts: 1, lastOutcome: result });
    expect((await agent.sessions.get("s1"))?.exit).toMatchObject({ code: "turn-error" });
  });

  it("A-35 an input that is refused, or taken back, has made no calls", async () => {
    const { agent } = await bench({ spec: SPEC, answer: () => calls(["archmax_get_variables", {}]) });
    const loop = agent.workflow.loop("s1");
    const abort = new AbortController();

    await expect(loop.run("")).rejects.toMatchObject({ name: "EmptyMessageError" });
    expect(loop).toMatchObject({ status: "error", turns: 0, attempts: 0, lastOutcome: undefined });
    abort.abort(new Error("Enough."));
    await expect(loop.run("Go.", { signal: abort.signal })).rejects.toThrow("Enough.");
    await expect(agent.workflow.send("s1", { message: "Go." }, { recursionLimit: 3 })).rejects.toThrow();
    await expect(loop.run("")).rejects.toMatchObject({ name: "EmptyMessageError" });

    expect(loop).toMatchObject({ status: "error", turns: 0 });
  });

  it("A-35 R-35 a turn that is refused its opening counts no call of the run before", async () => {
    const { agent } = await bench({ spec: SPEC, replies: [calls(["archmax_get_variables", {}]), says("One.")] });
    const loop = agent.workflow.loop("s1");

    await loop.run("Go.");
    const refused = await loop.run("Again.", { trigger: { id: "mail" } });

    expect(refused).toMatchObject({ status: "error", turns: 0, attempts: 0, result: { kind: "rejected" } });
    expect(loop.turns).toBe(2);
  });

  it("A-34 R-2 refuses an id that no session can have", async () => {
    const { agent } = await bench({ spec: SPEC });

    expect(() => agent.workflow.loop("../up")).toThrow(expect.objectContaining({ name: "SessionStoreIdError" }));
  });

  it("A-35 a park and a decision outside the loop leave its count alone", async () => {
    const { agent } = await bench({ spec: SPEC, replies: [advance("review"), says("Decide."), says("Done.")] });
    const loop = agent.workflow.loop("s1");

    const run = await loop.run("Go.");
    await agent.workflow.decide("s1", { target: "done" });

    expect(run).toMatchObject({ status: "pending", stoppedBy: "decision in review: Is it fine?", turns: 2 });
    expect(loop).toMatchObject({ status: "pending", turns: 2 });
  });
});
