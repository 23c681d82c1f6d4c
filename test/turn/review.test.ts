/** What a hostile reader of the engine has found: work lost, doubled, hidden or held up. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createAgent } from "../../lib/agent.js";
import type { SessionStore } from "../../lib/session/ports.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { type Intercept, wrapStore } from "../harness/wrap-store.js";
import type { ServerReply } from "../model-server/index.js";
import { benches, calls, ofType, results, says, system } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview } from "./workflows.js";

const HOUR_MS = 60 * 60_000;
const never = new Promise<never>(() => {});
const open = benches();
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const WORK = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [pay, look, write_file] }
`;

const SCRIPT = `
states:
  run: { type: code, triggers: { manual: }, script: scripts/run.js, tools: { allow: [pay, look] }, on_error: sorry }
  sorry: { instructions: Say sorry. }
`;

function script(body: string): Record<string, string> {
  return { "workflows/case/scripts/run.js": `export default async ({ tools }) => { ${body} };\n` };
}

function tool(handler: ToolDescriptor["handler"], more: Partial<ToolDescriptor> = {}): ToolDescriptor {
  return { description: "A tool.", inputSchema: { type: "object" }, handler, ...more };
}

function hostTools(pay: ToolDescriptor, look = tool(() => "seen", { readOnly: true })) {
  return toolsFromMap({ pay, look });
}

/** A session store whose process can end: nothing after that takes effect. */
function mortal(inner: SessionStore) {
  const life = { dead: false };
  const intercept: Intercept = (_op, run) => (life.dead ? never : run());
  return { life, sessions: wrapStore(inner, intercept) };
}

function stores(sessions = createMemorySessionStore()) {
  return { sessions, files: createMemoryFileStore() };
}

