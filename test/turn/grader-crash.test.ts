/** A grader's loop goes on where it stood, whatever ends in the middle of it (S-33, S-40, S-41, S-49…S-51). */
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../../lib/session/events.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import type { ToolDescriptor } from "../../lib/tools/index.js";
import type { Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { aGraded, answersIn, graded, isGraders, passes, probes, readsHistory } from "./graded.js";
import { advance, benches, calls, ofType, says, setting, types } from "./support.js";

const open = benches();

/** Stores whose process dies right after it has written an item whose key ends so, until another one takes its place. */
function dyingAfter(ending: string) {
  const died = new Error("The process has died.");
  const life = { dead: false, over: false };
  const sessions = wrapStore(createMemorySessionStore(), async ({ name, args }, run) => {
    if (life.dead) throw died;
    const result = await run();
    const { puts = [] } = (name === "commit" ? args[1] : {}) as { puts?: { key: string }[] };
    if (life.over || !puts.some(({ key }) => key.endsWith(ending))) return result;
    life.dead = true;
    throw died;
  });
  const replace = () => Object.assign(life, { dead: false, over: true });
  return { stores: { sessions, files: createMemoryFileStore() }, replace };
}

/** A run whose first process dies, and a second one that goes on after it. */
async function killed(ending: string, more: Partial<ToolDescriptor> = {}) {
  const { stores, replace } = dyingAfter(ending);
  const keys: string[] = [];
  const { bench, graderRequests } = await aGraded(open, {
    stores,
    tools: probes([], {
      handler: (_args, context) => {
        keys.push(`${context.idempotencyKey} ${context.attempt}`);
        return { ok: true };
      },
      ...more,
    }),
    grader: [
      calls(setting({ seen: true }), ["probe", { what: "${{seen}}" }, "p1"]),
      calls(["probe", {}, "p2"]),
      passes,
    ],
  });
  await bench.agent.accept("s1", { kind: "turn", message: "Write to Ada." });
  await bench.agent.work("s1").catch(() => undefined);
  bench.clock.advance(10 * 60_000);
  replace();
  const before = bench.events.length;
  const { settled } = await (await bench.again()).work("s1");
  return { keys, graderRequests, outcome: settled[0]?.outcome, after: bench.events.slice(before) };
}

describe("a process that dies in the middle of a run", () => {
  it("S-49 S-35 asks for no answer again that was written down, and keeps what was decided with it", async () => {
    const { keys, graderRequests, outcome, after } = await killed("/g0001");

    expect(outcome).toMatchObject({ kind: "completed", state: "send", variables: { seen: { value: true } } });
    expect(graderRequests()).toHaveLength(3);
    expect(keys).toHaveLength(2);
    expect(types(after, "grader-start")).toEqual([]);
    expect(ofType(after, "grader-result")).toMatchObject([{ status: "ok", durationMs: 10 * 60_000 }]);
    expect(ofType(after, "variables-set")).toMatchObject([{ names: ["seen"] }]);
  });

  it("S-38 S-40 S-49 does not run a finished call again, and does not tell of it again", async () => {
    const { keys, graderRequests, outcome, after } = await killed("/g0002");

    expect(outcome).toMatchObject({ state: "send" });
    expect(graderRequests()).toHaveLength(3);
    expect(keys.map((key) => key.split(" ")[1])).toEqual(["1", "1"]);
    expect(new Set(keys).size).toBe(2);
    expect(ofType(after, "tool-called").map(({ callId }) => callId)).not.toContain("p1");
    expect(answersIn(graderRequests()[2])).toEqual(["Set: seen.", '{"ok":true}', '{"ok":true}']);
  });

  it("S-33 S-39 S-41 S-49 tells the grader of a call whose outcome is unknown, and repeats one that may be repeated", async () => {
    const once = await killed("/g0001.2");
    expect(once.keys).toHaveLength(1);
    expect(answersIn(once.graderRequests()[1])[1]).toMatch(/outcome is unknown/);
    expect(once.outcome).toMatchObject({ state: "send" });

    const repeated = await killed("/g0001.2", { idempotent: true });
    expect(repeated.keys).toHaveLength(2);
    expect(repeated.keys[0]).toMatch(/ 2$/);
    expect(answersIn(repeated.graderRequests()[1])[1]).toBe('{"ok":true}');
  });
});

/** Works until the turn has settled, one step in each invocation. */
async function stepByStep(bench: Bench, drainAt: number): Promise<number> {
  for (let invocations = 1; invocations < 40; invocations += 1) {
    const { left, settled: done } = await bench.agent.work("s1", { drainAt });
    if (left === "idle" && done.length > 0) return invocations;
  }
  throw new Error("The turn was never settled.");
}

const shown = ({ ts: _ts, seq: _seq, ...event }: EngineEvent) => event;

describe("a run that is cut into many invocations", () => {
  const agent = [advance("grade"), says("end")];
  const grader = [readsHistory, calls(["probe", { what: "a" }, "p1"], ["probe", { what: "b" }, "p2"]), passes];
  const options = { agent, grader, spec: graded("budget: { maxTurns: 3 }") };

  it("S-50 S-51 S-54 S-56 goes on at its next step, and ends with the same calls, events and outcome", async () => {
    const whole = await aGraded(open, options);
    await whole.bench.agent.accept("s1", { kind: "turn", message: "Go" });
    expect(await stepByStep(whole.bench, Number.POSITIVE_INFINITY)).toBe(1);
    const cut = await aGraded(open, options);
    await cut.bench.agent.accept("s1", { kind: "turn", message: "Go" });

    // The opening; the agent's move; three answers of the grader and one batch with calls that run; the agent's end.
    expect(await stepByStep(cut.bench, 0)).toBe(7);

    expect(cut.ran).toEqual(whole.ran);
    expect(cut.bench.requests.map(isGraders)).toEqual(whole.bench.requests.map(isGraders));
    expect(cut.bench.events.map(shown).map(withoutIds)).toEqual(whole.bench.events.map(shown).map(withoutIds));
    const session = async ({ bench }: typeof cut) => bench.agent.sessions.get("s1");
    expect(await session(cut)).toEqual(await session(whole));
  });

  it("S-51 R-142 R-287 the step limit and the usage run on from one invocation to the next", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 };
    const { bench } = await aGraded(open, { ...options, grader: grader.map((reply) => ({ ...reply, usage })) });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });

    for (let invocations = 0; invocations < 20; invocations += 1)
      await bench.agent.work("s1", { drainAt: 0, recursionLimit: 6 });

    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: { code: "recursion-limit" },
      usage: { inputTokens: 20 },
    });
    const thread = (await bench.stores.sessions.read("s1"))?.thread.map(({ key }) => key) ?? [];
    expect(thread.filter((key) => /\/g\d+$/.test(key))).toEqual([]);
  });

  it("F-45 S-77 S-49 keeps of each answer what it added: the history it read is not written down again", async () => {
    const { bench, graderRequests } = await aGraded(open, { ...options, grader: [readsHistory, passes] });
    await bench.agent.accept("s1", { kind: "turn", message: "Write to Ada." });
    for (let invocations = 0; graderRequests().length === 0 && invocations < 10; invocations += 1)
      await bench.agent.work("s1", { drainAt: 0 });

    const kept = (await bench.stores.sessions.read("s1"))?.thread.filter(({ key }) => key.endsWith("/g0001")) ?? [];
    expect(kept).toHaveLength(1);
    expect(kept[0]?.value).not.toContain("Write to Ada.");

    await bench.agent.work("s1");
    expect(answersIn(graderRequests()[1])[0]).toContain("Write to Ada.");
  });

  it("R-236 S-49 shows a picture it read in each later call, in whichever invocation", async () => {
    const content = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array(40).fill(7)]);
    const { bench, graderRequests } = await aGraded(open, {
      images: true,
      grader: [calls(["read_file", { file_path: "scratchpad/attachments/shot.png" }]), readsHistory, passes],
    });

    const input = { message: "Go", files: { shot: { name: "shot.png", content } } };
    await bench.agent.workflow.send("s1", input, { drainAt: 0 });

    const pictures = graderRequests().map(({ body }) => JSON.stringify(body).split('"image_url":').length - 1);
    expect(pictures).toEqual([0, 1, 1]);
  });

  it("S-51 R-157 W-72 its time runs on, too, while that between two invocations does not count", async () => {
    const slow = { ...readsHistory, delayMs: 200 };
    const { bench, graderRequests } = await aGraded(open, {
      spec: graded("budget: { timeoutMs: 500 }"),
      grader: [slow, slow, slow, slow, passes],
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });

    let outcome: unknown;
    for (let invocations = 0; outcome === undefined && invocations < 20; invocations += 1) {
      outcome = (await bench.agent.work("s1", { drainAt: 0 })).settled[0]?.outcome;
      bench.clock.advance(60_000);
    }

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
    expect(graderRequests().length).toBeLessThanOrEqual(3);
  });

  it("S-20 R-287 a cancellation between two invocations ends the loop, and what it had cost is counted", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 };
    const { bench, graderRequests } = await aGraded(open, { ...options, grader: [{ ...readsHistory, usage }] });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });
    for (let invocations = 0; graderRequests().length === 0 && invocations < 10; invocations += 1)
      await bench.agent.work("s1", { drainAt: 0 });

    await bench.stores.sessions.cancel("s1", bench.clock.now());
    await bench.agent.work("s1");

    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: { code: "turn-cancelled" },
      usage: { inputTokens: 10 },
    });
    const thread = (await bench.stores.sessions.read("s1"))?.thread.map(({ key }) => key) ?? [];
    expect(thread.filter((key) => key.startsWith("J"))).toEqual([]);
  });
});

/** Message ids carry the mark of the attempt (S-36), and ids the model server gives count its requests. */
function withoutIds(event: object): unknown {
  return JSON.parse(JSON.stringify(event).replace(/"messageId":"(m\d+)-\w+"/g, '"messageId":"$1"'));
}
