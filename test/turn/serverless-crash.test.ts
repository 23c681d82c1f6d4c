/** What a crash, a hand-over and a poisonous arrival leave (chapter S, 24 to 27, 30, 32). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CreateAgentParams } from "../../lib/agent.js";
import type { ArrivalInput } from "../../lib/session/arrival.js";
import { StoreUnavailableError } from "../../lib/session/errors.js";
import type { SessionStore } from "../../lib/session/ports.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import { type StoreOp, wrapStore } from "../harness/wrap-store.js";
import type { ServerReply } from "../model-server/index.js";
import { advance, benches, calls, ofType, says } from "./support.js";
import { ANSWERS, always, REVIEWED, WAITS } from "./workflows.js";

const open = benches();

const WORK = `
states:
  work:
    triggers: { manual: , ordered: { message: false, requires: [order] } }
    instructions: Work.
    tools: { allow: [pay, look, break_down] }
    transitions: [{ to: done }]
  done: { instructions: Close. }
`;

type Handler = ToolDescriptor["handler"];

/** Tools that count their runs in `ran`; `pay` has an effect, `look` reads, `break_down` throws. */
function counted(ran: string[], pay: Handler = () => "paid"): NonNullable<BenchOptions["tools"]> {
  const tool = (name: string, handler: Handler, more = {}): ToolDescriptor => ({
    description: name,
    inputSchema: { type: "object" },
    handler: (input, context) => {
      ran.push(name);
      return handler(input, context);
    },
    ...more,
  });
  return toolsFromMap({
    pay: tool("pay", pay),
    look: tool("look", () => "seen", { readOnly: true }),
    break_down: tool("break_down", () => {
      throw new Error("Out of order.");
    }),
  });
}

/** Stores whose process dies, or whose service fails, where `fails` says so. */
function failing(fails: (op: StoreOp) => boolean, failure: Error = new Error("The store does not answer.")) {
  const sessions = createMemorySessionStore();
  const broken = wrapStore(sessions, (op, run) => (fails(op) ? Promise.reject(failure) : run()));
  return { sessions, stores: { sessions: broken, files: createMemoryFileStore() } };
}

/** Another process, after any lease and pause. */
async function later(bench: Bench, options?: Partial<CreateAgentParams>) {
  bench.clock.advance(10 * 60_000);
  return bench.again(options);
}

/** A whole life of one arrival in a session: accept, then as many processes as it takes. */
async function settle(bench: Bench, arrivalId: string, { drainAt }: { drainAt?: number } = {}) {
  for (let processes = 1; processes < 40; processes += 1) {
    await (await bench.again()).work("s1", drainAt === undefined ? {} : { drainAt }).catch(() => undefined);
    const receipt = await bench.agent.receipt(arrivalId);
    if (receipt && receipt.status !== "queued" && receipt.status !== "running") return receipt;
    bench.clock.advance(10 * 60_000);
  }
  throw new Error("The arrival was never settled.");
}

const go = (bench: Bench) => bench.agent.accept("s1", { kind: "turn", message: "Go" });
const callsOf = async (store: SessionStore) =>
  (await store.read("s1"))?.thread.filter(({ key }) => key.startsWith("J")).map(({ key }) => key);