describe("a tool", () => {
  it("R-305 S-54 that ignores the abort is waited for no longer, and its late answer reaches nobody", async () => {
    const reached = gate();
    const late = gate();
    const stop = new Error("The customer hung up.");
    const pay = tool(async () => {
      reached.open();
      await late.opened;
      return "paid";
    });
    const bench = await open({ spec: WORK, tools: hostTools(pay), replies: [calls(["pay"]), says("Yes.")] });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go" }, { signal: aborter.signal });
    await reached.opened;

    aborter.abort(stop);

    await expect(turn).rejects.toBe(stop);
    late.open();
    const next = await bench.agent.workflow.send("s1", { message: "Again" });
    expect(results(next)).toMatchObject([{ tool: "pay", status: "error", refusal: "interrupted" }]);
  });

  it.each([
    ["below a file", "/notes/x.md"],
    ["with a name of 300 characters", `/${"n".repeat(300)}.md`],
    ["of 6,000 characters", `/${"d/".repeat(3_000)}x.md`],
    ["that belongs to a session of a longer id", "/cases/x.md"],
  ])("R-231 S-94 gets an error as its answer for a path %s, and the turn goes on", async (_what, path) => {
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const bench = await open({
      spec: WORK,
      tools: hostTools(tool(() => "paid")),
      stores: { sessions: createMemorySessionStore(), files: createFilesystemFileStore({ dir: folder.dir }) },
      replies: [
        calls(["write_file", { file_path: "/notes", content: "a" }]),
        calls(["write_file", { file_path: path, content: "b" }]),
        says("Done."),
      ],
    });
    await bench.agent.sessions.seed("s1/cases", { "x.md": "other" });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome.status).toBe("completed");
    expect(results(outcome)[1]?.text).toMatch(/^Error: .* cannot be written\.$/);
  });

  it("S-89 S-91 that may be repeated and kills the process each time is given up after five attempts", async () => {
    const inner = createMemorySessionStore();
    const { files } = stores(inner);
    let runs = 0;
    const life = async (host?: object) => {
      const { life, sessions } = mortal(inner);
      const reached = gate();
      const pay = tool(
        () => {
          runs += 1;
          reached.open();
          return never;
        },
        { idempotent: true },
      );
      const options = { spec: WORK, tools: hostTools(pay), stores: { sessions, files }, answer: () => calls(["pay"]) };
      return { life, reached, bench: await open({ ...options, ...host }) };
    };
    const first = await life();
    const { clock } = first.bench;
    const { arrivalId } = await first.bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const next = await life({ host: { clock } });
      void next.bench.agent.work("s1").then(next.reached.open);
      await next.reached.opened;
      next.life.dead = true;
      clock.advance(HOUR_MS);
    }

    // The opening commit and the message were progress; what came after them was none.
    expect(runs).toBe(6);
    expect(await inner.receipt(arrivalId, clock.now())).toMatchObject({ status: "dead" });
  });

  it("R-245 of the runtime itself keeps a large answer out of the transcript", async () => {
    const bench = await open({
      spec: ANSWERS,
      replies: [calls(["archmax_get_variables", { name: "doc" }, "c1"]), says("Read.")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go", variables: { doc: "x".repeat(100_000) } });

    expect(results(outcome)[0]?.text).toContain("/large_tool_results/c1.txt");
    expect(JSON.stringify(outcome.messages).length).toBeLessThan(10_000);
  });
});

describe("a script", () => {
  it("S-47 R-259 goes on after a crash in the middle of calls made together", async () => {
    const inner = createMemorySessionStore();
    const { life, sessions } = mortal(inner);
    const paid = gate();
    let looks = 0;
    const once = () => {
      looks += 1;
      return looks === 1 ? never : "seen";
    };
    const look = tool(once, { readOnly: true });
    const pay = tool(() => "paid");
    const options = {
      spec: SCRIPT,
      files: script("console.log((await Promise.all([tools.look({}), tools.pay({})])).join());"),
      tools: hostTools(pay, look),
      replies: [says("Sorry.")],
    };
    const first = await open({
      ...options,
      stores: { sessions, files: createMemoryFileStore() },
      onEvent: (event) => {
        if (event.type === "tool-result") paid.open();
      },
    });
    void first.agent.workflow.send("s1", { message: "Go" });
    await paid.opened;
    life.dead = true;
    first.clock.advance(HOUR_MS);
    const second = await open({
      ...options,
      stores: { sessions: inner, files: first.stores.files },
      host: { clock: first.clock },
    });

    const report = await second.agent.work("s1");

    expect(report.settled).toMatchObject([{ outcome: { status: "completed", state: "run" } }]);
    expect(ofType(second.events, "code-output").map(({ line }) => line)).toEqual(["seen,paid"]);
    expect(ofType(second.events, "tool-called").map(({ tool }) => tool)).toEqual(["look"]);
  });

  it("R-153 that runs out of time has its calls told to stop", async () => {
    const seen: unknown[] = [];
    const pay = tool(
      (_input, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(seen.push(1)))),
    );
    const bench = await open({
      spec: `settings: { timeoutMs: 200 }\n${SCRIPT}`,
      files: script("await tools.pay({});"),
      tools: hostTools(pay),
      replies: [says("Sorry.")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome.state).toBe("sorry");
    expect(seen).toEqual([1]);
    expect(ofType(bench.events, "tool-result")).toMatchObject([{ tool: "pay", status: "error" }]);
  });

  it("R-137 R-153 that does not wait for a call is settled when the call has been answered", async () => {
    const done: string[] = [];
    const pay = tool(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      done.push("paid");
      return "paid";
    });
    const bench = await open({ spec: SCRIPT, files: script("tools.pay({});"), tools: hostTools(pay), replies: [] });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome).toMatchObject({ status: "completed", state: "run" });
    expect(done).toEqual(["paid"]);
  });

  it("S-54 is not failed by closing the agent: the next one runs it", async () => {
    const reached = gate();
    let runs = 0;
    const look = tool(
      () => {
        reached.open();
        runs += 1;
        return runs === 1 ? never : "seen";
      },
      { readOnly: true },
    );
    const bench = await open({
      spec: SCRIPT,
      files: script("await tools.look({});"),
      tools: hostTools(
        tool(() => "paid"),
        look,
      ),
      sandboxRuntime: undefined,
      replies: [],
    });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    const told = expect(turn).rejects.toMatchObject({ code: "agent-closed", retryable: true });
    await reached.opened;

    await bench.agent.close();

    await told;
    expect((await bench.stores.sessions.read("s1"))?.record).toMatchObject({ status: "running", lease: null });
    const next = await bench.again();
    expect((await next.work("s1")).settled).toMatchObject([{ outcome: { status: "completed", state: "run" } }]);
  });
});

describe("a session", () => {
  it("takes nothing under another workflow than its own, not even a decision that would fit", async () => {
    const files = {
      "workflows/other/workflow.yaml":
        "states: { work: { triggers: { manual: }, instructions: Work. }, send: { instructions: Send. } }",
    };
    const bench = await open({ spec: REVIEWED, files, replies: [toReview, says("Please decide.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const { stores, rootDir, clock } = bench;
    const other = await createAgent({ workflow: "other", workspace: { rootDir }, stores, host: { clock }, env: {} });
    const before = await stores.sessions.read("s1");

    const decided = other.workflow.decide("s1", { target: "send" });

    await expect(decided).rejects.toMatchObject({ code: "session-workflow-mismatch", workflow: "case" });
    expect(await stores.sessions.read("s1")).toEqual(before);
    const { arrivalId } = await other.accept("s1", { kind: "decision", target: "send" });
    await bench.agent.work("s1");
    expect(await other.receipt(arrivalId)).toMatchObject({
      status: "refused",
      error: { code: "session-workflow-mismatch" },
    });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });
    await other.close();
  });

  it("S-52 R-271 that goes on after an edit is sent the static prompt it began with", async () => {
    const spec = "instructions: Be old.\nstates: { answer: { triggers: { manual: }, instructions: Do. } }\n";
    const replies: ServerReply[] = [calls(["archmax_get_variables"]), says("Yes.")];
    const bench = await open({ spec, replies });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });
    const drainAt = bench.clock.now();
    while (bench.requests.length < 1) await bench.agent.work("s1", { drainAt });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), spec.replace("Be old.", "Be new."));

    await bench.agent.work("s1");

    expect(bench.requests.map((request) => /Be (old|new)\./.exec(system(request))?.[1])).toEqual(["old", "old"]);
  });

  /** Claims bring every item of the thread with another format. */
  function readAs(format: string, inner: SessionStore, when: () => boolean) {
    return wrapStore(inner, async (op, run) => {
      const result = await run();
      if (op.name !== "claim" || !when()) return result;
      const claim = result as { thread?: { value: string }[] };
      for (const item of claim.thread ?? []) item.value = item.value.replace('"f":1', `"f":${format}`);
      return result;
    });
  }

  it("S-75 S-91 that cannot be read back gives its arrivals up in the end, and stays what it is", async () => {
    const inner = createMemorySessionStore();
    let isDamaged = false;
    const sessions = readAs("null", inner, () => isDamaged);
    const bench = await open({ spec: ANSWERS, stores: stores(sessions), answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const before = (await inner.read("s1"))?.thread;
    isDamaged = true;
    const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { source: "webhook" });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await expect(bench.agent.work("s1")).rejects.toMatchObject({ code: "checkpoint-corrupt", sessionId: "s1" });
      bench.clock.advance(HOUR_MS);
    }

    expect((await bench.agent.work("s1")).settled).toMatchObject([{ arrivalId }]);

    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "dead" });
    expect(await inner.deadLetters(bench.clock.now())).toMatchObject([{ attempts: 5, arrival: { id: arrivalId } }]);
    expect((await inner.read("s1"))?.thread).toEqual(before);
    isDamaged = false;
    expect((await bench.agent.workflow.send("s1", { message: "Again" })).status).toBe("completed");
  });

  it("S-80 that a newer version wrote keeps what waits for it, however long the older one runs", async () => {
    const inner = createMemorySessionStore();
    let isNewer = false;
    const sessions = readAs("9", inner, () => isNewer);
    const bench = await open({ spec: ANSWERS, stores: stores(sessions), answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const before = (await inner.read("s1"))?.thread;
    isNewer = true;
    const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "More" }, { source: "webhook" });

    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await expect(bench.agent.work("s1")).rejects.toMatchObject({ code: "checkpoint-corrupt", newerFormat: 9 });
      expect(await bench.agent.work("s1")).toMatchObject({ left: "idle", dueAt: bench.clock.now() + 5 * 60_000 });
      bench.clock.advance(5 * 60_000);
    }

    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "running" });
    expect(await inner.deadLetters(bench.clock.now())).toEqual([]);
    expect((await inner.read("s1"))?.thread).toEqual(before);
    isNewer = false;
    expect((await bench.agent.work("s1")).settled).toMatchObject([{ arrivalId, outcome: { status: "completed" } }]);
  });

  it("R-300 S-80 that cannot be read back hides no other from the list", async () => {
    const sessions = wrapStore(createMemorySessionStore(), async (op, run) => {
      const result = await run();
      if (op.name !== "read" || op.args[0] !== "newer") return result;
      const { thread } = result as { thread: { value: string }[] };
      for (const item of thread) item.value = item.value.replace('"f":1', '"f":9');
      return result;
    });
    const bench = await open({ spec: ANSWERS, stores: stores(sessions), answer: always("Yes.") });
    await bench.agent.workflow.send("good", { message: "Go" });
    await bench.agent.workflow.send("newer", { message: "Go" });

    const listed = await bench.agent.sessions.list();

    expect(listed.map(({ sessionId, status }) => [sessionId, status]).sort()).toEqual([
      ["good", "completed"],
      ["newer", "completed"],
    ]);
  });

  it("S-77 does not write the input of the turn under way again with its steps", async () => {
    const bench = await open({
      spec: ANSWERS,
      answer: async () => {
        const read = await bench.stores.sessions.read("s1");
        records.push(JSON.stringify(read?.record).length);
        return says("Yes.");
      },
    });
    const records: number[] = [];

    await bench.agent.workflow.send("s1", { message: "Go", variables: { doc: "x".repeat(1_000_000) } });

    expect(records[0]).toBeLessThan(2_000);
  });
});