describe("a call with effects", () => {
  it("S-26 S-23 does not start for an owner that loses its lease while it writes the call down", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    const bench = await open({
      spec: WORK,
      tools: counted(ran),
      replies: [calls(["pay"]), calls(["pay"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const isJournal = name === "commit" && JSON.stringify(args).includes('"key":"J');
          if (isJournal && ran.length === 0 && bench.clock.now() < stolenAt) {
            bench.clock.advance(3_600_000);
            await sessions.claim("s1", { owner: "thief", now: bench.clock.now(), leaseMs: 60_000 });
          }
          return run();
        }),
        files: createMemoryFileStore(),
      },
    });
    const stolenAt = bench.clock.now() + 3_600_000;
    await go(bench);

    expect(await bench.agent.work("s1")).toEqual({ settled: [], left: "lost" });

    expect(ran).toEqual([]);
    expect(bench.requests).toHaveLength(1);
    bench.clock.advance(3_600_000);
    await bench.agent.work("s1");
    expect(ran).toEqual(["pay"]);
  });

  it("S-23 S-26 of a script is not started either, nor any read-only one after it, for an owner that has lost its lease", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    let isStolen = false;
    const bench = await open({
      spec: "states: { work: { type: code, script: scripts/work.js, triggers: { manual: }, tools: { allow: [pay, look] } } }",
      files: {
        "workflows/case/scripts/work.js": `export default async ({ tools }) => {
          try { await tools.pay({}); } catch {}
          await tools.look({});
        };`,
      },
      tools: counted(ran),
      replies: [],
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          if (name === "commit" && !isStolen && JSON.stringify(args).includes('"key":"J')) {
            isStolen = true;
            // By a clock that is an hour ahead: the owner's own tells it nothing.
            await sessions.claim("s1", { owner: "thief", now: bench.clock.now() + 3_600_000, leaseMs: 60_000 });
          }
          return run();
        }),
        files: createMemoryFileStore(),
      },
    });
    await go(bench);

    expect(await bench.agent.work("s1")).toEqual({ settled: [], left: "lost" });

    expect([isStolen, ran]).toEqual([true, []]);
  });

  it("S-34 S-39 is written down with the message that asked for it, in one commit", async () => {
    const ran: string[] = [];
    const commits: string[][] = [];
    const sessions = createMemorySessionStore();
    const bench = await open({
      spec: WORK,
      tools: counted(ran, () => void commits.push(["ran"])),
      replies: [calls(["pay"], ["look"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, ({ name, args }, run) => {
          const { puts = [] } = (name === "commit" ? args[1] : {}) as { puts?: { key: string }[] };
          if (puts.length > 0) commits.push([...new Set(puts.map(({ key }) => key[0] ?? ""))].sort());
          return run();
        }),
        files: createMemoryFileStore(),
      },
    });
    await bench.agent.workflow.send("s1", { message: "Go" });

    const ranAt = commits.findIndex(([what]) => what === "ran");
    expect(commits[ranAt - 1]).toEqual(["C", "J", "W"]);
    expect(commits.filter((kinds) => kinds.includes("J"))).toHaveLength(1);
  });

  it("S-54 S-50 runs where its invocation ended between the commit that wrote it down and its start", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    let isFirst = true;
    const bench = await open({
      spec: WORK,
      tools: counted(ran),
      replies: [calls(["pay"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const result = await run();
          if (name === "commit" && isFirst && JSON.stringify(args).includes('"key":"J')) {
            isFirst = false;
            bench.clock.advance(50_000);
            await new Promise((resolve) => setImmediate(resolve));
          }
          return result;
        }),
        files: createMemoryFileStore(),
      },
    });
    const { arrivalId } = await go(bench);
    const end = bench.clock.now() + 50_000;

    expect(await bench.agent.work("s1", { drainAt: end, abortAt: end })).toMatchObject({ left: "handed-over" });
    expect([ran, await callsOf(sessions)]).toEqual([[], []]);
    await settle(bench, arrivalId);
    expect(ran).toEqual(["pay"]);
    expect(JSON.stringify(bench.requests.at(-1)?.body.messages)).not.toContain("unknown");
  });

  it("S-94 S-41 runs where the answer to the commit that wrote it down was lost", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    let isFirst = true;
    const bench = await open({
      spec: WORK,
      tools: counted(ran),
      replies: [calls(["pay"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const result = await run();
          if (name === "commit" && isFirst && JSON.stringify(args).includes('"key":"J')) {
            isFirst = false;
            throw new StoreUnavailableError("commit", "no answer");
          }
          return result;
        }),
        files: createMemoryFileStore(),
      },
    });
    const { arrivalId } = await go(bench);

    expect(await bench.agent.work("s1")).toMatchObject({ left: "delayed" });
    expect([ran, await callsOf(sessions)]).toEqual([[], []]);
    await settle(bench, arrivalId);
    expect([ran, bench.requests.length]).toEqual([["pay"], 2]);
    expect(JSON.stringify(bench.requests.at(-1)?.body.messages)).not.toContain("unknown");
  });

  it("S-20 S-50 that was not started for a cancellation holds back no hand-over after it", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    let isFirst = true;
    const bench = await open({
      spec: WORK,
      tools: counted(ran),
      replies: [calls(["pay"]), calls(["archmax_get_variables"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const isBeginning = name === "commit" && isFirst && JSON.stringify(args).includes('"key":"J');
          if (isBeginning) {
            isFirst = false;
            await sessions.cancel("s1", bench.clock.now());
            bench.clock.advance(1);
          }
          return run();
        }),
        files: createMemoryFileStore(),
      },
    });
    await go(bench);
    await go(bench);

    const report = await bench.agent.work("s1", { drainAt: bench.clock.now() + 1 });
    expect(report.settled.map(({ error }) => error?.message)).toEqual([expect.stringContaining("cancelled")]);
    expect([report.left, ran]).toEqual(["handed-over", []]);
    expect(await callsOf(sessions)).toEqual([]);
  });

  it("S-50 S-54 F-18 runs where the time to hand over came with the commit that wrote it down", async () => {
    const ran: string[] = [];
    const sessions = createMemorySessionStore();
    const bench = await open({
      spec: WORK,
      tools: counted(ran),
      replies: [calls(["pay"]), says("end")],
      stores: {
        sessions: wrapStore(sessions, ({ name, args }, run) => {
          if (name === "commit" && JSON.stringify(args).includes('"key":"J')) bench.clock.advance(10);
          return run();
        }),
        files: createMemoryFileStore(),
      },
    });
    const { arrivalId } = await go(bench);

    const report = await bench.agent.work("s1", { drainAt: bench.clock.now() + 10 });
    expect([report.left, ran]).toEqual(["handed-over", ["pay"]]);
    await settle(bench, arrivalId);
    expect(ran).toEqual(["pay"]);
    expect(JSON.stringify(bench.requests.at(-1)?.body.messages)).toContain("paid");
  });

  it("S-38 S-44 has a key of session, turn and call, the same in every attempt, at most 255 characters", async () => {
    const seen: [string, number][] = [];
    let crash = true;
    const bench = await open({
      spec: WORK,
      tools: toolsFromMap({
        pay: {
          description: "Pays.",
          inputSchema: { type: "object" },
          idempotent: true,
          handler: (_input, { idempotencyKey, attempt }) => void seen.push([idempotencyKey, attempt]),
        },
        look: { description: "x", inputSchema: { type: "object" }, handler: () => "" },
        break_down: { description: "x", inputSchema: { type: "object" }, handler: () => "" },
      }),
      replies: [
        calls(["pay", {}, "call_1"]),
        says("one"),
        calls(["pay", {}, "call_2"]),
        says("two"),
        calls(["pay", {}, "c"]),
        says("three"),
      ],
      stores: failing(({ name, args }) => {
        const dies = crash && name === "commit" && seen.length === 1 && JSON.stringify(args).includes('"key":"W');
        if (dies) crash = false;
        return dies;
      }).stores,
    });
    await settle(bench, (await go(bench)).arrivalId);
    await settle(bench, (await go(bench)).arrivalId);
    const long = "s".repeat(400);
    await bench.agent.workflow.send(long, { message: "Go" });

    const [first, again, second, hashed] = seen.map(([key]) => key);
    expect(first).toBe(again);
    expect(first).toMatch(/^s1\/0*1\/call_1$/);
    expect(second).toMatch(/^s1\/0*2\/call_2$/);
    expect(seen.map(([, attempt]) => attempt)).toEqual([1, 2, 1, 1]);
    expect(hashed).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Partial<ToolDescriptor>, number, string]>([
    ["says that it has happened", { reconcile: () => ({ done: true, result: "paid before" }) }, 0, "paid before"],
    ["says that it has not", { reconcile: () => ({ done: false }) }, 1, "paid now"],
    ["does not know", { reconcile: () => "unknown" }, 0, "outcome is unknown"],
    ["may be repeated", { idempotent: true }, 1, "paid now"],
    ["only reads", { readOnly: true }, 1, "paid now"],
    ["declares nothing", {}, 0, "outcome is unknown"],
  ])(
    "S-41 F-15 that was begun and not answered, of a tool that %s, is run as that allows",
    async (_what, declared, runs, answer) => {
      const ran: string[] = [];
      const bench = await open({
        spec: WORK,
        replies: [calls(["pay"]), says("end")],
        tools: toolsFromMap({
          pay: {
            description: "Pays.",
            inputSchema: { type: "object" },
            handler: () => {
              ran.push("pay");
              return "paid now";
            },
            ...declared,
          },
        }),
      });
      const { arrivalId } = await go(bench);
      while (bench.requests.length < 1) await bench.agent.work("s1", { drainAt: 0 });
      const time = { now: bench.clock.now(), leaseMs: 60_000 };
      const dead = await bench.stores.sessions.claim("s1", { owner: "dies", ...time });
      if (dead.kind !== "claimed") throw new Error("nothing was left to do");
      const begun = { key: "J0001/call_1_1", value: JSON.stringify({ tool: "pay", hash: "", attempt: 1, at: 0 }) };
      await bench.stores.sessions.commit(dead.lease, { puts: [begun], removes: [], beginsOnly: true }, time);

      await settle(bench, arrivalId);

      expect(ran).toHaveLength(runs);
      expect(JSON.stringify(bench.requests.at(-1)?.body.messages)).toContain(answer);
    },
  );

  it("S-38 numbers the calls of a script within its evaluation", async () => {
    const keys: string[] = [];
    const bench = await open({
      spec: "states: { work: { type: code, triggers: { manual: }, script: scripts/w.js, tools: { allow: [pay] } } }",
      files: {
        "workflows/case/scripts/w.js":
          "export default async function ({ tools }) { await tools.pay({}); await tools.pay({}); }\n",
      },
      tools: counted([], (_input, { idempotencyKey }) => void keys.push(idempotencyKey)).filter(
        ({ name }) => name === "pay",
      ),
      replies: [],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^s1\/0*1v1\//);
  });

  it("S-40 S-45 F-49 keeps each finished call of a batch, errors included, and neither runs nor tells it again", async () => {
    const ran: string[] = [];
    let dying = false;
    let died = false;
    const { stores } = failing(({ name }) => dying && name !== "receipt" && name !== "read");
    const bench = await open({
      spec: WORK,
      stores,
      tools: counted(ran, async () => {
        await expect.poll(() => ofType(bench.events, "tool-result").length).toBeGreaterThanOrEqual(6);
        for (let n = 0; n < 5; n += 1) await new Promise((turn) => setImmediate(turn));
        dying = !died;
        died = true;
        return "paid";
      }),
      replies: [
        calls(["break_down"], ...Array.from({ length: 5 }, (): [string] => ["break_down"]), ["pay"]),
        says("end"),
      ],
    });
    const { arrivalId } = await go(bench);
    await bench.agent.work("s1").catch(() => undefined);
    dying = false;
    const told = ofType(bench.events, "tool-result").filter(({ tool }) => tool === "break_down").length;

    await later(bench);
    await settle(bench, arrivalId);

    expect(ran.filter((name) => name === "break_down")).toHaveLength(6);
    expect(ran.filter((name) => name === "pay")).toHaveLength(1);
    expect(told).toBe(6);
    expect(ofType(bench.events, "tool-result").filter(({ tool }) => tool === "break_down")).toHaveLength(6);
    const wire = bench.requests[1]?.body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(wire?.slice(0, 6)).toEqual(Array(6).fill(expect.stringContaining("Out of order.")));
    expect(wire?.[6]).toMatch(/unknown/);
  });

  it("S-46 keeps journal entries for a day after the turn, then removes them", async () => {
    const bench = await open({
      spec: WORK,
      tools: counted([]),
      replies: [
        calls(["pay", {}, "c1"]),
        says("one"),
        calls(["pay", {}, "c2"]),
        says("two"),
        calls(["pay", {}, "c3"]),
        says("three"),
      ],
    });
    const { send } = bench.agent.workflow;
    await send("s1", { message: "1" });
    bench.clock.advance(23 * 3_600_000);
    await send("s1", { message: "2" });
    expect(await callsOf(bench.stores.sessions)).toHaveLength(2);
    bench.clock.advance(3_600_000 + 1);
    await send("s1", { message: "3" });

    expect((await callsOf(bench.stores.sessions))?.map((key) => key.split("/")[1])).toEqual(["c2", "c3"]);
  });
});

describe("a model call", () => {
  it("S-35 S-36 is made again after a crash, counted once, and its text has another id", async () => {
    let crash = true;
    const { stores } = failing(({ name }) => {
      const dies =
        crash && bench?.requests.length === 1 && (name === "settle" || name === "commit" || name === "release");
      return dies;
    });
    const ran: string[] = [];
    const bench: Bench = await open({
      spec: WORK,
      stores,
      tools: counted(ran),
      answer: () => ({ text: "Yes.", usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }),
    });
    const { arrivalId } = await go(bench);
    await bench.agent.work("s1").catch(() => undefined);
    crash = false;
    const receipt = await settle(bench, arrivalId);

    expect(bench.requests).toHaveLength(2);
    expect(receipt).toMatchObject({
      status: "settled",
      outcome: { reply: "Yes.", usage: { inputTokens: 10, outputTokens: 2 } },
    });
    const texts = ofType(bench.events, "agent-text");
    expect(texts.map(({ text }) => text)).toEqual(["Yes.", "Yes."]);
    expect(new Set(texts.map(({ messageId }) => messageId)).size).toBe(2);
    expect(await bench.agent.sessions.messageCount("s1")).toBe(2);
  });
});

describe("the checks of an arrival", () => {
  it.each([
    [
      "is out of service and requires more",
      `disabled: true\n${WORK.replace("requires: [order]", "requires: [order, more]")}`,
    ],
    ["no longer has the trigger", WORK.replace("ordered: {", "shipped: {")],
    ["has the trigger ask for a message", WORK.replace("message: false, ", "")],
  ])("S-31 S-37 are made once: a turn that had opened goes on though its edited spec %s", async (_what, edited) => {
    const bench = await open({ spec: WORK, tools: counted([]), replies: [calls(["look"]), says("end")] });
    const accepted = await bench.agent.accept("s1", { kind: "turn", trigger: "ordered", variables: { order: 1 } });
    await bench.agent.work("s1", { drainAt: 0 });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), edited);

    await (await later(bench)).work("s1");

    expect(await bench.agent.receipt(accepted.arrivalId)).toMatchObject({
      outcome: { kind: "completed", reply: "end" },
    });
    expect(await bench.agent.sessions.trail("s1")).toHaveLength(1);
  });
});

describe("what continues a parked session", () => {
  const asked = [advance("review"), says("Please decide.")];
  it.each<[disposition: string, spec: string, replies: ServerReply[], input: ArrivalInput, steps: number]>([
    [
      "decide",
      REVIEWED,
      [...asked, calls(["write_todos", { todos: [] }]), says("Sent.")],
      { kind: "decision", target: "send" },
      1,
    ],
    [
      "deliver",
      WAITS,
      [
        { text: "I wait.", ...calls(["archmax_wait", { reason: "Mail." }]) },
        calls(["write_todos", { todos: [] }]),
        says("Thanks."),
      ],
      { kind: "delivery", trigger: "mail", message: "It is here." },
      1,
    ],
    ["reply", REVIEWED, [...asked, says("A draft.")], { kind: "reply", message: "What is it?" }, 0],
  ])(
    "S-31 S-33 S-37 F-31 is applied once, a %s: whoever follows one that died after its commit goes on",
    async (disposition, spec, replies, input, steps) => {
      let isDying = false;
      const sessions = createMemorySessionStore();
      const bench = await open({
        spec,
        replies,
        stores: {
          sessions: wrapStore(sessions, async ({ name }, run) => {
            const result = await run();
            if ((name === "commit" || name === "settle") && isDying) {
              throw new StoreUnavailableError(name, "the answer was lost");
            }
            return result;
          }),
          files: createMemoryFileStore(),
        },
      });
      await bench.agent.workflow.send("s1", { message: "Go" });
      const before = (await bench.agent.sessions.trail("s1")).length;
      const { arrivalId } = await bench.agent.accept("s1", input);
      isDying = true;
      await bench.agent.work("s1");
      isDying = false;

      const receipt = await settle(bench, arrivalId);

      expect(receipt).toMatchObject({ status: "settled", outcome: { disposition } });
      expect(await bench.agent.sessions.trail("s1")).toHaveLength(before + steps);
      expect(bench.requests).toHaveLength(replies.length);
    },
  );
});