describe("an input", () => {
  it("S-3 with files and a key is answered like the first, whatever the session waits for by now", async () => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please decide.")] });
    const input = { message: "Go", files: { doc: { name: "a.txt", content: "hi" } } };
    const first = await bench.agent.workflow.send("s1", input, { idempotencyKey: "k" });

    const second = await bench.agent.workflow.send("s1", input, { idempotencyKey: "k" });

    expect(second).toEqual(first);
  });

  it.each([
    ["a date", new Date(0)],
    ["not a number", Number.NaN],
    ["a function", () => 1],
  ])("S-8 H-33 that holds %s is refused before anything is stored", async (_what, value) => {
    const bench = await open({ spec: ANSWERS, replies: [] });

    const sent = bench.agent.workflow.send("s1", { message: "Go", variables: { v: value } });

    await expect(sent).rejects.toMatchObject({ code: "unstorable-state", path: "input.variables.v" });
    expect(await bench.stores.sessions.read("s1")).toBeNull();
    await expect(bench.again({ variables: { v: value } })).rejects.toMatchObject({ path: "variables.v" });
  });

  it("S-13 whose doorbell fails is accepted and answered all the same", async () => {
    const doorbell = { ring: () => Promise.reject(new Error("The queue is away.")) };
    const bench = await open({ spec: ANSWERS, answer: always("Yes."), host: { doorbell } });

    expect((await bench.agent.workflow.send("s1", { message: "Go" })).status).toBe("completed");
  });

  it("S-94 S-3 that was accepted is not answered with a failure of the store that passes", async () => {
    let failures = 2;
    const sessions = wrapStore(createMemorySessionStore(), (op, run) => {
      if (op.name !== "claim" || failures === 0) return run();
      failures -= 1;
      return Promise.reject(new Error("The database is locked."));
    });
    const bench = await open({ spec: ANSWERS, stores: stores(sessions), answer: always("Yes.") });
    const sent = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => failures).toBe(1);
    bench.clock.advance(100);
    await expect.poll(() => failures).toBe(0);
    bench.clock.advance(100);

    expect((await sent).status).toBe("completed");
  });

  it("S-56 S-89 whose invocations end before they commit a step counts them as failed attempts", async () => {
    const { clock, ...bench } = await open({ spec: ANSWERS, answer: () => never });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });
    const invocation = async () => {
      const asked = bench.requests.length;
      const work = bench.agent.work("s1", { abortAt: clock.now() + 1_000 });
      await expect.poll(() => bench.requests.length).toBe(asked + 1);
      clock.advance(1_000);
      await work;
      return (await bench.stores.sessions.read("s1"))?.record;
    };

    expect(await invocation()).toMatchObject({ active: { attempts: 0 }, retryAt: null });
    const record = await invocation();

    expect(record?.active?.attempts).toBe(1);
    expect(record?.retryAt).toBeGreaterThan(clock.now());
  });

  it("S-20 S-19 that was cancelled before its turn takes nothing along that came after it", async () => {
    const { sessions } = stores();
    const bench = await open({ spec: REVIEWED, stores: stores(sessions), replies: [toReview, says("?"), says("Hm.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const now = bench.clock.now();
    const firing = await bench.agent.accept("s1", { kind: "turn", trigger: "ordered" }, { source: "bus" });
    const reply = await bench.agent.accept("s1", { kind: "reply", message: "What is it?" });
    await sessions.claim("s1", { owner: "gone", now, leaseMs: 1 });
    await sessions.cancel("s1", now);
    bench.clock.advance(HOUR_MS);

    await bench.agent.work("s1");

    expect(await bench.agent.receipt(firing.arrivalId)).toMatchObject({ status: "superseded" });
    expect(await bench.agent.receipt(reply.arrivalId)).toMatchObject({ status: "settled" });
  });
});