describe("the spec in force", () => {
  const edited = WORK.replace("instructions: Work.", "instructions: Work harder.");

  it("S-52 S-72 stays that of the turn's opening in all of its invocations; the next input takes the current one", async () => {
    const bench = await open({
      spec: WORK,
      tools: counted([]),
      replies: [calls(["look"]), calls(["look"]), says("end"), says("next")],
    });
    const { arrivalId } = await go(bench);
    await bench.agent.work("s1", { drainAt: 0 });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), edited);

    await settle(bench, arrivalId, { drainAt: 0 });
    const before = await bench.agent.sessions.get("s1");
    await (await bench.again()).workflow.send("s1", { message: "More" });

    const shown = bench.requests.map(({ body }) => /Work( harder)?\./.exec(JSON.stringify(body.messages[0]))?.[0]);
    expect(shown).toEqual(["Work.", "Work.", "Work.", "Work harder."]);
    expect((await bench.agent.sessions.get("s1"))?.specHash).not.toBe(before?.specHash);
  });

  it("S-52 S-94 is waited for where the file store does not give it", async () => {
    let down = 0;
    const files = wrapStore(createMemoryFileStore(), ({ name }, run) =>
      name === "readShared" && down-- > 0 ? Promise.reject(new Error("No files.")) : run(),
    );
    const bench = await open({
      spec: WORK,
      stores: { sessions: createMemorySessionStore(), files },
      tools: counted([]),
      replies: [calls(["look"]), says("end")],
    });
    const { arrivalId } = await go(bench);
    await bench.agent.work("s1", { drainAt: 0 });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), edited);
    down = 9;

    expect(await settle(bench, arrivalId)).toMatchObject({ status: "settled", outcome: { kind: "completed" } });
    expect(down).toBeLessThanOrEqual(0);
  });

  it("S-52 S-72 is the current one after a park", async () => {
    const bench = await open({
      spec: WAITS,
      replies: [{ text: "I wait.", ...calls(["archmax_wait", { reason: "Mail." }]) }, says("Thanks.")],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), WAITS.replace("Work or wait.", "Work at last."));

    await (await bench.again()).workflow.deliver("s1", { trigger: { id: "mail" } });

    expect(JSON.stringify(bench.requests[1]?.body.messages[0])).toContain("Work at last.");
  });
});

it("S-72 S-52 F-36 is that of its decision in every invocation of what a decision continues", async () => {
  const bench = await open({
    spec: REVIEWED,
    replies: [advance("review"), says("Please."), calls(["write_todos", { todos: [] }]), says("Sent.")],
  });
  await bench.agent.workflow.send("s1", { message: "Go" });
  const edit = (text: string) =>
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), REVIEWED.replace("Send it.", text));
  edit("Send it now.");
  const { arrivalId } = await bench.agent.accept("s1", { kind: "decision", target: "send" });
  await (await bench.again()).work("s1", { drainAt: 0 });
  edit("Send it later.");

  await settle(bench, arrivalId, { drainAt: 0 });

  const shown = bench.requests.slice(2).map(({ body }) => JSON.stringify(body.messages[0]).includes("Send it now."));
  expect(shown).toEqual([true, true]);
});

describe("the end of an invocation", () => {
  it("S-54 F-18 aborts a running call in time, starts no other, and says in the next one that its outcome is unknown", async () => {
    const ran: string[] = [];
    let reason: unknown;
    let hang = true;
    const bench = await open({
      spec: WORK,
      tools: counted(ran, (_input, { signal }) =>
        hang
          ? new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => {
                reason = signal.reason;
                reject(new Error("Stopped."));
              });
            })
          : "paid",
      ),
      replies: [calls(["pay"]), says("end")],
    });
    const { arrivalId } = await go(bench);
    const deadline = bench.clock.now() + 60_000;
    const working = bench.agent.work("s1", { drainAt: deadline - 30_000, abortAt: deadline - 10_000 });
    await expect.poll(() => ran).toEqual(["pay"]);

    bench.clock.advance(49_999);
    expect(reason).toBeUndefined();
    bench.clock.advance(1);

    expect(await working).toMatchObject({ left: "handed-over", settled: [] });
    expect(reason).toMatchObject({ code: "invocation-ended" });
    expect((await bench.stores.sessions.read("s1"))?.record).toMatchObject({ lease: null, status: "running" });
    hang = false;
    expect(await settle(bench, arrivalId)).toMatchObject({ outcome: { kind: "completed", reply: "end" } });
    expect(ran).toEqual(["pay"]);
    expect(JSON.stringify(bench.requests[1]?.body.messages.at(-1))).toMatch(/outcome is unknown/);
  });

  it("S-54 leaves calls of a batch that have not started to the next invocation", async () => {
    const ran: string[] = [];
    const bench = await open({ spec: WORK, tools: counted(ran), replies: [calls(["pay"], ["look"]), says("end")] });
    const { arrivalId } = await go(bench);

    expect(await bench.agent.work("s1", { drainAt: 0 })).toMatchObject({ left: "handed-over" });
    expect(ran).toEqual([]);

    expect(await settle(bench, arrivalId)).toMatchObject({ outcome: { kind: "completed" } });
    expect(ran.sort()).toEqual(["look", "pay"]);
    expect(bench.requests).toHaveLength(2);
  });

  it("S-56 commits at least one step in each invocation, however late it starts", async () => {
    const bench = await open({ spec: WORK, tools: counted([]), replies: [calls(["look"]), says("end")] });
    await go(bench);
    const heads: unknown[] = [];
    for (let left = "handed-over"; left === "handed-over"; ) {
      ({ left } = await (await bench.again()).work("s1", { drainAt: 0 }));
      heads.push((await bench.stores.sessions.read("s1"))?.record.checkpoint);
    }

    expect(new Set(heads).size).toBe(heads.length);
    expect(heads.length).toBeGreaterThan(2);
  });

  it("F-76 has nothing left to do when the work has returned", async () => {
    const names: string[] = [];
    const sessions = wrapStore(createMemorySessionStore(), ({ name }, run) => {
      names.push(name);
      return run();
    });
    const bench = await open({
      spec: ANSWERS,
      answer: always("Yes."),
      stores: { sessions, files: createMemoryFileStore() },
    });
    await go(bench);
    await bench.agent.work("s1");
    names.length = 0;

    bench.clock.advance(3_600_000);
    for (let n = 0; n < 20; n += 1) await new Promise((turn) => setImmediate(turn));

    expect(names).toEqual([]);
  });
});

describe("poison", () => {
  it("S-91 S-92 is a dead letter after five attempts, and the good arrival behind it completes", async () => {
    const { stores, sessions } = failing(() => false);
    let worlds = 0;
    const bench = await open({ spec: ANSWERS, answer: always("Yes."), stores });
    const bad = await bench.agent.accept("s1", { kind: "turn", message: "Bad" });
    const good = await bench.agent.accept("s1", { kind: "turn", message: "Good" });
    // Whoever takes the bad arrival vanishes with its lease.
    for (; worlds < 5; worlds += 1) {
      const claim = await sessions.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      expect(claim).toMatchObject({ kind: "claimed", work: { attempt: worlds + 1, arrival: { id: bad.arrivalId } } });
      bench.clock.advance(60_001);
    }

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(bad.arrivalId)).toMatchObject({ status: "dead" });
    expect(await bench.agent.receipt(good.arrivalId)).toMatchObject({ status: "settled", outcome: { reply: "Yes." } });
    expect(await sessions.deadLetters(bench.clock.now())).toMatchObject([
      { arrival: { id: bad.arrivalId, input: { message: "Bad" } }, attempts: 5, reason: expect.any(String) },
    ]);
    expect(await bench.agent.sessions.messageCount("s1")).toBe(2);
    bench.clock.advance(90 * 86_400_000 - 1);
    expect(await sessions.deadLetters(bench.clock.now())).toHaveLength(1);
    bench.clock.advance(1);
    expect(await sessions.deadLetters(bench.clock.now())).toEqual([]);
  });

  it("S-91 leaves the session as it was, a park included, where no turn had opened", async () => {
    const bench = await open({ spec: REVIEWED, replies: [advance("review"), says("Please."), says("Sent.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const before = await bench.agent.sessions.get("s1");
    await bench.agent.accept("s1", { kind: "decision", target: "send" });
    for (let n = 0; n < 5; n += 1) {
      await bench.stores.sessions.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      bench.clock.advance(60_001);
    }

    await bench.agent.work("s1");

    expect(await bench.agent.sessions.get("s1")).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(await bench.agent.workflow.decide("s1", { target: "send" })).toMatchObject({ kind: "completed" });
  });

  it("S-91 F-27 gives a wake-up up like any other once its delivery has committed", async () => {
    const bench = await open({
      spec: WAITS,
      replies: [
        calls(["archmax_wait", { reason: "Mail.", until: "1h" }]),
        says("I wait."),
        calls(["write_todos", { todos: [] }]),
      ],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    bench.clock.advance(3_600_000);
    await bench.agent.work("s1", { drainAt: 0 });
    for (let n = 0; n < 5; n += 1) {
      await bench.stores.sessions.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      bench.clock.advance(60_001);
    }

    await bench.agent.work("s1");

    expect(await bench.stores.sessions.deadLetters(bench.clock.now())).toMatchObject([
      { attempts: 5, arrival: { source: "wake" } },
    ]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });

  it("S-91 ends a turn that had opened, naming the dead letter, and the next input is an ordinary turn", async () => {
    const bench = await open({ spec: WORK, tools: counted([]), replies: [calls(["pay"]), says("Again.")] });
    const bad = await go(bench);
    await bench.agent.work("s1", { drainAt: 0 });
    for (let n = 0; n < 5; n += 1) {
      await bench.stores.sessions.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      bench.clock.advance(60_001);
    }

    await bench.agent.work("s1");

    const [letter] = await bench.stores.sessions.deadLetters(bench.clock.now());
    expect(await bench.agent.receipt(bad.arrivalId)).toMatchObject({ status: "dead" });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: { code: "turn-error", reason: expect.stringContaining(letter?.id ?? "-") },
    });
    expect(await bench.agent.workflow.send("s1", { message: "Next" })).toMatchObject({
      kind: "completed",
      reply: "Again.",
    });
  });

  it.each([
    ["commit", new Error("No database.")],
    ["commit", new StoreUnavailableError("commit", "it is busy")],
    ["settle", new Error("No database.")],
    ["settle", new StoreUnavailableError("settle", "it is busy")],
    ["write", new Error("No files.")],
  ] as const)("S-94 is never what the stores' own failures (%s: %s) make of an arrival", async (method, failure) => {
    let down = 9;
    const fails = ({ name }: StoreOp) => name === method && down-- > 0;
    const { sessions, stores } = failing(fails, failure);
    const files = wrapStore(createMemoryFileStore(), (op, run) => (fails(op) ? Promise.reject(failure) : run()));
    const bench = await open({
      spec: WORK,
      stores: { ...stores, files },
      tools: counted([]),
      replies: [says("end"), ...Array.from({ length: 9 }, () => says("end"))],
    });
    const { agent } = bench;
    const uploaded = {
      name: "a.txt",
      key: ".parkway/uploads/a",
      sizeBytes: 1,
      sha256: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    };
    await files.writeShared(uploaded.key, new TextEncoder().encode("a"));
    const accepted = await agent.accept("s1", { kind: "turn", message: "Go", files: { scan: uploaded } });

    const receipt = await settle(bench, accepted.arrivalId);

    expect(down).toBeLessThanOrEqual(0);
    expect(receipt).toMatchObject({ status: "settled", outcome: { kind: "completed", reply: "end" } });
    expect(await sessions.deadLetters(bench.clock.now())).toEqual([]);
  });

  it("S-94 S-91 gives nothing up where only the stores failed, at giving the session back as well", async () => {
    let down = 18;
    let isCommitting = false;
    const { sessions, stores } = failing(({ name }) => {
      if (name === "commit") isCommitting = true;
      else if (name === "release" && isCommitting) isCommitting = false;
      else return false;
      return down-- > 0;
    });
    const replies = Array.from({ length: 12 }, () => says("end"));
    const bench = await open({ spec: WORK, stores, tools: counted([]), replies });
    const { arrivalId } = await go(bench);

    expect(await settle(bench, arrivalId)).toMatchObject({ status: "settled", outcome: { kind: "completed" } });
    expect([down < 0, await sessions.deadLetters(bench.clock.now())]).toEqual([true, []]);
  });
});
